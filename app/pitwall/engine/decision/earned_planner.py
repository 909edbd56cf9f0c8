"""The planner under earned control: asks the model when the trust permits it, else the baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pitwall.core.actions import skill_of
from pitwall.core.trust import Driver
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.decision.trust import Trust, situation_of


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
        if reply.failed:
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
