"""The reactive model's answer within a plan: where in turn it stands, and when the memory answers instead."""

from __future__ import annotations

import pytest

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, Signals, TriggerDecision
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.proposals import Grounded
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.control.router import Router
from pitwall.engine.control.skills import SkillPlanner
from pitwall.games.profile import Skill

CALM: dict[str, Value] = {"status": "playing"}
TWICE = ["forward", "forward", "turn_left", "turn_left", "use"]
"""A way on which actions stand again and again."""


class Following:
    """A reactor that does what is next in turn, or what it is told."""

    available = True

    def __init__(self) -> None:
        self.instead: SemanticAction | None = None
        self.asked = 0
        self._request: ReactRequest | None = None

    def request(self, request: ReactRequest) -> None:
        self.asked += 1
        self._request = request

    def poll(self) -> ReactReply | None:
        request, self._request = self._request, None
        if request is None or request.proposal is None:
            return None
        upcoming = request.proposal.candidates[request.candidate]
        return ReactReply(request_id=request.request_id, action=self.instead or upcoming)

    def cancel(self) -> None:
        self._request = None


class Walk:
    """A router that carries out one plan with a reactor beside it."""

    def __init__(self, space: ActionSpace) -> None:
        skill = Skill(name="walk", when="true", subgoal="there", actions=TWICE, steps=50)
        planner = SkillPlanner([skill], space, fields=frozenset())
        self.reactor = Following()
        self.router = Router(
            planner=planner,
            reactive=ReactiveController(space),
            reflex=ReflexController(space, step_ms=1_000),
            budget=Budget("easy"),
        )
        self.router.use(planner, self.reactor)
        self.number = 0
        self.step()

    def step(self, remembered: str = "") -> str:
        """One step's action; remembered: what the memory is sure of."""
        self.number += 1
        grounded = self.router.ground(CALM, Effect.CONFIRMED)
        if not grounded.request:
            grounded = self._asked(grounded, remembered)
        reasons = (Reason.REQUESTED,) if grounded.request else ()
        decision = TriggerDecision(signals=Signals(), reasons=reasons)
        routed = self.router.step(
            grounded,
            decision,
            step=self.number,
            values=CALM,
            status=GameStatus.PLAYING,
            now_ns=self.number,
        )
        assert routed is not None and routed.action is not None
        self.router.outcome(step=self.number, action=routed.action, effect=Effect.CONFIRMED)
        return str(routed.action)

    def _asked(self, grounded: Grounded, remembered: str) -> Grounded:
        if remembered:
            recalled = self.router.recall(grounded, SemanticAction(name=remembered), "as remembered")
            if recalled is not None:
                return recalled
        asked = self.router.consult(
            grounded,
            Effect.CONFIRMED,
            Signals(),
            step=self.number,
            values=CALM,
            status=GameStatus.PLAYING,
            now_ns=self.number,
        )
        assert asked
        return self.router.consultation.take() or grounded


@pytest.fixture
def walk(space: ActionSpace) -> Walk:
    return Walk(space)


def _names(actions: list[str]) -> list[str]:
    return [text.partition("(")[0] for text in actions]


def test_a_plan_that_names_an_action_again_is_walked_to_its_end(walk: Walk) -> None:
    assert _names([walk.step() for _ in range(6)]) == [*TWICE[1:], "forward", "forward"]
    assert walk.reactor.asked == 6


def test_from_another_candidate_it_goes_on_behind_where_that_stands_next(walk: Walk) -> None:
    walk.reactor.instead = SemanticAction(name="turn_left")
    assert walk.step() == "turn_left"
    walk.reactor.instead = None
    assert _names([walk.step() for _ in range(2)]) == ["turn_left", "use"]


def test_the_memory_does_what_is_next_in_turn_and_nothing_else(walk: Walk) -> None:
    assert _names([walk.step("forward")]) == ["forward"]
    assert walk.reactor.asked == 0, "the memory was sure, and right"
    assert _names([walk.step("forward")]) == ["turn_left"], "a like state is not the same one"
    assert walk.reactor.asked == 1
