"""Priorities, deadlines and cancelling, in a real host whose replies could go on for ever."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.host.host_driver import HostProcess, chat_message

from pitwall.core.errors import ChannelClosed
from pitwall.models.host_requests import (
    Cancel,
    Complete,
    Completed,
    Embed,
    HostFault,
    Loaded,
    LoadModel,
    Priority,
    ReadText,
    TextRead,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec
from workshop.fixtures.processes import KILLED, kill

ENDLESS = "root ::= [a-z] root"
GO = chat_message("user", "Go on.")
SHORT = 'root ::= "ok"'


def _endless(host: HostProcess, model: ModelSpec, priority: Priority, **limits: object) -> Complete:
    limits = {"grammar": ENDLESS, "max_tokens": 32_000, "slot": priority.name, "priority": priority, **limits}
    return host.request(model, GO, **limits)


def test_a_running_reply_is_cancelled(host: HostProcess, endless: ModelSpec) -> None:
    number = host.send(_endless(host, endless, Priority.STRATEGIC))
    host.until_streamed(number)
    host.send(Cancel(request_id=number))
    reply = host.answer(number)
    assert isinstance(reply, Completed) and reply.finish == "cancelled"
    assert 0 < reply.output_tokens < 32_000 and len(reply.text) >= reply.output_tokens
    again = host.complete(endless, GO, grammar=SHORT, slot=Priority.STRATEGIC.name)
    assert again.text == "ok" and again.cached_tokens > 0


def test_a_prompt_that_is_read_is_cancelled(host: HostProcess, endless: ModelSpec) -> None:
    long = chat_message("user", "state of the doors " * 2500)
    number = host.send(host.request(endless, long, slot="reading", grammar=SHORT))
    time.sleep(0.05)
    host.send(Cancel(request_id=number))
    reply = host.answer(number)
    assert isinstance(reply, Completed) and (reply.finish, reply.text) == ("cancelled", "")
    assert host.complete(endless, GO, grammar=SHORT, slot="reading").text == "ok"


def test_a_waiting_reply_is_cancelled_at_once(host: HostProcess, endless: ModelSpec) -> None:
    running = host.send(_endless(host, endless, Priority.STRATEGIC))
    host.until_streamed(running)
    waiting = host.send(_endless(host, endless, Priority.ANALYSIS))
    embedding = host.send(Embed(request_id=host.number(), model=endless, texts=("a",)))
    host.send(Cancel(request_id=waiting))
    host.send(Cancel(request_id=embedding))
    reply, fault = host.answer(waiting), host.answer(embedding)
    assert isinstance(reply, Completed) and (reply.finish, reply.output_tokens) == ("cancelled", 0)
    assert isinstance(fault, HostFault) and fault.error == "Cancelled"
    host.send(Cancel(request_id=running))
    assert isinstance(host.answer(running), Completed)


def test_deadlines_end_what_runs_and_what_waits(host: HostProcess, endless: ModelSpec) -> None:
    host.complete(endless, GO, grammar=SHORT, slot=Priority.STRATEGIC.name)
    running = host.send(_endless(host, endless, Priority.STRATEGIC, deadline_ms=600))
    host.until_streamed(running)
    waiting = host.send(_endless(host, endless, Priority.ANALYSIS, deadline_ms=50))
    late, slow = host.answer(waiting), host.answer(running)
    assert isinstance(late, Completed) and (late.finish, late.text) == ("deadline", "")
    assert isinstance(slow, Completed) and slow.finish == "deadline" and slow.text
    assert late.took_ms >= 50 and slow.took_ms >= 600
    assert host.replies.index(late) < host.replies.index(slow)


def test_urgent_requests_overtake_waiting_ones(host: HostProcess, endless: ModelSpec) -> None:
    """Reactive before strategic before analysis; equal ones in the order they came."""
    running = host.send(_endless(host, endless, Priority.REACTIVE))
    host.until_streamed(running)
    order = [Priority.ANALYSIS, Priority.STRATEGIC, Priority.REACTIVE, Priority.ANALYSIS, Priority.REACTIVE]
    numbers = [
        host.send(host.request(endless, GO, grammar=SHORT, priority=priority, slot="queue"))
        for priority in order
    ]
    host.send(Cancel(request_id=running))
    for number in numbers:
        host.answer(number)
    answered = [reply.request_id for reply in host.replies if isinstance(reply, Completed)][-5:]
    assert answered == [numbers[2], numbers[4], numbers[1], numbers[0], numbers[3]]


def test_a_reactive_call_does_not_wait_for_a_plan(host: HostProcess, endless: ModelSpec) -> None:
    """The plan is held for a moment between two of its tokens, and goes on undisturbed."""
    alone = host.complete(
        endless, GO, grammar=ENDLESS, max_tokens=400, slot="plan", priority=Priority.STRATEGIC
    )
    for slot in ("fast", "fast"):
        plan = _endless(host, endless, Priority.STRATEGIC, slot="plan", max_tokens=30_000)
        number = host.send(plan)
        host.until_streamed(number)
        quick = host.complete(endless, GO, grammar=SHORT, slot=slot, priority=Priority.REACTIVE)
        assert quick.text == "ok"
        host.send(Cancel(request_id=number))
        reply = host.answer(number)
        assert isinstance(reply, Completed) and host.replies.index(quick) < host.replies.index(reply)
        assert reply.finish == "cancelled" and reply.output_tokens > host.streamed(number)[0].tokens
        length = min(len(alone.text), len(reply.text))
        assert reply.text[:length] == alone.text[:length]


def test_a_request_for_the_same_slot_waits(host: HostProcess, endless: ModelSpec) -> None:
    plan = _endless(host, endless, Priority.STRATEGIC, slot="one", max_tokens=600)
    number = host.send(plan)
    host.until_streamed(number)
    quick = host.send(host.request(endless, GO, grammar=SHORT, slot="one", priority=Priority.REACTIVE))
    first, second = host.answer(number), host.answer(quick)
    assert isinstance(first, Completed) and first.finish == "length"
    assert isinstance(second, Completed) and second.text == "ok"


def test_loading_and_unloading_is_told(host: HostProcess, text: ModelSpec) -> None:
    model = replace(text, name="told")
    before = len(host.replies)
    answer = host.ask(LoadModel(request_id=host.number(), model=model), kind=Loaded)
    (loaded,) = (loaded for loaded in answer.models if loaded.name == "told")
    assert loaded.device == "CPU" and loaded.memory_bytes > 0 and loaded.context == 1024
    announced = [
        message
        for message in host.replies[before:]
        if isinstance(message, Loaded) and message.request_id == 0
    ]
    assert announced[-1].models == answer.models
    after = host.ask(UnloadModel(request_id=host.number(), name="told"), kind=Loaded)
    assert "told" not in {loaded.name for loaded in after.models}
    assert host.loaded().models == after.models
    unknown = host.ask(UnloadModel(request_id=host.number(), name="never heard of"), kind=Loaded)
    assert unknown.models == after.models
    assert host.complete(model, GO, grammar=SHORT).load_ms > 0


def test_text_is_read_while_a_plan_is_written(host: HostProcess, endless: ModelSpec) -> None:
    number = host.send(_endless(host, endless, Priority.REACTIVE))
    host.until_streamed(number)
    reading = ReadText(request_id=host.number(), width=64, height=32)
    reply = host.ask(reading, bytes(64 * 32 * 3), kind=TextRead)
    assert reply.text == ""
    host.send(Cancel(request_id=number))
    ended = host.answer(number)
    assert isinstance(ended, Completed)


def test_a_slow_reader_gets_fewer_and_longer_pieces(host: HostProcess, endless: ModelSpec) -> None:
    request = host.request(endless, GO, grammar=ENDLESS, max_tokens=3000, slot="slow")
    host.send(request)
    time.sleep(0.3)
    reply = host.answer(request.request_id)
    pieces = host.streamed(request.request_id)
    assert isinstance(reply, Completed) and reply.output_tokens == 3000
    assert "".join(piece.text for piece in pieces) == reply.text
    assert len(pieces) < 1500


def test_unknown_numbers_are_cancelled_without_harm(host: HostProcess, text: ModelSpec) -> None:
    host.send(Cancel(request_id=987_654))
    assert host.complete(text, GO, grammar=SHORT).text == "ok"


def test_a_host_killed_while_it_writes_ends_the_channel(tmp_path: Path, endless: ModelSpec) -> None:
    host = HostProcess(tmp_path / "host.log")
    number = host.send(_endless(host, endless, Priority.STRATEGIC))
    host.until_streamed(number)
    kill(host.child.pid)
    with pytest.raises(ChannelClosed):
        while True:
            host.hear(5.0)
    assert host.close() == KILLED


def test_a_host_whose_asker_is_gone_ends_while_it_writes(tmp_path: Path, endless: ModelSpec) -> None:
    host = HostProcess(tmp_path / "host.log", ["--data", str(tmp_path)])
    number = host.send(_endless(host, endless, Priority.STRATEGIC))
    host.until_streamed(number)
    assert host.close() == 0
    assert host.child.last_words() == ""
