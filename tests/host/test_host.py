"""The host process: real pictures, bad ones, and its death. The link to it from the engine's side."""

from __future__ import annotations

import select
import socket
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from pitwall.core.errors import ChildDied
from pitwall.core.frames import Pixels
from pitwall.engine.inference.host_link import HostLink
from pitwall.link.channel import CHANNEL_OPTION, pair
from pitwall.link.child_process import Child
from pitwall.models.host_requests import HostFault, ReadText, TextRead
from workshop.fixtures.processes import ENDS_AT_ONCE, KILLED_IN_WORDS, kill, wait_until_dead

LONG_S = 180.0


def _picture(*lines: str, width: int = 460) -> Pixels:
    """Lines of white text on dark blue, BGR."""
    picture = np.full((20 + 50 * len(lines), width, 3), (70, 30, 10), np.uint8)
    for row, line in enumerate(lines):
        cv2.putText(picture, line, (12, 45 + 50 * row), cv2.FONT_HERSHEY_SIMPLEX, 1, (255, 255, 255), 2)
    return picture


def _ask(link: HostLink, request_id: int, picture: Pixels, blob: bytes | None = None) -> bool:
    height, width = picture.shape[:2]
    request = ReadText(request_id=request_id, width=width, height=height)
    return link.send(request, picture.tobytes() if blob is None else blob)


def _replies(link: HostLink, count: int = 1) -> list[TextRead | HostFault]:
    """The next replies, waiting on the link's own file number."""
    replies: list[TextRead | HostFault] = []
    deadline = time.monotonic() + LONG_S
    while len(replies) < count:
        left = deadline - time.monotonic()
        assert left > 0, "the host did not answer"
        fileno = link.fileno()
        assert fileno is not None, f"the host is gone: {link.faults()}"
        select.select([fileno], [], [], min(left, 0.2))
        replies += [reply for reply in link.pump() if isinstance(reply, TextRead | HostFault)]
    return replies


def _until_lost(link: HostLink) -> None:
    deadline = time.monotonic() + LONG_S
    while link.fileno() is not None:
        assert time.monotonic() < deadline
        link.pump()
        time.sleep(0.01)


def test_text_is_read_with_its_place_and_confidence(link: HostLink) -> None:
    assert link.fileno() is None and link.pid is None
    assert _ask(link, 7, _picture("Score: 1234", "LEVEL 3"))
    (reply,) = _replies(link)
    assert isinstance(reply, TextRead)
    assert (reply.request_id, reply.text) == (7, "Score: 1234\nLEVEL 3")
    assert reply.confidence > 0.8 and reply.took_ms > 0
    first, second = (line.box for line in reply.lines)
    assert first.bottom <= second.y + 10 and first.contains(60, 35)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_host_that_reads_text_never_loads_llama(link: HostLink) -> None:
    _ask(link, 1, _picture("HELLO"))
    _replies(link)
    maps = Path(f"/proc/{link.pid}/maps").read_text()
    assert "onnxruntime" in maps and "libllama" not in maps


def test_bad_pictures_are_answered_and_the_host_lives_on(link: HostLink) -> None:
    good = _picture("GAME OVER")
    _ask(link, 1, good, blob=b"short")
    _ask(link, 2, np.zeros((0, 5, 3), np.uint8))
    _ask(link, 3, np.zeros((1, 1, 3), np.uint8))
    _ask(link, 4, np.zeros((40, 200, 3), np.uint8))
    _ask(link, 5, good)
    short, empty, pixel, blank, last = _replies(link, 5)
    assert isinstance(short, HostFault) and short.request_id == 1
    assert "5 bytes" in short.what and "Traceback" in short.traceback
    assert isinstance(empty, HostFault)
    assert isinstance(pixel, TextRead) and pixel.text == ""
    assert isinstance(blank, TextRead) and (blank.text, blank.lines, blank.confidence) == ("", (), 1.0)
    assert isinstance(last, TextRead) and last.text == "GAME OVER"


def test_a_killed_host_is_told_once_and_started_again(link: HostLink) -> None:
    picture = _picture("HELLO")
    _ask(link, 1, picture)
    _replies(link)
    assert link.generation == 1 and link.pid is not None
    kill(link.pid)
    _until_lost(link)
    (fault,) = link.faults()
    assert isinstance(fault, ChildDied) and KILLED_IN_WORDS in fault.what
    assert link.faults() == []
    assert _ask(link, 2, picture) is False, "its back-off has not passed"
    deadline = time.monotonic() + LONG_S
    while not _ask(link, 3, picture):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    (reply,) = _replies(link)
    assert isinstance(reply, TextRead) and reply.request_id == 3
    assert link.generation == 2


def test_a_host_that_keeps_dying_is_told_once_and_tried_less_and_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", ENDS_AT_ONCE)
    link = HostLink(tmp_path, back_off_ms=20)
    picture, gaps, before = _picture("HELLO"), [], time.monotonic()
    for start in range(1, 5):
        while link.generation < start:  # a program that is gone already refuses the request too
            _ask(link, 1, picture)
            assert time.monotonic() - before < LONG_S
            time.sleep(0.002)
        gaps.append(time.monotonic() - before)
        before = time.monotonic()
        _until_lost(link)
    assert gaps[3] >= 0.08 and gaps[2] >= 0.04
    assert len(link.faults()) == 1


def test_closing_ends_the_process(link: HostLink) -> None:
    _ask(link, 1, _picture("HELLO"))
    _replies(link)
    pid = link.pid
    assert pid is not None
    link.close()
    assert wait_until_dead(pid, 5.0)
    assert link.fileno() is None
    link.close()


def test_the_host_ends_with_its_parents_end_of_the_channel(tmp_path: Path) -> None:
    ours, theirs = pair()
    child = Child("host", sockets={CHANNEL_OPTION: theirs}, log=tmp_path / "host.log")
    ours.close()
    assert child.process.wait(LONG_S) == 0
    assert child.last_words() == ""


def test_nonsense_on_the_channel_ends_it_with_a_sentence(tmp_path: Path) -> None:
    ours, theirs = pair()
    child = Child("host", sockets={CHANNEL_OPTION: theirs}, log=tmp_path / "host.log")
    body = b'{"kind":"dance"}'
    ours.sendall(len(body).to_bytes(4, "big") + (0).to_bytes(4, "big") + body)
    ours.shutdown(socket.SHUT_WR)
    assert child.process.wait(LONG_S) == 1
    assert "no message of this version" in child.last_words()
    ours.close()
