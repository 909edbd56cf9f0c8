"""Routing: who drives each step, with a planner that answers at once and with one that takes its time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pitwall.core.actions import Effect, Invalid, Refusal, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Failure, Reason, Route, Signals, TriggerDecision
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.planner import PlanReply, PlanRequest
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.decision.route_decision import RouteDecision, StepState
from pitwall.engine.decision.router import Router
from pitwall.games.schema.modules import Module, Rule
from pitwall.games.schema.profile import Skill, WhileThinking
from pitwall.gsm.rule_module import RuleModule

CALM: dict[str, Value] = {"enemy": False, "status": "playing"}
FIGHT: dict[str, Value] = {"enemy": True, "status": "playing"}
FIELDS = frozenset({"enemy", "way"})

WALK = Skill(name="walk", when="true", subgoal="explore", actions=["forward"], priority=1)
LOOK = Skill(name="look", when="true", subgoal="look round", actions=["turn_left"])
SHOOT = Skill(name="shoot", when="enemy", subgoal="shoot", module="shooter", priority=9, steps=100)


def shooter() -> RuleModule:
    rules = [Rule(when="enemy", action="use")]
    return RuleModule(Module(name="shooter", ends="not enemy", rules=rules), FIELDS)


class SlowPlanner(SkillPlanner):
    """Answers only when the test permits, and counts three calls."""

    name = "slow"
    allowed = False
    asked = 0

    def request(self, request: PlanRequest) -> None:
        self.asked += 1
        super().request(request)

    def poll(self) -> PlanReply | None:
        reply = super().poll() if self.allowed else None
        if reply is None:
            return None
        return PlanReply(
            request_id=reply.request_id, proposal=reply.proposal, why=reply.why, keep=reply.keep, calls=3
        )


class Driving:
    """A router with everything real behind it, stepped by hand."""

    def __init__(
        self,
        space: ActionSpace,
        *skills: Skill,
        slow: bool = False,
        while_thinking: WhileThinking = "go-on",
    ) -> None:
        modules = {"shooter": shooter()}
        kind = SlowPlanner if slow else SkillPlanner
        self.planner = kind(skills, space, fields=FIELDS, modules=modules)
        self.budget = Budget("easy")
        self.router = Router(
            planner=self.planner,
            reactive=ReactiveController(space),
            reflex=ReflexController(space, step_ms=1_000),
            budget=self.budget,
            modules=modules,
            while_thinking=while_thinking,
            skills=self.planner,
        )
        self.number = 0

    def step(
        self,
        *reasons: Reason,
        effect: Effect | None = Effect.CONFIRMED,
        values: dict[str, Value] | None = None,
        **signals: int,
    ) -> RouteDecision:
        """Play one step; "requested" is added if the reactive controller asks for a plan."""
        routed = self.ask(*reasons, effect=effect, values=values, **signals)
        assert routed is not None, "nobody acts until the planner answers"
        return routed

    def ask(
        self,
        *reasons: Reason,
        effect: Effect | None = Effect.CONFIRMED,
        values: dict[str, Value] | None = None,
        **signals: int,
    ) -> RouteDecision | None:
        """Play one step; return None if the planner was asked and nobody acts until it answers."""
        self.number += 1
        seen = CALM if values is None else values
        grounded = self.router.ground(seen, effect)
        every = (*reasons, Reason.REQUESTED) if grounded.request else reasons
        decision = TriggerDecision(
            signals=Signals(failure=self.router.failure, **signals),
            reasons=every,
        )
        return self.router.step(
            grounded,
            decision,
            StepState(
                step=self.number,
                values=seen,
                status=GameStatus(str(seen["status"])),
                now_ns=self.number * 250 * NS_PER_MS,
            ),
        )

    def outcome(self, action: str, effect: Effect = Effect.CONFIRMED, **more: Any) -> Failure:
        return self.router.outcome(
            Outcome(step=self.number, action=SemanticAction(name=action), effect=effect, **more)
        )


def test_the_first_step_asks_for_a_plan_and_acts_on_it(space: ActionSpace) -> None:
    driving = Driving(space, WALK)
    routed = driving.step(effect=None)
    assert routed.route is Route.STRATEGIC
    assert routed.reasons == (Reason.REQUESTED,)
    assert routed.action == SemanticAction(name="forward")
    assert routed.planned is not None
    assert routed.proposal is not None
    assert driving.budget.strategic_calls == 1
    assert driving.budget.calls == 0


def test_between_plans_the_reactive_controller_drives(space: ActionSpace) -> None:
    driving = Driving(space, WALK)
    driving.step(effect=None)
    routed = driving.step()
    assert (routed.route, routed.reasons) == (Route.REACTIVE, ())
    assert routed.action == SemanticAction(name="forward")
    assert "forward" in routed.why


def test_every_reason_is_kept_and_reported(space: ActionSpace) -> None:
    driving = Driving(space, WALK)
    driving.step(effect=None)
    routed = driving.step(Reason.REFRESH, Reason.STALL, since_strategic=4, stall=5)
    assert routed.route is Route.STRATEGIC
    assert routed.reasons == (Reason.REFRESH, Reason.STALL)
    assert "4 steps since the last plan" in routed.why
    assert "no progress for 5 steps" in routed.why


def test_a_refresh_that_keeps_the_plan_goes_on_where_it_was(space: ActionSpace) -> None:
    both = Skill(name="both", when="true", subgoal="both", actions=["forward", "use"])
    driving = Driving(space, both)
    first = driving.step(effect=None)
    kept = driving.step(Reason.REFRESH)
    assert (str(first.action), str(kept.action)) == ("forward", "use")
    assert kept.proposal is first.proposal
    assert kept.planned is not None
    assert kept.planned.keep
    assert driving.budget.strategic_calls == 2


def test_without_a_skill_that_applies_nobody_acts(space: ActionSpace) -> None:
    routed = Driving(space, SHOOT).step(effect=None)
    assert (routed.route, routed.action, routed.proposal) == (Route.STRATEGIC, None, None)
    assert "holding" in routed.why


def test_a_module_drives_by_frame_until_it_ends(space: ActionSpace) -> None:
    driving = Driving(space, WALK, SHOOT)
    routed = driving.step(effect=None, values=FIGHT)
    assert (routed.route, routed.action, driving.router.module) == (Route.STRATEGIC, None, "shooter")
    assert routed.decided_by == "skills"
    acted = driving.router.frame(FIGHT, 300 * NS_PER_MS)
    assert acted is not None
    assert acted.action == SemanticAction(name="use")
    assert not driving.router.wants_step(900 * NS_PER_MS)
    assert driving.router.wants_step(1_250 * NS_PER_MS), "one step a second"
    routed = driving.step(values=FIGHT)
    assert (routed.route, routed.action, routed.decided_by) == (Route.REFLEX, None, "reflexes")
    assert driving.router.frame(CALM, 1_300 * NS_PER_MS) is None
    assert driving.router.wants_step(1_300 * NS_PER_MS), "it ended"
    routed = driving.step()
    assert (routed.route, str(routed.action)) == (Route.STRATEGIC, "forward")
    assert driving.router.module == ""


def test_a_plan_for_the_same_module_lets_it_run_on(space: ActionSpace) -> None:
    brief = SHOOT.model_copy(update={"steps": 1})
    driving = Driving(space, brief)
    first = driving.step(effect=None, values=FIGHT)
    second = driving.step(values=FIGHT)
    assert second.route is Route.STRATEGIC
    assert second.proposal is not first.proposal
    assert driving.router.frame(FIGHT, 600 * NS_PER_MS) is not None


def test_a_loop_of_actions_raises_the_level_but_a_module_may_repeat_itself(space: ActionSpace) -> None:
    driving = Driving(space, WALK, LOOK)
    driving.step(effect=None)
    for _ in range(3):
        driving.outcome("forward")
        driving.step()
    routed = driving.step(Reason.LOOP, repetition=5)
    assert routed.failure is Failure.ERROR
    assert str(routed.action) == "turn_left"

    module = Driving(space, SHOOT)
    module.step(effect=None, values=FIGHT)
    for _ in range(4):
        module.step(values=FIGHT)
    routed = module.step(Reason.LOOP, values=FIGHT, repetition=5)
    assert routed.failure is Failure.NONE
    assert module.router.module == "shooter"


def test_a_new_plan_is_not_blamed_for_an_old_stall(space: ActionSpace) -> None:
    driving = Driving(space, WALK, LOOK)
    actions = [str(driving.step(effect=None).action)]
    for stall in range(4, 11):
        driving.outcome(actions[-1])
        actions.append(str(driving.step(Reason.STALL, stall=stall).action))
    assert actions == ["forward"] * 3 + ["turn_left"] * 3 + ["forward"] * 2


def test_failed_corrections_turn_to_another_skill(space: ActionSpace) -> None:
    driving = Driving(space, WALK, LOOK)
    driving.step(effect=None)
    driving.outcome("forward", Effect.UNVERIFIED)
    retry = driving.step(effect=Effect.UNVERIFIED)
    assert (retry.route, str(retry.action)) == (Route.REACTIVE, "forward")
    driving.outcome("forward", Effect.UNVERIFIED)
    routed = driving.step(effect=Effect.UNVERIFIED)
    assert (routed.route, str(routed.action)) == (Route.STRATEGIC, "turn_left")
    assert routed.failure is Failure.ERROR


def test_a_refusal_for_lost_focus_costs_neither_level_nor_turn(space: ActionSpace) -> None:
    both = Skill(name="both", when="true", subgoal="both", actions=["forward", "use"])
    driving = Driving(space, both)
    driving.step(effect=None)
    driving.outcome("forward")
    for _ in range(4):
        assert str(driving.step().action) == "use"
        level = driving.outcome("use", Effect.NONE, refusals=(Refusal.FOCUS,))
        assert level is Failure.NONE
    assert str(driving.step().action) == "use"


def test_invalid_actions_escalate_and_then_flush(space: ActionSpace) -> None:
    driving = Driving(space, WALK, LOOK)
    driving.step(effect=None)
    for expected in (Failure.ERROR, Failure.ERROR, Failure.HARD):
        assert driving.outcome("no_op", Effect.NONE, invalid=Invalid.OUT_OF_SPACE) is expected
        routed = driving.step(Reason.FAILURE)
        assert routed.failure is expected
        assert routed.flushed is (expected is Failure.HARD)
    assert driving.router.failure is Failure.NONE
    assert "F3" in routed.why


@pytest.mark.parametrize(("policy", "acts"), [("go-on", True), ("hold", False), ("pause", False)])
def test_while_the_planner_thinks(space: ActionSpace, policy: WhileThinking, acts: bool) -> None:
    driving = Driving(space, WALK, LOOK, slow=True, while_thinking=policy)
    assert isinstance(driving.planner, SlowPlanner)
    assert driving.ask(effect=None) is None, "there is no plan to go on with"
    assert driving.router.thinking
    driving.planner.allowed = True
    driving.router.frame(CALM, NS_PER_MS)
    assert driving.router.wants_step(NS_PER_MS), "the plan has come"
    routed = driving.step(effect=None)
    assert (routed.route, str(routed.action), routed.thinking) == (Route.STRATEGIC, "forward", False)

    driving.planner.allowed = False
    meanwhile = driving.ask(Reason.REFRESH, since_strategic=4)
    assert (meanwhile is not None) is acts
    if meanwhile is not None:
        assert (meanwhile.route, meanwhile.thinking, meanwhile.reasons) == (Route.REACTIVE, True, ())
        assert meanwhile.action is not None
    driving.planner.allowed = True
    driving.router.frame(CALM, 2 * NS_PER_MS)
    late = driving.step()
    assert (late.route, late.reasons) == (Route.STRATEGIC, (Reason.REFRESH,))
    assert driving.budget.strategic_calls == 2


@pytest.mark.parametrize(("policy", "acts"), [("go-on", True), ("hold", False)])
def test_a_module_while_the_planner_thinks(space: ActionSpace, policy: WhileThinking, acts: bool) -> None:
    driving = Driving(space, SHOOT, slow=True, while_thinking=policy)
    assert isinstance(driving.planner, SlowPlanner)
    driving.planner.allowed = True
    driving.step(effect=None, values=FIGHT)
    driving.planner.allowed = False
    routed = driving.ask(Reason.REFRESH, values=FIGHT)
    assert (None if routed is None else routed.route) is (Route.REFLEX if acts else None)
    assert (driving.router.frame(FIGHT, NS_PER_MS) is not None) is acts
    driving.planner.allowed = True
    assert driving.router.frame(FIGHT, 2 * NS_PER_MS) is not None, "the answer is there"


def test_while_the_planner_thinks_it_is_not_asked_again(space: ActionSpace) -> None:
    driving = Driving(space, WALK, slow=True)
    for _ in range(5):
        assert driving.ask(effect=None) is None
    assert isinstance(driving.planner, SlowPlanner)
    assert driving.planner.asked == 1
    driving.planner.allowed = True
    assert driving.step(effect=None).route is Route.STRATEGIC
    assert driving.budget.strategic_calls == 1


def test_late_answers_are_dropped_until_too_many_in_a_row_were(space: ActionSpace) -> None:
    driving = Driving(space, WALK, slow=True)
    assert isinstance(driving.planner, SlowPlanner)
    driving.planner.allowed = True
    driving.step(effect=None)
    driving.planner.allowed = False
    for dropped in range(3):
        assert driving.step(Reason.REFRESH).route is Route.REACTIVE
        driving.planner.allowed = True
        assert driving.router.answered
        driving.planner.allowed = False
        assert driving.router.plan_query.drop_late() is (dropped < 2)
    assert driving.budget.plans_dropped == 2
    assert driving.step().route is Route.STRATEGIC


def test_another_planner_takes_over_between_two_steps(space: ActionSpace) -> None:
    driving = Driving(space, WALK, slow=True)
    assert driving.ask(effect=None) is None
    driving.router.use(SkillPlanner((LOOK,), space), None)
    assert not driving.router.thinking
    assert str(driving.step(effect=None).action) == "turn_left"


@pytest.mark.parametrize(
    ("edited", "subgoal", "action"),
    [
        (WALK.model_copy(update={"actions": ["turn_right"]}), "explore", "turn_right"),
        (WALK.model_copy(update={"when": "enemy"}), "look round", "turn_left"),
        (None, "look round", "turn_left"),
    ],
    ids=["other actions", "another trigger", "gone"],
)
def test_a_plan_whose_skill_was_changed_is_over(
    space: ActionSpace, edited: Skill | None, subgoal: str, action: str
) -> None:
    driving = Driving(space, WALK, LOOK)
    driving.step(effect=None)
    driving.outcome("forward")
    skills = (LOOK,) if edited is None else (edited, LOOK)
    changed = driving.planner.adopt(skills)
    assert changed == {"walk"}
    driving.router.outdate(changed)
    routed = driving.step()
    assert (routed.route, routed.reasons) == (Route.STRATEGIC, (Reason.REQUESTED,))
    assert routed.proposal is not None and routed.proposal.subgoal == subgoal
    assert routed.action == SemanticAction(name=action)


def test_a_plan_goes_on_where_other_skills_were_changed(space: ActionSpace) -> None:
    driving = Driving(space, WALK, LOOK)
    driving.step(effect=None)
    driving.outcome("forward")
    driving.router.outdate(driving.planner.adopt((WALK, LOOK.model_copy(update={"priority": -1}), SHOOT)))
    routed = driving.step()
    assert (routed.route, routed.action) == (Route.REACTIVE, SemanticAction(name="forward"))


def test_after_a_pause_everything_is_decided_again(space: ActionSpace) -> None:
    driving = Driving(space, WALK, SHOOT)
    driving.step(effect=None, values=FIGHT)
    driving.router.drop()
    assert (driving.router.proposal, driving.router.module) == (None, "")
    assert driving.router.frame(FIGHT, 0) is None
    assert driving.step(effect=None).route is Route.STRATEGIC


def test_a_stop_condition_that_holds_as_the_plan_is_made_does_not_end_it(space: ActionSpace) -> None:
    class Hasty(SkillPlanner):
        def poll(self) -> PlanReply | None:
            reply = super().poll()
            if reply is None or reply.proposal is None:
                return reply
            return replace(reply, proposal=replace(reply.proposal, stop="status == 'playing'"))

    driving = Driving(space, WALK)
    driving.router.use(Hasty((WALK,), space), None)
    assert str(driving.step(effect=None).action) == "forward"
    assert driving.step().route is Route.REACTIVE


WAY = Skill(name="way", when="way != none", subgoal="get there", actions=["{way}"], stop="enemy", steps=5)
THERE: dict[str, Value] = {**CALM, "way": "forward; use"}
BACK: dict[str, Value] = {**CALM, "way": "turn_left"}


def _along(driving: Driving, *steps: dict[str, Value], effect: Effect = Effect.CONFIRMED) -> list[str]:
    """Return each step's action, with a star if the step used a plan."""
    done = []
    for number, values in enumerate(steps):
        routed = driving.step(effect=effect if number else None, values=values)
        done.append(f"{routed.action}{'*' if routed.route is Route.STRATEGIC else ''}")
        driving.outcome(routed.action.name if routed.action else "wait", effect)
    return done


