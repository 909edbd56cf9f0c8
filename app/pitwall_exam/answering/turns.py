"""Turns of an episode in words, from the agent's own record: for models and for the open book."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pitwall.core.steps import StepRecord
from pitwall_exam.answering.run_record import RunRecord
from pitwall_exam.episode.states import format_state

_PICTURES = {".png", ".jpg", ".jpeg"}
_LARGEST_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of the episode.

    Attributes:
        before: the state in which it was decided, in words. picture: of that state, PNG or JPEG; empty: none.
    """

    step: int
    action: str
    reason: str
    before: str
    picture: bytes = b""


def last_turns(recorded: RunRecord, *, last: int, most: int, folder: str = "") -> tuple[Turn, ...]:
    """Return the last turns up to a step, oldest first.

    Args:
        most: how many; 0: all.
        folder: folder of the run's pictures; empty: without pictures.
    """
    first = max(1, last - most + 1) if most else 1
    trace = recorded.records[0].trace
    turns = []
    for number in range(first, last + 1):
        moment = trace.at(number)
        if moment is None:
            continue
        picture = _picture(Path(folder), recorded.steps[number - 1]) if folder else b""
        turns.append(Turn(number, moment.action, moment.reason, format_state(moment.before), picture))
    return tuple(turns)


def turn_text(turn: Turn, *, with_reason: bool = True) -> str:
    """Write a step on one line, or on several if a text game printed several."""
    reason = f" Reason: {turn.reason}" if turn.reason and with_reason else ""
    return f"Step {turn.step}: {turn.before} Action: {turn.action}.{reason}"


def _picture(folder: Path, step: StepRecord) -> bytes:
    """Read a step's picture; empty if none was kept, or if it is gone."""
    path = folder / step.frame_ref
    if not step.frame_ref or path.suffix.lower() not in _PICTURES:
        return b""
    try:
        return path.read_bytes() if path.stat().st_size <= _LARGEST_BYTES else b""
    except OSError:
        return b""
