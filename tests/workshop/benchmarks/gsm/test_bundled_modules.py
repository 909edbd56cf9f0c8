"""Scores of modules against the aims: who carries which, and what a quick form does not judge."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.confidence_intervals import wilson
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.gsm.version_record import Score
from pitwall.gsm.versions import RULES, SHIPPED, declared
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.trials.twin_trials import trial_named
from workshop.benchmarks.gsm.bundled_modules import ARENA, BOSS, DOOM, FLAPPY, check_of


def _score(values: list[float], wins: int, unit: str = "") -> Score:
    low, high = mean_interval(values)
    win_low, win_high = wilson(wins, len(values))
    return Score(
        where="screen",
        trial="boss",
        runs=len(values),
        mean=sum(values) / len(values),
        low=low,
        high=high,
        unit=unit,
        wins=wins,
        win_low=win_low,
        win_high=win_high,
        values=tuple(values),
        at=1.0,
    )


def test_a_mean_is_compared_with_its_interval() -> None:
    score = _score([100.0] * 15 + [60.0] * 5, 20, "pipes")
    check = check_of(FLAPPY[0], SHIPPED, score, carries=True, quick=False)
    assert (check["ours"]["mean"], check["ours"]["p50"], check["met"]) == (90.0, 100.0, True)
    assert check["ours"]["low"] < 90.0 < check["ours"]["high"]
    assert (check["aim"], check["peer"]["p50"]) == ("≥ 90 pipes", 28.3)
    worse = _score([100.0] * 14 + [60.0] * 6, 20, "pipes")
    assert not check_of(FLAPPY[0], SHIPPED, worse, carries=True, quick=False)["met"]


def test_rules_and_policies_have_aims_of_their_own() -> None:
    score = _score([100.0] * 13 + [40.0] * 7, 13)
    rules = check_of(BOSS, RULES, score, carries=False, quick=False)
    learned = check_of(BOSS, SHIPPED, score, carries=True, quick=False)
    assert (rules["aim"], rules["met"], rules["peer"]["p50"]) == ("≥ 60 %", True, 15.0)
    assert (learned["aim"], learned["met"], learned["peer"]["p50"]) == ("≥ 95 %", False, 60.0)
    assert rules["ours"]["mean"] == 65.0
    assert rules["ours"]["low"] < 50 < rules["ours"]["high"]


def test_who_carries_no_aim_is_told_beside_and_a_quick_form_judges_nothing() -> None:
    lost = _score([0.0, 0.0], 0)
    beside = check_of(ARENA[1], RULES, lost, carries=False, quick=False)
    assert (beside["aim"], beside["met"], beside["peer"]) == ("told beside", True, None)
    assert check_of(ARENA[1], RULES, lost, carries=True, quick=False)["met"] is False
    assert check_of(BOSS, SHIPPED, lost, carries=True, quick=True)["met"] is True


def test_every_contest_is_declared_by_its_game(tmp_path: Path) -> None:
    registry = Registry(DataFolder(tmp_path))
    for contest in (*FLAPPY, *ARENA, *DOOM):
        module = declared(registry.load(contest.game), contest.module)
        trial = trial_named(module, contest.trial, contest.cap)
        assert trial.name == contest.trial
