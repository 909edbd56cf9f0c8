"""Channels: whole messages, blobs, slow and dead readers, damage."""

from __future__ import annotations

import math
import socket
from typing import Any

import pytest

from pitwall.core import commands, injection
from pitwall.core.actions import InputEvent
from pitwall.core.bounded_reading import valid_text
from pitwall.core.errors import ChannelClosed, ProtocolError, UnsendableMessage
from pitwall.core.geometry import Rect
from pitwall.link.channel import MAX_MESSAGE_BYTES, Channel, pair
from pitwall.link.plain_vocabulary import PlainVocabulary
from pitwall.link.vocabulary import Vocabulary
from pitwall.models.host_requests import HostReply, TextLine, TextRead

TO = PlainVocabulary(injection.ToBroker)
FROM = PlainVocabulary(injection.FromBroker)


@pytest.fixture
def ends() -> Any:
    a, b = pair()
    left: Channel[Any, Any] = Channel(a, TO, FROM)
    right: Channel[Any, Any] = Channel(b, FROM, TO)
    yield left, right
    left.close()
    right.close()


def test_messages_arrive_whole_and_in_order(ends: Any) -> None:
    left, right = ends
    sent = [
        injection.Inject(batch=n, events=(InputEvent(kind="key_down", key="ü✓"),), observed_ns=n)
        for n in range(300)
    ]
    for n, message in enumerate(sent):
        left.send(message, blob=bytes([n % 256]) * n)
    received: list[Any] = []
    while len(received) < len(sent):
        received += right.wait(60)
    assert [message for message, _ in received] == sent
    assert [len(blob) for _, blob in received] == list(range(300))


def test_a_frozen_reader_costs_the_writer_only_lossy_messages(ends: Any) -> None:
    left, right = ends
    sent = 0
    while left.dropped < 1_000:  # how much the system takes for a reader that does not read differs
        left.send(injection.Heartbeat(), lossy=True)
        sent += 1
        assert sent < 2_000_000, "the writer never dropped a lossy message"
    left.send(injection.Rearm())
    kept: list[Any] = []
    while not kept or not isinstance(kept[-1][0], injection.Rearm):
        left.flush()
        kept += right.wait(60)
    assert len(kept) == sent - left.dropped + 1


def test_end_of_the_other_side(ends: Any) -> None:
    left, right = ends
    left.send(injection.Disarm())
    left.close()
    assert [type(m) for m, _ in right.wait(60)] == [injection.Disarm]
    with pytest.raises(ChannelClosed):
        right.wait(60)
    with pytest.raises(ChannelClosed):
        for _ in range(3):
            right.send(injection.Held())


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x00\x00\x02\x00\x00\x00\x00{}",
        b"\xff\xff\xff\xff\xff\xff\xff\xff",
        b'\x00\x00\x00\x10\x00\x00\x00\x00{"kind": "nope"}',
    ],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    a, b = socket.socketpair()
    channel: Channel[Any, Any] = Channel(b, FROM, TO)
    a.sendall(data)
    with pytest.raises(ProtocolError):
        channel.wait(60)
    a.close()
    channel.close()


def test_every_command_survives_the_wire() -> None:
    wire = Vocabulary(commands.Command)
    for command in (
        commands.Open(game="flappy", console_pids=(1, 2), seed=7),
        commands.Start(seconds=2.5),
        commands.Probe(name="leak"),
        commands.Quit(),
    ):
        assert wire.decode(wire.encode(command)) == command


def test_a_text_with_half_a_pair_and_a_number_that_is_not_finite_arrive() -> None:
    a, b = pair()
    left: Channel[Any, Any] = Channel(a, Vocabulary(HostReply), FROM)
    right: Channel[Any, Any] = Channel(b, FROM, Vocabulary(HostReply))
    for text in ("plain", "half \ud83d", "name\udcff"):
        line = TextLine(text=text, confidence=math.nan, box=Rect(0, 0, 1, 1))
        left.send(TextRead(request_id=1, text=text, lines=(line,), confidence=math.inf, took_ms=1.0))
        ((read, _),) = right.wait(60)
        assert read.text == read.lines[0].text == valid_text(text)
        assert math.isnan(read.lines[0].confidence) and read.confidence == math.inf
    left.close()
    right.close()


def test_a_message_that_is_too_big_is_refused_and_the_channel_lives(ends: Any) -> None:
    left, right = ends
    with pytest.raises(UnsendableMessage, match="too big"):
        left.send(injection.Heartbeat(), bytes(MAX_MESSAGE_BYTES))
    left.send(injection.Rearm())
    assert isinstance(right.wait(60)[0][0], injection.Rearm)
