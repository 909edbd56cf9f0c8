"""The host's parts that need no model: the queue, the outbox, the writer, the slot's arithmetic."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.host.backends.gguf.text_stream import TextStream
from pitwall.host.requests.job import Job, JobQueue, Outbox
from pitwall.models.host_requests import (
    Complete,
    Completed,
    HostFault,
    Loaded,
    Priority,
    Streamed,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec

MODEL = ModelSpec(name="m", kind="gguf")


def _job(
    number: int, outbox: Outbox, priority: Priority = Priority.STRATEGIC, deadline_ms: int = 60_000
) -> Job:
    request = Complete(
        request_id=number, model=MODEL, messages=(), priority=priority, deadline_ms=deadline_ms
    )
    return Job(request, b"", outbox)


@pytest.fixture
def outbox() -> Iterator[Outbox]:
    """An empty one."""
    outbox = Outbox()
    yield outbox
    outbox.close()


def test_waiting_jobs_come_by_priority_then_age(outbox: Outbox) -> None:
    waiting = JobQueue()
    order = [Priority.ANALYSIS, Priority.REACTIVE, Priority.STRATEGIC, Priority.REACTIVE]
    jobs = [_job(number, outbox, priority) for number, priority in enumerate(order)]
    for job in jobs:
        waiting.add(job)
    jobs[3].answer_stopped()
    taken = [waiting.take() for _ in range(3)]
    assert taken == [jobs[1], jobs[2], jobs[0]]
    waiting.close()
    assert waiting.take() is None


def test_only_more_urgent_jobs_that_fit_are_taken_early(outbox: Outbox) -> None:
    waiting = JobQueue()
    first, second = (_job(number, outbox, Priority.REACTIVE) for number in (1, 2))
    waiting.add(_job(0, outbox, Priority.STRATEGIC))
    assert waiting.take_above(Priority.STRATEGIC, lambda _: True) is None
    waiting.add(first)
    waiting.add(second)
    assert waiting.take_above(Priority.STRATEGIC, lambda job: job is second) is second
    assert waiting.take_above(Priority.STRATEGIC, lambda job: job is second) is None
    assert waiting.take() is first


def test_a_job_is_answered_once_by_whoever_comes_first(outbox: Outbox) -> None:
    job = _job(7, outbox, deadline_ms=0)
    job.grow("ab", 2)
    assert job.stopped == "deadline"
    job.stop("cancelled")
    job.answer_stopped()
    job.grow("late", 3)
    job.answer(HostFault(request_id=7, what="late"))
    (piece, _), (reply, _) = outbox.take(pieces=True)
    assert isinstance(piece, Streamed) and (piece.text, piece.tokens) == ("ab", 2)
    assert isinstance(reply, Completed)
    assert (reply.finish, reply.text, reply.output_tokens) == ("deadline", "ab", 2)
    assert outbox.take(pieces=True) == []


def test_a_job_without_a_reply_is_stopped_by_a_fault(outbox: Outbox) -> None:
    job = Job(UnloadModel(request_id=3, name="m"), b"", outbox)
    closed: list[str] = []
    job.on_stop(lambda: closed.append("early"))
    job.stop("cancelled")
    job.on_stop(lambda: closed.append("late"))
    assert closed == ["early", "late"]
    job.answer_stopped()
    ((fault, _),) = outbox.take(pieces=False)
    assert isinstance(fault, HostFault) and fault.error == "Cancelled"


def test_pieces_are_gathered_until_they_are_taken(outbox: Outbox) -> None:
    for number in range(100):
        outbox.put_piece(1, "x", number + 1)
    outbox.put_piece(2, "y", 1)
    assert outbox.take(pieces=False) == [] and outbox.has_pieces
    outbox.put(Loaded(request_id=2))
    letters = [letter for letter, _ in outbox.take(pieces=True)]
    assert letters == [
        Streamed(request_id=2, text="y", tokens=1),
        Loaded(request_id=2),
        Streamed(request_id=1, text="x" * 100, tokens=100),
    ]
    assert not outbox.has_pieces


def test_the_bell_rings_for_every_letter_that_waits(outbox: Outbox) -> None:
    def rung() -> bool:
        return bool(select.select([outbox.fileno()], [], [], 0)[0])

    assert not rung()
    threads = [threading.Thread(target=lambda n=n: outbox.put(Loaded(request_id=n))) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rung()
    assert len(outbox.take(pieces=True)) == 8 and not rung()
    outbox.put_piece(1, "x", 1)
    assert rung()


def test_whoever_puts_after_the_end_is_not_heard() -> None:
    outbox = Outbox()
    outbox.close()
    outbox.put(Loaded(request_id=9))
    outbox.put_piece(1, "x", 1)


@given(st.text(max_size=40), st.integers(1, 4))
def test_a_writer_passes_every_character_whole(text: str, size: int) -> None:
    text = text.encode("utf-8", "replace").decode()
    raw = text.encode()
    writer = TextStream()
    parts = [writer.add(raw[at : at + size]) for at in range(0, len(raw), size)]
    assert "".join(parts) + writer.finish() == text
    assert all("\ufffd" not in part or "\ufffd" in text for part in parts)


@given(st.text("ab#", max_size=30), st.lists(st.text("ab#", min_size=1, max_size=4), max_size=3))
def test_a_writer_ends_before_the_first_stop_text(text: str, stops: list[str]) -> None:
    writer = TextStream(stops)
    shown = ""
    for letter in text:
        shown += writer.add(letter.encode())
        if writer.ended:
            break
    shown += writer.finish()
    ends = [text.find(stop) + len(stop) for stop in stops if stop in text]
    if not ends:
        assert shown == text and not writer.ended
    else:
        whole = text[: min(ends)]
        cut = min(whole.find(stop) for stop in stops if stop in whole)
        assert shown == text[:cut] and writer.ended


def test_bytes_that_are_no_text_become_marks() -> None:
    writer = TextStream()
    assert writer.add(b"a\xff") + writer.add(b"\xe6\xbc") + writer.finish() == "a\ufffd\ufffd"
