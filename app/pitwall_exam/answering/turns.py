"""Turns of an episode in words, from the agent's own record: for models and for the open book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pitwall.core.steps import StepRecord
from pitwall_exam.answering.run_record import RunRecord
from pitwall_exam.episode.remembered import statements_of_state
from pitwall_exam.episode.states import format_state, outcome_of

_PICTURES = {".png", ".jpg", ".jpeg"}
_LARGEST_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Turn:
    """Describes a step of the episode, or the state after its last step.

    Attributes:
        before: the state in which it was decided, in words. picture: of that state, PNG or JPEG; empty: none.
        known: that state as statements: subject → value.
        is_outcome: this is the state after the last step, in which nothing is decided.
    """

    step: int
    action: str
    reason: str
    before: str
    picture: bytes = b""
    known: Mapping[str, str] = field(default_factory=dict)
    is_outcome: bool = False


def last_turns(recorded: RunRecord, *, last: int, most: int, folder: str = "") -> tuple[Turn, ...]:
    """Return the last turns up to a step, oldest first, and the outcome of that step.

    Args:
        most: how many, the outcome apart; 0: all.
        folder: folder of the run's pictures; empty: without pictures.
    """
    first = max(1, last - most + 1) if most else 1
    turns: list[Turn] = []
    moment = None
    for moment in recorded.records[0].trace.between(first, last):
        turns.append(_turn(recorded, moment.step, moment.before, folder, moment.action, moment.reason))
    if moment is not None:
        turns.append(_turn(recorded, moment.step + 1, outcome_of(moment.after), folder, is_outcome=True))
    return tuple(turns)


def turn_text(turn: Turn, *, with_reason: bool = True) -> str:
    """Write a step on one line, or on several if a text game printed several."""
    if turn.is_outcome:
        return f"After step {turn.step - 1}: {turn.before}"
    reason = f" Reason: {turn.reason}" if turn.reason and with_reason else ""
    return f"Step {turn.step}: {turn.before} Action: {turn.action}.{reason}"


def _turn(
    recorded: RunRecord,
    step: int,
    state: object,
    folder: str,
    action: str = "",
    reason: str = "",
    *,
    is_outcome: bool = False,
) -> Turn:
    picture = _picture(Path(folder), recorded.steps[step - 1]) if folder else b""
    known = statements_of_state(state)
    return Turn(step, action, reason, format_state(state), picture, known, is_outcome)


def _picture(folder: Path, step: StepRecord) -> bytes:
    """Read a step's picture; empty if none was kept, or if it is gone."""
    path = folder / step.frame_ref
    if not step.frame_ref or path.suffix.lower() not in _PICTURES:
        return b""
    try:
        return path.read_bytes() if path.stat().st_size <= _LARGEST_BYTES else b""
    except OSError:
        return b""
