"""The baselines of every comparison: planners that look at nothing. One acts at random, one never acts."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pitwall.core.actions import ActionForm, ArgumentForm, Proposal, SemanticAction, argument_text
from pitwall.engine.control.legality import LegalActions, legal
from pitwall.engine.control.planner import KeptReply, PlanReply, PlanRequest

BASELINES = ("random", "idle")
"""Planners that look at nothing and remember nothing."""
LONE = (*BASELINES, "explore")
"""Planners that decide every step themselves: no module, no hint and no other controller has a say."""
_UNBOUNDED = 100
"""Span of a number that the profile does not bound."""
_DECIMALS = 2
_TRIES = 20
"""Draws before a step goes without an action; only forms with illegal values need a second draw."""


class RandomPlanner(KeptReply[PlanReply]):
    """Plans any legal action with legal arguments, one a step, all equally likely; a `Planner`.

    Args:
        seed: equal seeds draw equal actions.
    """

    name = "random"

    def __init__(self, space: LegalActions, *, seed: int) -> None:
        self._space = space
        self._dice = random.Random(seed)

    def request(self, request: PlanRequest) -> None:
        action = drawn(self._space.forms, self._space, self._dice)
        if action is None:
            self._reply = _no_plan(request, "There is no legal action to draw from.")
            return
        proposal = Proposal(
            proposal_id=0,
            situation="not looked at",
            subgoal="any legal action",
            candidates=(action,),
            steps=1,
            source="random",
            planned_ns=request.now_ns,
        )
        self._reply = PlanReply(request_id=request.request_id, proposal=proposal, why="Drawn at random.")


class IdlePlanner(KeptReply[PlanReply]):
    """Never acts: each step waits; a `Planner`."""

    name = "idle"

    def request(self, request: PlanRequest) -> None:
        self._reply = _no_plan(request, "Idle: it waits.")


def drawn(forms: Sequence[ActionForm], space: LegalActions, dice: random.Random) -> SemanticAction | None:
    """Draw a legal action of these forms, all equally likely; None if no draw is legal."""
    for _ in range(_TRIES if forms else 0):
        form = dice.choice(forms)
        inside = ", ".join(f"{argument.name}={random_value(argument, dice)}" for argument in form.arguments)
        action = legal(f"{form.name}({inside})" if inside else form.name, space)
        if action is not None:
            return action
    return None


def random_value(form: ArgumentForm, dice: random.Random) -> str:
    """Return a random value that an argument may take, as text of an action."""
    if form.kind == "choice":
        return argument_text(dice.choice(form.choices)) if form.choices else ""
    if form.kind == "keys":
        many = dice.randint(2, max(2, form.most))
        return argument_text("+".join(dice.sample(form.choices, min(many, len(form.choices)))))
    if form.kind == "text":
        return argument_text("".join(dice.choices(form.choices, k=dice.randint(1, max(1, form.most)))))
    low, high = form.minimum, form.maximum
    if low is None:
        low = high - _UNBOUNDED if high is not None else 0.0
    high = high if high is not None else low + _UNBOUNDED
    if form.kind == "int":
        return str(dice.randint(int(low), int(high)))
    return f"{dice.uniform(low, high):.{_DECIMALS}f}"


def _no_plan(request: PlanRequest, why: str) -> PlanReply:
    return PlanReply(request_id=request.request_id, proposal=None, why=why)
