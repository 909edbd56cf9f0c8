"""How fast a model reads is followed by its calls, and makes a budget that does not flutter."""

from __future__ import annotations

import pytest

from pitwall.engine.inference.token_counts import ReadingSpeeds
from pitwall.models.host_requests import Completed
from pitwall.models.spec import ModelSpec

SPEC = ModelSpec(name="m", kind="gguf", reads=200.0)


def _reply(fresh: int, first_ms: float, cached: int = 0) -> Completed:
    return Completed(
        request_id=1,
        text="",
        finish="stop",
        prompt_tokens=fresh + cached,
        cached_tokens=cached,
        output_tokens=1,
        queued_ms=100.0,
        first_token_ms=first_ms + 100.0,
    )


def test_a_model_nobody_measured_has_no_budget_until_it_was_called() -> None:
    speeds, new = ReadingSpeeds(), ModelSpec(name="new", kind="gguf")
    assert speeds.budget(new, 1000) == 0
    speeds.learn(new, _reply(500, 1000.0, cached=300))
    assert speeds.of(new) == 500.0
    assert speeds.budget(new, 1000) == 362, "a half octave below 500: 256 · √2"


def test_calls_move_the_speed_and_short_ones_do_not() -> None:
    speeds = ReadingSpeeds()
    speeds.learn(SPEC, _reply(10, 1000.0))
    assert speeds.of(SPEC) == 200.0
    speeds.learn(SPEC, _reply(100, 1000.0))
    assert speeds.of(SPEC) == pytest.approx(170.0)


def test_a_wavering_speed_leaves_the_budget_as_it_is() -> None:
    budgets = {
        ReadingSpeeds().budget(ModelSpec(name="m", kind="gguf", reads=reads), 1000)
        for reads in (185.0, 200.0, 230.0, 250.0)
    }
    assert budgets == {181}
    assert ReadingSpeeds().budget(ModelSpec(name="slow", kind="gguf", reads=0.5), 10) == 16
