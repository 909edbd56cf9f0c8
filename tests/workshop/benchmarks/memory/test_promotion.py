"""The benchmark of long-term evidence: both rules on one lesson, and a game played under both."""

from __future__ import annotations

import pytest

pytest.importorskip("jericho", reason="the Z-machine (jericho) is not installed: installer/test builds it")

from pitwall.core.actions import Effect
from pitwall.engine.recall.promotion import PromotionJudge
from pitwall.engine.recall.write_rules import ActionOutcome
from workshop.benchmarks.memory import promotion


def test_a_change_of_the_picture_is_advice_under_one_rule_alone() -> None:
    picture, sure = promotion.Graph(), promotion.Graph()
    judge = PromotionJudge(sure.learn)
    for step, (action, confidence) in enumerate((("turn", 0.0), ("chop", 1.0)), 1):
        lesson = ActionOutcome(
            before=f"hall {action}",
            after="wood",
            action=action,
            effect=Effect.CONFIRMED,
            progressed=bool(confidence),
            confidence=confidence,
            step=step,
        )
        promotion.learn_by_picture(picture, lesson)
        judge.note(lesson)
    assert (picture.advice("hall turn"), sure.advice("hall turn")) == ("turn", "")
    assert picture.advice("hall chop") == sure.advice("hall chop") == "chop"
    assert (picture.edges, sure.edges) == (2, 1)


def test_a_game_is_played_under_both_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promotion, "GAMES", {"nightpost": promotion.GAMES["nightpost"]})
    monkeypatch.setattr(promotion, "_QUICK_STEPS", promotion.STEPS)  # in ten, nothing sure comes again
    monkeypatch.setattr(promotion, "_QUICK_SEEDS", 4)
    body = promotion.run(quick=True)
    assert [check["name"].split(",")[0] for check in body["checks"]] == [
        "nightpost: score",
        "nightpost: progress",
    ]
    means = body["conditions"]["games"]["nightpost"]
    assert means["steps by the graph, sure"] > 0 and means["edges, picture"] > 0
