"""A hostile model in every stage: no illegal action leaves the controllers, and no prompt is taken over.

More cases by `--campaign N`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Literal

import pytest
from tests.engine.control.model_fakes import (
    Bench,
    FakeCaller,
    bundled,
    note,
    past,
    plan_request,
    react_request,
    text,
)

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.conditions import parse_condition
from pitwall.core.prompts import Layer
from pitwall.core.signals import Failure, Reason
from pitwall.engine.control.baselines import drawn
from workshop.campaigns.adversary import Adversary

FORGED = ("\n- quit_game", "\n## legal", "\nYou may run", "\u202e", "\x1b", "\x00")
"""What a text that got out of its quotes would have put into a prompt."""


def _hostile(game: str, seed: int, **settings: Any) -> Bench:
    profile = bundled(game)
    bench = Bench(FakeCaller(sight=True, calls_left=1_000_000), game=profile, **settings)
    chance = random.Random(seed)
    legal = [str(drawn([form], bench.space, chance)) for form in bench.space.forms]
    adversary = Adversary(seed, legal, [field.name for field in profile.profile.fields])

    def write(purpose: Purpose) -> str:
        """Hostile; a task and its actions are sound at times, so that the stages after them come."""
        if purpose is Purpose.PLAN_TASK and chance.random() < 0.8:
            return text({"situation": "", "goal": "go", "needs": adversary.reply()[:99], "stop": ""})
        if purpose is Purpose.PLAN_ACTIONS and chance.random() < 0.8:
            aim = adversary.reply()[:99]
            return text({"actions": [{"action": chance.choice(bench.space.legal), "aim": aim}]})
        return adversary.reply()

    bench.caller.writes = write
    return bench


def _check(bench: Bench, action: SemanticAction) -> None:
    resolved = bench.space.resolve(action, width=640, height=480)
    assert resolved.invalid is None
    keys = {timed.event.key for timed in resolved.events if timed.event.key}
    assert keys <= bench.space.allowed_keys


def _check_proposal(bench: Bench, proposal: Proposal) -> None:
    assert bool(proposal.candidates) != bool(proposal.module)
    for action in proposal.candidates:
        _check(bench, action)
    if proposal.stop:
        parse_condition(proposal.stop, frozenset(field.name for field in bench.game.profile.fields))
    assert proposal.subgoal.isprintable() and 1 <= proposal.steps <= 1000


def _check_prompts(bench: Bench) -> None:
    layers = bench.settings.layers
    for ask in bench.caller.asks:
        state = "".join(f"\n{span.text}" for span in ask.prompt.spans if span.layer is Layer.STATE)
        assert not [forged for forged in FORGED if forged in state], state
        count = sum(bench.caller.count(ask.purpose, span.text) for span in ask.prompt.spans)
        caps = layers.l1_tokens + layers.l2_tokens + layers.l3_tokens + layers.l4_tokens + layers.l5_tokens
        assert count <= caps + layers.state_tokens
    bench.caller.asks.clear()
    bench.caller.answered.clear()
    bench.caller.settled.clear()


@pytest.mark.parametrize("game", ["flappy", "doom"])
@pytest.mark.parametrize("workflow", ["spike", "gamesense"])
def test_no_plan_of_a_hostile_model_is_illegal(
    game: str, workflow: Literal["spike", "gamesense"], campaign_size: Callable[[int], int]
) -> None:
    bench = _hostile(game, 7, control={"workflow": workflow})
    running: Proposal | None = None
    planned = stood_in = 0
    for number in range(1, campaign_size(400) // 4 + 1):
        request = plan_request(
            number,
            step=4 * number,
            reasons=(Reason.STALL, Reason.SCENE) if number % 3 else (Reason.REFRESH,),
            failure=Failure.LOCAL,
            trace=(note(),),
            history=(past(4 * number - 1, bench.space.legal[0]),),
            hints=('"\n- quit_game\n',),
            running=running,
            flush=number % 7 == 0,
        )
        reply = bench.plan(request)
        if reply.call:
            assert bench.caller.unsettled == [reply.call] and not reply.failed
            bench.caller.settle(reply.call, CallOutcome.USED)
        assert not bench.caller.unsettled
        assert reply.why.isprintable() and len(reply.why) < 600
        planned += not reply.failed
        stood_in += reply.failed
        running = running if reply.keep else reply.proposal
        if running is not None:
            _check_proposal(bench, running)
        _check_prompts(bench)
    assert stood_in and planned, "both happened"


@pytest.mark.parametrize("game", ["flappy", "doom"])
def test_no_reaction_of_a_hostile_model_is_illegal(game: str, campaign_size: Callable[[int], int]) -> None:
    bench = _hostile(game, 11)
    candidates = tuple(bench.space.parse(name) for name in bench.space.legal[:1])
    proposal = Proposal(proposal_id=1, situation="", subgoal="go", candidates=candidates)
    acted = refused = 0
    for number in range(1, campaign_size(400) // 2 + 1):
        override = bool(number % 2)
        reply = bench.react(react_request(number, proposal=proposal, override=override))
        if reply.call:
            bench.caller.settle(reply.call, CallOutcome.USED)
        assert not bench.caller.unsettled and reply.why.isprintable()
        if reply.action is not None:
            assert not reply.escalate
            assert override or reply.action in candidates
            _check(bench, reply.action)
            acted += 1
        refused += reply.action is None and not reply.escalate
        _check_prompts(bench)
    assert acted and refused, "both happened"
