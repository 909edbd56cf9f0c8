"""The reactive model within a plan: when it is asked, what its answer does, when the memory answers."""

from __future__ import annotations

import pytest

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, Signals, TriggerDecision
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.proposal_state import GroundedAction
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.decision.route_decision import StepState
from pitwall.engine.decision.router import Router
from pitwall.games.schema.profile import Skill

CALM: dict[str, Value] = {"status": "playing"}
TWICE = ["forward", "forward", "turn_left", "turn_left", "use"]
"""A way on which actions stand again and again."""
PLANNED_STEPS = 50


class Following:
    """A reactor that takes the next action of the plan, or the action that the test sets."""

    available = True

    def __init__(self) -> None:
        self.instead: SemanticAction | None = None
        self.silent = False
        self.asked = 0
        self._request: ReactRequest | None = None

    def request(self, request: ReactRequest) -> None:
        self.asked += 1
        self._request = request

    def poll(self) -> ReactReply | None:
        request, self._request = self._request, None
        if request is None:
            return None
        if request.proposal is None or self.silent:
            return ReactReply(request_id=request.request_id, action=None, why="no idea")
        upcoming = request.proposal.candidates[request.candidate]
        return ReactReply(request_id=request.request_id, action=self.instead or upcoming)

    def cancel(self) -> None:
        self._request = None


class Walk:
    """A router that carries out one plan with a reactor beside it.

    Attributes:
        sees: what the next step is decided on. effect: what became of the last action.
        why, decided_by: of the last step.
    """

    def __init__(self, space: ActionSpace, *, always: bool = True) -> None:
        skill = Skill(name="walk", when="true", subgoal="there", actions=TWICE, steps=PLANNED_STEPS)
        planner = SkillPlanner([skill], space, fields=frozenset())
        self.reactor = Following()
        self.router = Router(
            planner=planner,
            reactive=ReactiveController(space),
            reflex=ReflexController(space, step_ms=1_000),
            budget=Budget("easy"),
        )
        self.router.use(planner, self.reactor)
        self.router.always_consult = always
        self.number = 0
        self.sees = CALM
        self.effect = Effect.CONFIRMED
        self.why = self.decided_by = ""
        self.step()

    def step(self, remembered: str = "") -> str:
        """Return one step's action, empty for none. remembered: the action that the memory is sure of."""
        self.number += 1
        grounded = self.router.ground(self.sees, self.effect)
        if not grounded.request:
            grounded = self._asked(grounded, remembered)
        reasons = (Reason.REQUESTED,) if grounded.request else ()
        decision = TriggerDecision(signals=Signals(), reasons=reasons)
        routed = self.router.step(
            grounded,
            decision,
            StepState(step=self.number, values=self.sees, status=GameStatus.PLAYING, now_ns=self.number),
        )
        assert routed is not None
        self.why, self.decided_by = routed.why, routed.decided_by
        if routed.action is None:
            return ""
        self.router.outcome(Outcome(step=self.number, action=routed.action, effect=Effect.CONFIRMED))
        return str(routed.action)

    def _asked(self, grounded: GroundedAction, remembered: str) -> GroundedAction:
        if remembered:
            recalled = self.router.recall(grounded, SemanticAction(name=remembered), "as remembered")
            if recalled is not None:
                return recalled
        unasked = self.router.consult(
            grounded,
            self.effect,
            Signals(),
            StepState(step=self.number, values=self.sees, status=GameStatus.PLAYING, now_ns=self.number),
        )
        return unasked or self.router.grounding_query.take() or grounded


@pytest.fixture
def walk(space: ActionSpace) -> Walk:
    """The model is asked at every step."""
    return Walk(space)


@pytest.fixture
def doubting(space: ActionSpace) -> Walk:
    """Return a walk whose model is asked only if there is an objection to the plan's next action."""
    return Walk(space, always=False)


def _names(actions: list[str]) -> list[str]:
    return [text.partition("(")[0] for text in actions]


def test_a_plan_that_names_an_action_again_is_walked_to_its_end(walk: Walk) -> None:
    assert _names([walk.step() for _ in range(6)]) == [*TWICE[1:], "forward", "forward"]
    assert walk.reactor.asked == 6


def test_a_plan_continues_after_the_next_place_of_the_chosen_candidate(walk: Walk) -> None:
    walk.reactor.instead = SemanticAction(name="turn_left")
    assert walk.step() == "turn_left"
    walk.reactor.instead = None
    assert _names([walk.step() for _ in range(2)]) == ["turn_left", "use"]


