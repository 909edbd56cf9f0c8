"""Failure levels F0 … F3, and the trace of failures that the planner gets as negative evidence.

F1, one local problem: the reactive controller retries within bounds. F2, an execution error, an
invalid action, an effect that was not seen `PATIENCE` times in a row, or a low-progress loop: the
trigger escalates. F3, `HARD_LIMIT` such errors without recovery between them: the agent's context
misleads it, so it is flushed and the plan starts from the top. Each confirmed effect lowers the
level by one. A refusal by the environment (lost focus, the operator's stop) is no failure of the
agent and changes nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from pitwall.core.actions import Effect, Invalid, Refusal, SemanticAction, skill_of
from pitwall.core.signals import Failure
from pitwall.models.replies.plan import Reflection

PATIENCE = 3
"""Unverified effects in a row that turn a local problem into an error (choice)."""
HARD_LIMIT = 3
"""Errors without recovery that make a hard failure (choice)."""
TRACE_LENGTH = 8
"""Number of the newest failures that are kept for the planner (choice)."""

ENVIRONMENT = frozenset(
    {
        Refusal.FOCUS,
        Refusal.POINTER,
        Refusal.STALE,
        Refusal.LATCHED,
        Refusal.DISARMED,
        Refusal.WINDOW_GONE,
        Refusal.MODIFIER,
    }
)
"""Refusals by the environment, which are no mistake of the plan."""
LOCAL = frozenset({Refusal.RATE, Refusal.HELD_CAP})
"""Refusals that a slower or simpler action avoids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one step's action.

    Attributes:
        source: the source of the proposal that the action came from.
        refusals: why the gate refused events of it; empty where it sent all.
        progressed: whether the progress counter grew; then the effect counts as seen.
        gained: it grew by more than a move or an effect (`trigger.progress.GAINS`).
    """

    step: int
    action: SemanticAction
    effect: Effect
    source: str = ""
    refusals: tuple[Refusal, ...] = ()
    invalid: Invalid | None = None
    progressed: bool = False
    gained: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureNote:
    """A line of the failure trace.

    Attributes:
        number: 1, 2, 3 … over the run, so that a reader knows which lines are new.
        action: text of the action that failed; empty where the plan as a whole did.
        problem: in words, for a prompt and for the operator.
        transient: a local problem that a retry may have solved: no evidence against the plan.
    """

    number: int
    step: int
    action: str
    source: str
    problem: str
    transient: bool = False

    @property
    def skill(self) -> str:
        """Return the name of the stored skill that the plan carried out, empty for none."""
        return skill_of(self.source)


class FailureTracker:
    """Keeps the level and the trace of one run."""

    def __init__(self) -> None:
        self._level = Failure.NONE
        self._unverified = 0
        self._errors = 0
        self._count = 0
        self._trace: deque[FailureNote] = deque(maxlen=TRACE_LENGTH)

    @property
    def level(self) -> Failure:
        return self._level

    @property
    def trace(self) -> tuple[FailureNote, ...]:
        return tuple(self._trace)

    def note(self, outcome: Outcome) -> Failure:
        """Note the outcome of a step, and return the level after it."""
        refusals = set(outcome.refusals) - ENVIRONMENT
        if outcome.invalid is not None:
            self._error(outcome, f"invalid action ({outcome.invalid.value})")
        elif refusals - LOCAL:
            self._error(outcome, f"refused ({', '.join(sorted(refusals - LOCAL))})")
        elif refusals:
            self._local(outcome, f"refused ({', '.join(sorted(refusals))})")
        elif outcome.effect is Effect.CONFIRMED or (outcome.progressed and not outcome.refusals):
            self._recover()
        elif outcome.effect is Effect.UNVERIFIED and not outcome.refusals:
            self._unverified += 1
            if self._unverified >= PATIENCE:
                self._error(outcome, f"no effect seen {self._unverified} times in a row")
            else:
                self._local(outcome, "no effect seen")
        return self._level

    def plan_failed(self, *, step: int, action: str, source: str, problem: str) -> Failure:
        """Note an error of the running plan: a low-progress loop, or failed local corrections.

        Returns:
            The level after it.
        """
        self._raise()
        self._write(step, action, source, problem)
        return self._level

    def reflected(self, verdict: Reflection, *, step: int, action: str, source: str, seen: bool) -> None:
        """Take a sure reflection on a step: its failure level, and an effect that was none after all.

        Args:
            seen: the step's effect had counted as seen.
        """
        problem = verdict.cause or "no effect, by reflection"
        if seen and not verdict.effect:
            self._unverified += 1
            self._level = max(self._level, Failure.LOCAL)
        if self._unverified >= PATIENCE or (
            verdict.failure >= Failure.ERROR and self._level < verdict.failure
        ):
            self._raise()
            self._level = max(self._level, verdict.failure)
            self._write(step, action, source, problem)
        elif verdict.failure >= Failure.LOCAL or (seen and not verdict.effect):
            self._level = max(self._level, Failure.LOCAL)
            self._write(step, action, source, problem, transient=True)

    def stall(self, *, step: int, source: str, steps: int) -> None:
        """Note a lack of progress: evidence against the running plan, but against no single action."""
        self._write(step, "", source, f"no progress for {steps} steps")

    def replanned(self, *, again: bool = False) -> None:
        """Note that the planner, which knew this trace, made a plan: the new plan gets its own chance.

        F2 becomes F1, so the same errors do not escalate again; F3 ends, with trace and counts.

        Args:
            again: it continues the same skill, so the count of unseen effects continues too.
        """
        self._unverified = self._unverified if again else 0
        if self._level is Failure.HARD:
            self.reset()
        elif self._level is Failure.ERROR:
            self._level = Failure.LOCAL

    def reset(self) -> None:
        """Return to F0 with an empty trace (a new run, a flush). The numbering of notes continues."""
        self._level = Failure.NONE
        self._unverified = self._errors = 0
        self._trace.clear()

    def _recover(self) -> None:
        self._unverified = 0
        if self._level is Failure.NONE:
            self._errors = max(0, self._errors - 1)
        else:
            self._level = Failure(self._level - 1)

    def _local(self, outcome: Outcome, problem: str) -> None:
        self._level = max(self._level, Failure.LOCAL)
        self._write(outcome.step, str(outcome.action), outcome.source, problem, transient=True)

    def _error(self, outcome: Outcome, problem: str) -> None:
        self._raise()
        self._write(outcome.step, str(outcome.action), outcome.source, problem)

    def _raise(self) -> None:
        self._unverified = 0
        self._errors += 1
        self._level = Failure.HARD if self._errors >= HARD_LIMIT else max(self._level, Failure.ERROR)

    def _write(self, step: int, action: str, source: str, problem: str, *, transient: bool = False) -> None:
        self._count += 1
        note = FailureNote(
            number=self._count, step=step, action=action, source=source, problem=problem, transient=transient
        )
        self._trace.append(note)
