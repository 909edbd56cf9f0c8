"""Finds where a run was lost, and what got it out, from its recorded steps alone (SPEC §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pitwall.core.actions import NO_OP
from pitwall.core.observations import GameStatus
from pitwall.core.signals import Failure, Reason
from pitwall.core.steps import StepRecord
from pitwall.models.replies.plan import MOST_ACTIONS
from pitwall.store.run_metrics import is_stuck

LEAST_LOST = 2
"""Number of successive steps without progress that count as lost (choice)."""
BEFORE_END = 6
"""Steps before an end of the game that are shown (choice)."""

Kind = Literal["looped", "failed", "stalled", "stuck", "idle", "ended"]
KIND_WORDS: dict[Kind, str] = {
    "looped": "went round in a loop",
    "failed": "failed",
    "stalled": "stalled",
    "stuck": "was stuck",
    "idle": "made no progress",
    "ended": "went on until the game ended",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a run in which the agent was lost.

    Attributes:
        kind: kind of trouble.
        start: index of its first step in the run, from 0 (step numbers count from 1).
        steps: the lost steps, in order.
        after: up to five steps of one plan that made progress again; empty if there were none, or if the
            agent only repeated what it had done before.
        ended_by: event that ended the segment, in words.
    """

    kind: Kind
    start: int
    steps: tuple[StepRecord, ...]
    after: tuple[StepRecord, ...] = ()
    ended_by: str = ""

    @property
    def recovered(self) -> bool:
        return bool(self.after)

    @property
    def span(self) -> str:
        """Return the steps in words: "step 4" or "steps 4–7"."""
        first, last = self.steps[0].step, self.steps[-1].step
        return f"step {first}" if first == last else f"steps {first}–{last}"

    @property
    def place(self) -> tuple[str, ...]:
        """Return a key that segments with the same trouble and the same way out share."""
        lost = sorted({step.action.name for step in self.steps})
        return (self.steps[0].status.value, *lost, "→", *(step.action.name for step in self.after[:1]))


# ---- reading a run


def gains(steps: Sequence[StepRecord]) -> list[int]:
    """Return the progress counter's growth by each step; 0 for the last one, whose outcome is not known."""
    counts = [step.signals.progress for step in steps]
    return [after - before for before, after in pairwise(counts)] + [0] * bool(counts)


def lost_segments(steps: Sequence[StepRecord]) -> list[Segment]:
    """Return the parts of a run in which the agent was lost, in order.

    It was stuck, stalled, looped, failed, made no progress, or came to an end of the game.

    Args:
        steps: of one run, in order.
    """
    grown = gains(steps)
    lost = [_is_lost(step, gain) for step, gain in zip(steps, grown, strict=True)]
    if lost:
        lost[-1] = is_stuck(steps[-1])
    segments = []
    at = 0
    while at < len(steps):
        if not lost[at]:
            at += 1
            continue
        end = at
        while end + 1 < len(steps) and lost[end + 1] and steps[end + 1].status is steps[at].status:
            end += 1
        segment = _segment(steps, grown, at, end)
        if segment is not None:
            segments.append(segment)
        at = end + 1
    segments += _ends(steps)
    return sorted(segments, key=lambda segment: (segment.start, segment.kind))


def recoveries(segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments that the agent got out of."""
    return [segment for segment in segments if segment.recovered]


def _is_lost(step: StepRecord, gain: int) -> bool:
    """Return whether a step was lost.

    A blocked move is lost even if something else made progress meanwhile.
    """
    return gain <= 0 or is_stuck(step)


def _segment(steps: Sequence[StepRecord], grown: Sequence[int], first: int, last: int) -> Segment | None:
    part = tuple(steps[first : last + 1])
    following = steps[last + 1] if last + 1 < len(steps) else None
    kind = _kind(part, following)
    if kind is None:
        return None
    after = _after(steps, grown, last + 1, {str(step.action) for step in part}, part[0].status)
    return Segment(
        kind=kind, start=first, steps=part, after=after, ended_by=_ended_by(part[-1], following, after)
    )


def _kind(part: Sequence[StepRecord], following: StepRecord | None) -> Kind | None:
    """Return the worst trouble of a part; None if there was too little."""
    seen = [*part, following] if following is not None else part
    reasons = {reason for step in seen for reason in step.reasons}
    if Reason.LOOP in reasons:
        return "looped"
    if Reason.FAILURE in reasons or any(step.signals.failure >= Failure.ERROR for step in seen):
        return "failed"
    if Reason.STALL in reasons:
        return "stalled"
    if any(is_stuck(step) for step in part):
        return "stuck"
    return "idle" if len(part) >= LEAST_LOST else None


def _after(
    steps: Sequence[StepRecord], grown: Sequence[int], first: int, lost: set[str], status: GameStatus
) -> tuple[StepRecord, ...]:
    """Return the steps of one plan that ended the trouble, each with progress, first a new action."""
    if first >= len(steps) or str(steps[first].action) in lost or steps[first].action == NO_OP:
        return ()
    plan = _plan(steps[first])
    segments = []
    for step, gain in zip(steps[first : first + MOST_ACTIONS], grown[first:], strict=False):
        if gain <= 0 or step.status is not status or _plan(step) != plan or is_stuck(step):
            break
        segments.append(step)
    return tuple(segments)


def _plan(step: StepRecord) -> int | None:
    return step.proposal.proposal_id if step.proposal is not None else None


def _ended_by(last: StepRecord, following: StepRecord | None, after: Sequence[StepRecord]) -> str:
    if following is None:
        return "the run ended"
    if following.status is not last.status:
        return f"the game went from {last.status.value} to {following.status.value}"
    if after:
        return f"{', '.join(str(step.action) for step in after)} made progress"
    return f"{following.action} went on from there"


def _ends(steps: Sequence[StepRecord]) -> list[Segment]:
    """Return the last steps before each end of the game."""
    segments = []
    for at in range(1, len(steps)):
        if steps[at].status is not GameStatus.TERMINAL or steps[at - 1].status is GameStatus.TERMINAL:
            continue
        first = at
        while first > max(0, at - BEFORE_END) and steps[first - 1].status is steps[at - 1].status:
            first -= 1
        segments.append(
            Segment(kind="ended", start=first, steps=tuple(steps[first:at]), ended_by="the game ended")
        )
    return segments
