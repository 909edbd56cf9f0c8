"""The model figures of `pitwall demo --json`: how many calls, and how many invalid proposals."""

from __future__ import annotations

from pitwall.cli.play.demo import _thinking
from pitwall.core.actions import Invalid
from pitwall.core.runs import RunSummary, TierFigures


def test_model_calls_and_invalid_actions_are_counted() -> None:
    summary = RunSummary(
        tiers={
            "strategic": TierFigures(model="pitwall-small", calls=6, dropped=1),
            "fast": TierFigures(model="pitwall-small", calls=14, failed=2),
        },
        proposed_actions=20,
        illegal_actions={Invalid.NO_CALL.value: 1, Invalid.OUT_OF_SPACE.value: 3},
    )
    lines = _thinking(summary)
    assert lines["model_calls"] == 20
    assert {name: (tier["model"], tier["calls"]) for name, tier in lines["tiers"].items()} == {
        "strategic": ("pitwall-small", 6),
        "fast": ("pitwall-small", 14),
    }
    assert (lines["proposed_actions"], lines["invalid_actions"], lines["invalid_action_rate"]) == (20, 4, 0.2)
    assert lines["invalid_actions_by_kind"] == summary.illegal_actions


def test_without_a_model_nothing_was_asked() -> None:
    lines = _thinking(RunSummary())
    assert (lines["model_calls"], lines["tiers"], lines["invalid_actions"]) == (0, {}, 0)
    assert lines["invalid_action_rate"] is None, "there is nothing to rate"