def test_a_way_goes_on_without_a_plan_until_its_steps_are_used_up(space: ActionSpace) -> None:
    driving = Driving(space, WAY)
    done = _along(driving, THERE, THERE, BACK, THERE, THERE, BACK)
    assert done == ["forward*", "use", "turn_left", "forward", "use", "turn_left*"]
    assert driving.budget.strategic_calls == 2


def test_actions_that_a_skill_names_again_enter_the_plan_and_are_reported(space: ActionSpace) -> None:
    driving = Driving(space, WAY)
    _along(driving, THERE, THERE)
    routed = driving.step(values=BACK)
    assert routed.proposal is not None
    assert [str(candidate) for candidate in routed.proposal.candidates] == ["turn_left"]
    assert "names again" in routed.why


def test_actions_are_not_named_again_against_an_objection(space: ActionSpace) -> None:
    assert _along(Driving(space, WAY), THERE, THERE, THERE, effect=Effect.UNVERIFIED)[2:] != ["forward"]
    first = Skill(name="first", when="way == 'turn_left'", subgoal="turn", actions=["turn_right"], priority=2)
    assert _along(Driving(space, WAY, first), THERE, THERE, BACK)[2] == "turn_right*"
    stopped = Driving(space, WAY, WALK.model_copy(update={"priority": -1}))
    assert _along(stopped, THERE, THERE, {**BACK, "enemy": True})[2] == "forward*"
    outdated = Driving(space, WAY)
    _along(outdated, THERE, THERE)
    outdated.router.outdate({"way"})
    assert outdated.step(values=BACK).route is Route.STRATEGIC


def test_a_plan_by_a_skill_that_was_edited_while_it_was_made_is_over_as_it_comes(space: ActionSpace) -> None:
    driving = Driving(space, WALK, slow=True)
    assert driving.ask(effect=None) is None
    driving.router.outdate({"walk"})
    assert isinstance(driving.planner, SlowPlanner)
    driving.planner.allowed = True
    routed = driving.step(effect=None)
    assert (routed.action, routed.planned is not None) == (None, True)
    assert "was changed" in driving.router.ground(CALM, None).why
    assert driving.step().action == SemanticAction(name="forward"), "asked anew, it holds"
