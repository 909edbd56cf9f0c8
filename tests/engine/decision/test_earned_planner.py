"""Which planner is asked, and whose decision its plan is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.engine.control.model_fakes import FAILED, Bench, FakeCaller, plan, plan_request, text, walker

from pitwall.core.calls import Purpose
from pitwall.core.model_telemetry import Situation, Tally
from pitwall.core.signals import Reason
from pitwall.engine.control.baselines import RandomPlanner
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest
from pitwall.engine.decision.trust import EarnedPlanner, Trust
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Skill

REST = Skill(name="rest", when="true", subgoal="rest", actions=["turn_left"], priority=-1, steps=50)
FIRST, OTHER, OWN = text({"skill": "walk"}), text({"skill": "rest"}), text(plan("turn_left"))
Ask = Callable[[PlanRequest], PlanReply]


class Pit:
    """A walker whose model answers by script, under earned control."""

    def __init__(self, *replies: str, skills: bool = True, baseline: Planner | None = None) -> None:
        self.caller = FakeCaller({Purpose.PLAN: list(replies)})
        self.bench = Bench(self.caller, game=walker(REST))
        if not skills:
            self.bench.skills.adopt(())
        self.trust = Trust()
        self.trust.model = "one"
        self.planner = EarnedPlanner(
            self.bench.planner,
            self.bench.skills,
            self.trust,
            lambda: 7,
            baseline=baseline or self.bench.skills,
        )

    def ask(self, asked: PlanRequest) -> PlanReply:
        self.planner.request(asked)
        for _ in range(20):
            reply = self.planner.poll()
            if reply is not None:
                self.trust.begin(reply.driver, asked)
                return reply
        raise AssertionError("no answer came")


@pytest.mark.parametrize(("reply", "driver"), [(FIRST, "both"), (OTHER, "model"), (OWN, "model")])
def test_each_plan_names_its_driver(reply: str, driver: str) -> None:
    pit = Pit(reply)
    answer = pit.ask(plan_request())
    assert answer.driver == driver
    assert answer.why.startswith("The model is on trial: in play the model made progress in no step yet")


def test_after_a_try_the_skills_decide_and_the_model_is_not_asked() -> None:
    pit = Pit(OTHER)
    pit.ask(plan_request())
    before = len(pit.caller.asks)
    answer = pit.ask(replace(plan_request(), request_id=2, step=3))
    assert len(pit.caller.asks) == before
    assert answer.driver == "skills" and answer.proposal is not None and answer.proposal.skill == "walk"
    assert answer.why.startswith("The skills drive: ")


def test_an_unusable_answer_counts_as_a_try_and_the_skills_plan() -> None:
    pit = Pit("no plan at all")
    answer = pit.ask(plan_request())
    assert answer.failed and answer.driver == "skills"
    assert not pit.trust.asks(Situation.GOING)


def test_an_endpoint_that_fails_is_no_answer_and_no_harm() -> None:
    pit = Pit(FAILED)
    kept: list[Tally] = []
    pit.trust._keep = lambda _, tally: kept.append(tally)
    answer = pit.ask(plan_request())
    assert answer.failed and answer.unanswered and answer.driver == "skills"
    assert [(tally.unanswered, tally.decisions, tally.harms) for tally in kept] == [(1, 0, 0)]


def test_a_plan_made_without_a_call_is_no_decision_of_the_model() -> None:
    pit = Pit(OWN)
    pit.caller.without = frozenset({Purpose.PLAN})  # as while it is still being installed
    answer = pit.ask(plan_request())
    assert not answer.calls and answer.driver == "skills" and answer.proposal is not None
    assert answer.why.startswith("The model cannot be asked here. ")
    pit.caller.without = frozenset()
    assert pit.ask(replace(plan_request(), request_id=2, step=3)).driver == "model"


@pytest.mark.parametrize(("pin", "driver"), [("model", "model"), ("skills", "skills")])
def test_the_operators_pin_holds_at_every_decision(pin: str, driver: str) -> None:
    pit = Pit(OTHER)
    pit.trust.pin = pin  # type: ignore[assignment]
    for number in range(1, 6):
        answer = pit.ask(
            replace(plan_request(), request_id=number, step=number * 5, reasons=(Reason.REFRESH,))
        )
        assert answer.driver == driver
        assert answer.why.startswith(f"The operator lets the {pin} drive.")
    assert bool(pit.caller.asks) is (pin == "model")


def test_where_no_skill_can_be_carried_out_the_model_drives() -> None:
    pit = Pit(OWN, skills=False)
    for number in range(1, 6):
        answer = pit.ask(replace(plan_request(), request_id=number, step=number))
        assert answer.driver == "model"
        assert answer.why.startswith("No skill can be carried out here: without a model nobody would act.")


def test_a_game_that_another_agent_plays_without_a_model_has_that_as_its_baseline() -> None:
    space = Vocabulary(walker().profile)
    pit = Pit(OWN, skills=False, baseline=RandomPlanner(space, seed=1))
    assert pit.ask(plan_request()).driver == "model"
    answer = pit.ask(replace(plan_request(), request_id=2, step=3))
    assert answer.driver == "skills" and answer.proposal is not None and answer.proposal.source == "random"
