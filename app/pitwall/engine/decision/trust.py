"""Earned control: a model drives once it has earned it; until then it is tried at a bounded rate (SPEC §2).

A conservative bandit (after Wu et al. 2016). The baseline is the player without a model: the skill planner.
A choice that the skills would make too (`both`) risks nothing, and counts as a try only if the model is slow.
A different choice is a try of at most s steps. In each kind of situation, after n steps beside this model and
with the baseline's share p of steps with progress:

    lack = tries' steps − tries' steps with progress / p, + s for each harm beyond the baseline's rate
    a try may begin while  lack + s ≤ T0 s + αn;  before the model earned it, also  (tries + 1) s ≤ T0 s + αn

So the tries cost at most T0 s + αn steps' worth of the baseline's progress, whatever the model does. The
model has earned a kind of situation once both it and the baseline are known there and it does no worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pitwall.core.actions import skill_of
from pitwall.core.confidence_intervals import share_difference, wilson
from pitwall.core.model_telemetry import SITUATION_WORDS, Driver, Situation, Tally, TrustPin
from pitwall.core.observations import GameStatus
from pitwall.core.signals import Reason
from pitwall.core.telemetry import TrustNote
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.memory.track_record import TrackRecord

FIRST_TRIES = 1
"""T0, our choice."""
TRY_SHARE = 0.05
"""α, our choice."""
TRY_STEPS = 4
"""s, our choice."""
SLOW_MS = 2_000
"""From this mean answer time on, a model that agrees with the skills is not worth asking (our choice)."""
EXPLORER = "default agent"
"""The baseline of a game whose profile does not say how to play it."""
MOST_BARREN = 2
"""So many steps without progress in a row end a try early (our choice)."""
LEAST_STEPS = 20
"""A driver is known in a kind of situation after so many steps (our choice)."""
LEAST_GAINS = 3
"""A comparison of gains needs at least so many expected of the baseline (our choice)."""
TOLERANCE = 0.1
"""A model that brings up to this share less than the baseline counts as equally good (our choice)."""
_STUCK = frozenset({Reason.STALL, Reason.LOOP, Reason.FAILURE})


def situation_of(request: PlanRequest) -> Situation:
    """Return the kind of situation that a plan is asked for in."""
    if request.status is not GameStatus.PLAYING:
        return Situation.AWAY
    return Situation.STUCK if _STUCK & set(request.reasons) else Situation.GOING


@dataclass(slots=True)
class _Segment:
    """The steps of one decision: their tally, and the number of steps without progress in a row."""

    tally: Tally
    status: GameStatus
    barren: int = 0


class Trust:
    """Decides who may drive, and counts the outcomes.

    Args:
        record: the known tallies. keep: takes each decision's tally; None: known for this run alone.
        tell: sends telemetry.

    Attributes:
        model: identity of the model: a file's hash, or an endpoint; empty: no model is chosen.
        pin: the operator's choice: "earned", or who drives.
        baseline: name of the player without a model.
        why: the reason for who drives, as one sentence.
    """

    def __init__(
        self,
        record: TrackRecord | None = None,
        *,
        keep: Callable[[str, Tally], None] | None = None,
        tell: Callable[[Any], None] = lambda _: None,
        baseline: str = "skills",
    ) -> None:
        self.baseline = baseline
        self._record = record or TrackRecord()
        self._keep = keep or self._record.add
        self._tell = tell
        self.model = ""
        self.pin: TrustPin = "earned"
        self.why = ""
        self._segment: _Segment | None = None
        self._tried: tuple[Situation, int] | None = None

    # ---- who may drive

    def asks(self, situation: Situation) -> bool:
        """Return whether the model is asked and may drive."""
        if self.pin != "earned":
            self.why = f"The operator lets the {self.pin} drive."
            return self.pin == "model"
        allowed = self.room(situation)
        asked = self.lack(situation) + TRY_STEPS <= allowed and (
            self.earned(situation) or (self._tries(situation) + 1) * TRY_STEPS <= allowed
        )
        self.why = self._reason(situation, asked=asked)
        return asked

    def earned(self, situation: Situation) -> bool:
        """Return whether the model does no worse than the baseline here, both being known."""
        model, base = self._model(situation), self._base(situation)
        if min(model.steps, base.steps) < LEAST_STEPS:
            return False
        return all(
            _no_worse(model.steps, ours, base.steps, theirs)
            for ours, theirs in ((model.progressed, base.progressed), (model.gained, base.gained))
        )

    def lack(self, situation: Situation) -> float:
        """Return how many steps' worth of the baseline's progress the model's tries lacked."""
        model, base = self._model(situation), self._base(situation)
        rate = (base.progressed + 1) / (base.steps + 1)
        harms = max(0.0, model.harms - base.harms / max(1, base.steps) * model.steps)
        return max(0.0, model.steps - model.progressed / rate) + TRY_STEPS * harms

    def room(self, situation: Situation) -> float:
        """Return how many steps' worth tries may cost by now."""
        return FIRST_TRIES * TRY_STEPS + TRY_SHARE * self._steps(situation)

    @property
    def consults(self) -> bool:
        """Return whether a model may choose among the actions of the plan in force."""
        return self._segment is None or self._segment.tally.driver != "skills"

    @property
    def try_over(self) -> bool:
        """Return whether the current try has used up its steps, or brings nothing."""
        segment = self._segment
        if segment is None or self.pin != "earned" or segment.tally.driver != "model":
            return False
        if self.earned(segment.tally.situation):
            return False
        return segment.tally.steps >= TRY_STEPS or segment.barren >= MOST_BARREN

    # ---- outcomes

    def begin(self, driver: Driver | None, request: PlanRequest, *, ms: float = 0.0, tokens: int = 0) -> None:
        """Begin a decision whose steps count for its driver; None: control is not earned."""
        self.end()
        if driver is None:
            return
        tally = Tally(driver=driver, situation=situation_of(request), decisions=1)
        if driver != "skills":
            tally = replace(tally, ms=ms, tokens=tokens)
        self._segment = _Segment(tally, request.status)
        self._tell(
            TrustNote(driver=driver, pin=self.pin, why=self.why, tallies=self._record.tallies(self.model))
        )

    def deviated(self) -> None:
        """Count the following steps for the model alone: it left the plan that both had chosen."""
        segment = self._segment
        if segment is not None and segment.tally.driver == "both":
            self.end()
            tally = Tally(driver="model", situation=segment.tally.situation, decisions=1)
            self._segment = _Segment(tally, segment.status)

    def note(self, outcome: Outcome) -> None:
        """Count the outcome of a step."""
        segment = self._segment
        if segment is None:
            return
        counted = replace(
            segment.tally,
            steps=segment.tally.steps + 1,
            progressed=segment.tally.progressed + outcome.progressed,
            gained=segment.tally.gained + outcome.gained,
        )
        segment.tally = counted
        segment.barren = 0 if outcome.progressed else segment.barren + 1
        if self._tried is not None and outcome.step >= self._tried[1]:
            self._tried = None
        if counted.driver == "model":
            self._tried = counted.situation, outcome.step + TRY_STEPS

    def seen(self, status: GameStatus) -> None:
        """Note the next step's status: lost play is a harm of its driver, or of a try just ended."""
        segment = self._segment
        if segment is None or segment.status is not GameStatus.PLAYING or status is not GameStatus.TERMINAL:
            return
        segment.status = status
        if segment.tally.driver != "model" and self._tried is not None:
            self.failed(self._tried[0])
        else:
            segment.tally = replace(segment.tally, harms=1)

    def failed(self, situation: Situation, *, ms: float = 0.0, tokens: int = 0) -> None:
        """Count a harm of the model: no usable answer, an answer too late, or play lost after its try."""
        self._keep_tally(
            Tally(driver="model", situation=situation, decisions=1, harms=1, ms=ms, tokens=tokens)
        )

    def unanswered(self, situation: Situation) -> None:
        """Count a decision that the model gave no answer to: its endpoint or host failed. It did no harm."""
        self._keep_tally(Tally(driver="model", situation=situation, unanswered=1))

    def end(self) -> None:
        """End the decision and keep its tally."""
        if self._segment is not None:
            self._keep_tally(self._segment.tally)
        self._segment = None

    def _keep_tally(self, tally: Tally) -> None:
        if self.model:
            self._keep(self.model, tally)

    def _model(self, situation: Situation) -> Tally:
        return self._known(situation, "model")

    def _base(self, situation: Situation) -> Tally:
        return self._known(situation, "skills", "both")

    def _known(self, situation: Situation, *drivers: Driver) -> Tally:
        """Return the kept tally plus that of the decision in force."""
        kept = self._record.of(self.model, situation, *drivers)
        now = self._segment.tally if self._segment is not None else None
        return kept + now if now and now.driver in drivers and now.situation is situation else kept

    def _steps(self, situation: Situation) -> int:
        return self._model(situation).steps + self._base(situation).steps

    def _tries(self, situation: Situation) -> int:
        asked = self._known(situation, "model", "both")
        slow = asked.ms >= SLOW_MS * max(1, asked.decisions)
        driven = asked if slow else self._model(situation)
        return driven.decisions + asked.unanswered

    def _reason(self, situation: Situation, *, asked: bool) -> str:
        if not self.model:
            return f"No model is chosen: the {self.baseline} {self._drives}."
        model, base, where = self._model(situation), self._base(situation), SITUATION_WORDS[situation]
        text = f"{where} the model made progress in {_share(model)}, the {self.baseline} in {_share(base)}"
        text += f"; it did harm {model.harms:,} times" if model.harms else ""
        text += f"; it gave no answer {model.unanswered:,} times" if model.unanswered else ""
        if self.earned(situation) and asked:
            return f"The model has earned it: {text}."
        if asked:
            return f"The model is on trial: {text}."
        cost = max(self.lack(situation), TRY_STEPS * self._tries(situation))
        more = math.ceil((cost + (1 - FIRST_TRIES) * TRY_STEPS) / TRY_SHARE) - self._steps(situation)
        again = f"it is tried again after {max(1, more)} steps"
        return f"The {self.baseline} {self._drives}: {text}; {again}."

    @property
    def _drives(self) -> str:
        return "drive" if self.baseline.endswith("s") else "drives"


