"""A step's success is as sure as its evidence: progress, its declared effect, or neither."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.loop.player_rig import MANIFEST, Clock, Stage

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.signals import Route, Signals
from pitwall.engine.decision.open_step import OpenStep, action_outcome
from pitwall.engine.decision.route_decision import RouteDecision
from pitwall.engine.trigger.progress import EFFECT

DECIDED = RouteDecision(
    route=Route.REACTIVE,
    action=SemanticAction(name="tap"),
    reasons=(),
    why="",
    proposal=None,
    failure=Signals().failure,
)


@pytest.fixture
def step(tmp_path: Path) -> OpenStep:
    (tmp_path / "plugin.toml").write_text(MANIFEST)
    stage = Stage(tmp_path, Clock())
    stage.turn()
    seen = stage.session.seen
    assert seen is not None
    step = OpenStep(
        number=1,
        began_ns=0,
        since_run_ns=0,
        seen=seen,
        routed=DECIDED,
        signals=Signals(),
        pixels=seen.frame.pixels,
        over_ns=0,
    )
    step.act(SemanticAction(name="tap"), None)
    return step


@pytest.mark.parametrize(
    ("effect", "grown", "expects", "confidence"),
    [
        (Effect.CONFIRMED, (), False, 0.0),
        (Effect.CONFIRMED, (EFFECT,), False, 0.0),
        (Effect.CONFIRMED, ("position",), False, 1.0),
        (Effect.UNVERIFIED, ("inventory",), False, 1.0),
        (Effect.CONFIRMED, (), True, 1.0),
        (Effect.UNVERIFIED, (), True, 0.0),
    ],
)
def test_a_change_of_the_picture_alone_is_no_sure_success(
    step: OpenStep, effect: Effect, grown: tuple[str, ...], expects: bool, confidence: float
) -> None:
    step = replace(step, expects=expects)
    lesson = action_outcome(step, step.seen, lambda _values, _status: "here", effect, grown=grown, run_id=1)
    assert lesson.confidence == confidence