def test_under_a_plan_the_memory_only_confirms_the_next_action(walk: Walk) -> None:
    assert _names([walk.step("forward")]) == ["forward"]
    assert walk.reactor.asked == 0, "the memory was sure, and right"
    assert walk.decided_by == "memory"
    assert _names([walk.step("forward")]) == ["turn_left"], "a like state is not the same one"
    assert (walk.reactor.asked, walk.decided_by) == (1, "skills")


def test_while_nothing_speaks_against_it_the_plan_is_walked_without_a_call(doubting: Walk) -> None:
    assert _names([doubting.step() for _ in range(6)]) == [*TWICE[1:], "forward", "forward"]
    assert doubting.reactor.asked == 0
    assert doubting.why == "forward for 'there': next in turn, nothing speaks against it."


def test_asked_at_every_step_it_says_nothing_of_doubts(walk: Walk) -> None:
    walk.sees = CALM | {"open": True}
    walk.step()
    assert walk.reactor.asked == 1
    assert walk.why == "forward for 'there'."


def test_an_effect_that_was_not_seen_is_asked_about(doubting: Walk) -> None:
    doubting.effect = Effect.UNVERIFIED
    doubting.step()
    assert doubting.reactor.asked == 1
    assert doubting.why.endswith("once more (asked: the last action's effect was not seen).")


def test_a_hint_against_the_next_action_is_asked_about(doubting: Walk) -> None:
    doubting.router.evidence.hint_success = {"use": 1.0, "forward": 0.2}
    doubting.reactor.instead = SemanticAction(name="use")
    assert doubting.step() == "use"
    assert doubting.why == "use for 'there' (asked: the memory does not speak for it)."


def test_a_sure_memory_acts_without_a_question_despite_objections(doubting: Walk) -> None:
    doubting.sees = CALM | {"open": True}
    assert _names([doubting.step("forward")]) == ["forward"]
    assert (doubting.reactor.asked, doubting.why) == (0, "forward as remembered.")


def test_news_is_asked_about_once(doubting: Walk) -> None:
    doubting.sees = CALM | {"open": True}
    doubting.step()
    assert doubting.reactor.asked == 1
    assert doubting.why == "forward for 'there' (asked: open is now known)."
    doubting.step()
    assert doubting.reactor.asked == 1, "what the last step was decided on is no news"
    doubting.sees = CALM | {"open": False}
    doubting.step()
    assert doubting.reactor.asked == 2 and "open is now false" in doubting.why


def test_a_new_plan_is_made_on_what_is_seen_and_a_dropped_one_takes_its_news_along(doubting: Walk) -> None:
    doubting.router.drop()
    doubting.sees = CALM | {"open": True}
    assert _names([doubting.step(), doubting.step()]) == ["forward", "forward"]
    assert doubting.reactor.asked == 0


def test_where_nobody_plans_it_is_asked_at_every_step(doubting: Walk) -> None:
    nobody = Proposal(
        proposal_id=0, situation="", subgoal="act", candidates=(SemanticAction(name="use"),), steps=100
    )
    doubting.router.drop()
    doubting.router.set_ablations(override=True, persist=True, fallback=nobody)
    assert [doubting.step() for _ in range(2)] == ["use", "use"]
    assert doubting.reactor.asked == 2
    assert "no plan is in force" in doubting.why


def test_where_nobody_plans_and_nobody_stands_in_a_reply_without_an_action_is_no_step(doubting: Walk) -> None:
    nobody = Proposal(
        proposal_id=0, situation="", subgoal="act", candidates=(SemanticAction(name="use"),), steps=100
    )
    doubting.router.drop()
    doubting.router.set_ablations(override=True, persist=True, fallback=nobody)
    assert doubting.step() == "use", "rules stand in"
    doubting.router.set_ablations(override=True, persist=True, fallback=nobody, stands_in=False)
    assert not doubting.step()
    assert "the model gives no action" in doubting.why


def test_a_plan_that_is_over_and_carried_on_is_none(doubting: Walk) -> None:
    doubting.router.set_ablations(override=True, persist=True, fallback=None)
    for _ in range(PLANNED_STEPS - 1):
        doubting.step()
    assert doubting.reactor.asked == 0
    doubting.step()
    assert doubting.reactor.asked == 1 and "no plan is in force" in doubting.why


def test_the_objection_is_stated_even_if_the_model_gives_no_action(doubting: Walk) -> None:
    doubting.reactor.silent = True
    doubting.effect = Effect.UNVERIFIED
    doubting.step()
    assert "by rule: no idea" in doubting.why and "(asked: " in doubting.why