def _no_worse(steps: int, ours: int, base_steps: int, theirs: int) -> bool:
    """Return whether a share is as good as the baseline's: not surely worse, and within the tolerance."""
    expected = theirs / base_steps * steps
    if expected < LEAST_GAINS:
        return theirs == 0
    _, high = share_difference(ours, steps, theirs, base_steps)
    return high >= 0 and ours >= (1 - TOLERANCE) * expected


def _share(tally: Tally) -> str:
    if not tally.steps:
        return "no step yet"
    low, high = wilson(tally.progressed, tally.steps)
    return f"{tally.progressed} of {tally.steps} steps ({100 * low:.0f}–{100 * high:.0f} %)"


class EarnedPlanner:
    """Asks the trusted planner, and notes whose decision each plan is; a `Planner`.

    Args:
        model: None: the skills plan, and a model only grounds their plans.
        baseline: plays the game without a model.
        spent: returns the tokens that the run has spent so far.
    """

    name = "model"

    def __init__(
        self,
        model: Planner | None,
        skills: SkillPlanner,
        trust: Trust,
        spent: Callable[[], int],
        *,
        baseline: Planner,
    ) -> None:
        self._model = model
        self._baseline = baseline
        self._skills = skills
        self._trust = trust
        self._spent = spent
        self._asked: PlanRequest | None = None
        self._first = ""
        self._trusted = False
        self._spent_before = 0

    def request(self, request: PlanRequest) -> None:
        self.cancel()
        self._asked = request
        nobody = self._baseline is self._skills and self._skills.empty
        self._trusted = nobody or self._trust.asks(situation_of(request))
        if nobody:
            self._trust.why = "No skill can be carried out here: without a model nobody would act."
        self._first = next(iter(self._skills.rank(request)), "")
        self._spent_before = self._spent()
        self._planner.request(request)

    def poll(self) -> PlanReply | None:
        reply, asked = self._planner.poll(), self._asked
        if reply is None or asked is None:
            return None
        self._asked = None
        driver = self._driver(reply, asked)
        tokens = self._spent() - self._spent_before
        if reply.failed and reply.unanswered:
            self._trust.unanswered(situation_of(asked))
        elif reply.failed:
            self._trust.failed(situation_of(asked), ms=reply.took_ms, tokens=tokens)
        elif self._trusted and self._model is not None and not reply.calls:
            self._trust.why = "The model cannot be asked here."
        return replace(reply, driver=driver, tokens=tokens, why=f"{self._trust.why} {reply.why}")

    def cancel(self) -> None:
        self._asked = None
        self._planner.cancel()

    @property
    def _planner(self) -> Planner:
        return self._model if self._model is not None and self._trusted else self._baseline

    def _driver(self, reply: PlanReply, asked: PlanRequest) -> Driver:
        if not self._trusted or reply.failed:
            return "skills"
        if self._model is None:
            return "both"
        if not reply.calls:  # not asked: the plan is its stand-in's
            return "skills"
        proposal = asked.running if reply.keep else reply.proposal
        same = proposal is not None and bool(self._first) and skill_of(proposal.source) == self._first
        return "both" if same else "model"
