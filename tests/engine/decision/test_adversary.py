"""An adversary in place of the model: whatever it prefers, the agent finds the skill that helps."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.control.model_fakes import Bench, FakeCaller, plan, text, walker

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Thresholds
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.decision.route_decision import StepState
from pitwall.engine.decision.router import Router
from pitwall.engine.trigger.event_trigger import EventTrigger
from pitwall.games.schema.profile import Skill

HELPS = SemanticAction(name="use")
REST = Skill(name="rest", when="true", subgoal="rest", actions=["turn_left"], priority=9, steps=50)
LOOK = Skill(name="look", when="true", subgoal="look", actions=["turn_right"], priority=8, steps=50)
WORK = Skill(name="work", when="true", subgoal="work", actions=["use"], priority=1, steps=50)
PATIENCE, REFRESH = Thresholds().stall_steps, Thresholds().refresh_steps
BOUND = (PATIENCE + REFRESH) * 4 * 5
"""For four useless choices (rest, look, walk, writing a plan) N is 5; between two plans lie at most
`REFRESH` steps in which a choice that is barred by then goes on."""

Adversary = Callable[[dict[str, Any], int], str]


def _ways(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the replies that the grammar allows, by their first key."""
    return {next(iter(way["properties"])): way["properties"] for way in schema.get("anyOf", [schema])}


def _named(schema: dict[str, Any], order: list[str]) -> str:
    options = _ways(schema).get("skill", {}).get("skill", {}).get("enum", [])
    options = sorted(options, key=lambda name: order.index(name) if name in order else 99)
    return text({"skill": options[0]}) if options else text(plan("turn_left"))


def _keeps(schema: dict[str, Any], _: int) -> str:
    return text({"keep": True}) if "keep" in _ways(schema) else _named(schema, ["rest", "look"])


def _writes(schema: dict[str, Any], _: int) -> str:
    ways = _ways(schema)
    return text(plan("turn_left")) if "situation" in ways else _named(schema, ["rest", "look"])


ADVERSARIES: dict[str, Adversary] = {
    "the same useless skill": lambda schema, _: _named(schema, ["rest", "look", "walk"]),
    "two in turn": lambda schema, call: _named(
        schema, ["rest", "look", "walk"] if call % 2 else ["look", "rest", "walk"]
    ),
    "always keeps": _keeps,
    "always writes a useless plan": _writes,
    "the barred one again": lambda _schema, _: text({"skill": "rest"}),
    "nothing legal": lambda _schema, _: text({"skill": "fly"}),
}


class Play:
    """A router, a trigger and a model planner in a world where only one action helps."""

    def __init__(self, adversary: Adversary, *, enforced: bool) -> None:
        caller = FakeCaller(calls_left=1_000_000)
        self.bench = Bench(caller, game=walker(REST, LOOK, WORK))
        asked: list[str] = []

        def write(purpose: Purpose) -> str:
            if purpose is not Purpose.PLAN:
                return text({"escalate": "no idea"}) if purpose is Purpose.REACT else "?"
            asked.append(caller.asks[-1].schema)
            return adversary(json.loads(asked[-1]), len(asked))

        caller.writes = write
        self.router = Router(
            planner=self.bench.planner,
            reactive=ReactiveController(self.bench.space),
            reflex=ReflexController(self.bench.space, step_ms=1_000),
            budget=Budget("easy"),
            skills=self.bench.skills,
        )
        self.router.evidence.tabu.patience = PATIENCE if enforced else 0
        self.trigger = EventTrigger(Thresholds())
        self.progress = self.number = 0
        self.why: list[str] = []

    def step(self) -> bool:
        """Play a step; return whether it brought progress. Every effect is seen."""
        self.number += 1
        values: dict[str, Value] = {"wood": 3, "enemy": False, "status": "playing"}
        grounded = self.router.ground(values, Effect.CONFIRMED if self.number > 1 else None)
        decision = self.trigger.step(
            change=0.0, progress=self.progress, failure=self.router.failure, requested=grounded.request
        )
        state = StepState(step=self.number, values=values, status=GameStatus.PLAYING, now_ns=self.number)
        routed = self.router.step(grounded, decision, state)
        assert routed is not None and routed.action is not None
        if routed.planned is not None:
            self.trigger.planned()
        self.trigger.acted(str(routed.action))
        self.why.append(routed.why)
        helped = routed.action == HELPS
        self.progress += helped
        outcome = Outcome(step=self.number, action=routed.action, effect=Effect.CONFIRMED, progressed=helped)
        self.router.outcome(outcome)
        return helped


def _longest_without(play: Play, steps: int) -> int:
    """Return the length of the longest run of steps without progress."""
    longest = now = 0
    for _ in range(steps):
        now = 0 if play.step() else now + 1
        longest = max(longest, now)
    return longest


@pytest.mark.parametrize("adversary", ADVERSARIES.values(), ids=ADVERSARIES)
def test_an_adversary_comes_to_what_helps_within_the_bound(adversary: Adversary) -> None:
    play = Play(adversary, enforced=True)
    assert _longest_without(play, 6 * BOUND) <= BOUND
    assert play.progress > 0


@pytest.mark.parametrize("name", ["the same useless skill", "always keeps", "always writes a useless plan"])
def test_without_enforcement_it_never_does(name: str) -> None:
    assert _longest_without(Play(ADVERSARIES[name], enforced=False), 2 * BOUND) == 2 * BOUND


def test_a_steps_reason_names_the_choices_that_were_barred() -> None:
    play = Play(ADVERSARIES["the same useless skill"], enforced=True)
    for _ in range(12):
        play.step()
    assert any("Set aside, as it brought no progress: " in why and "skill 'rest'" in why for why in play.why)
