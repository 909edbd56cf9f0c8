"""The allocation benchmark plays real runs, scores them by their true state, and tells what missed."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from tests.patience import PATIENT_WORDS

from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary, TierFigures
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Task
from pitwall.models.registry import ModelRegistry
from pitwall.store.run_reader import RunReader
from pitwall_evaluation.truth.state import TrueState
from workshop.benchmarks.benchmark_model import benchmark_model, copy_model_entry
from workshop.benchmarks.planning.allocation import (
    EVENTS,
    GAME,
    RULES,
    TASK,
    checks_of,
    figures,
    model_checks_of,
    played,
    shipped_checks_of,
)
from workshop.benchmarks.planning.allocation_play import Evaluator, Play, Rules

_TASK = Task(id="it", instruction="do it", score="metrics.share", target=1.0, steps=10)


def _play(
    *, progress: float = 1.0, strategic: int = 5, stuck: int = 0, recovered: int = 0, tokens: int = 0
) -> Play:
    tiers = {"strategic": TierFigures(calls=strategic, prompt_tokens=tokens, cached_tokens=tokens // 4)}
    summary = RunSummary(
        outcome="finished",
        seconds=20.0,
        steps=10,
        strategic_calls=strategic,
        stuck=stuck,
        recovered=recovered,
        tiers=tiers if tokens else {},
    )
    return Play(seed=1, summary=summary, progress=progress, success=progress == 1.0, turns=None)


def _state(share: float, *, alive: int = 1, steps: int = 0) -> TrueState:
    return TrueState.model_validate(
        {
            "gameId": "made",
            "timestampMs": 0,
            "gameTimeMs": 0,
            "status": "playing",
            "metrics": {"share": share, "alive": alive, "steps": steps},
        }
    )


def test_without_a_stuck_step_there_is_no_recovery_rate() -> None:
    message = figures([_play(), _play()])
    assert message["stuck_rate"] == 0.0
    assert message["recovery_rate"] is None
    assert message["recovery_ratio"] is None


def test_figures_are_of_all_plays_together() -> None:
    message = figures([_play(stuck=4, recovered=3, tokens=100), _play(progress=0.4, stuck=1, tokens=60)])
    assert message["success"] == 1
    assert message["progress"] == [1.0, 0.4]
    assert (message["stuck_rate"], message["recovery_rate"]) == (0.25, 0.6)
    assert message["recovery_ratio"] == pytest.approx(2.4)
    assert message["tokens"] == {"fresh": 120, "cached": 40, "output": 0}
    assert message["seconds_per_step"] == pytest.approx(2.0)


def test_what_is_lower_than_an_ablation_is_told() -> None:
    plays = {name: [_play(strategic=10)] for name in RULES}
    plays[EVENTS] = [_play(progress=0.8, strategic=4)]
    plays["reactive only"] = [_play(progress=0.2, strategic=0)]
    missed = {(item["name"], item["aim"]) for item in checks_of(plays, whole=True) if not item["met"]}
    assert missed == {
        (name, f"≥ {other}")
        for name in ("progress", "success")
        for other in ("always strategic", "fixed schedule")
    }
    calls = checks_of(plays, whole=False)[0]
    assert (calls["name"], calls["ratio"], calls["met"]) == ("strategic calls", 0.4, True)


def test_success_is_no_check_where_the_task_was_cut_short() -> None:
    plays = {name: [_play()] for name in RULES}
    assert {item["name"] for item in checks_of(plays, whole=False)} == {"strategic calls", "progress"}


def test_a_model_is_judged_by_its_costs_alone() -> None:
    plays = {name: [_play(strategic=10, tokens=400)] for name in RULES}
    plays[EVENTS] = [_play(progress=0.0, strategic=5, tokens=800)]
    met = {item["name"]: item["met"] for item in model_checks_of(plays)}
    assert met == {"model calls": True, "tokens evaluated": False, "time a step": False}


def test_the_shipped_models_time_is_told_whole_and_beyond_the_games_own_pace() -> None:
    def lasting(seconds: float) -> list[Play]:
        return [replace(_play(tokens=400), summary=replace(_play(tokens=400).summary, seconds=seconds))]

    floor = {name: lasting(10.0) for name in RULES}
    plays = {name: lasting(20.0) for name in RULES} | {EVENTS: lasting(14.0)}
    result = {item["name"]: item for item in shipped_checks_of(plays, floor=floor)}
    assert (result["time a step"]["ratio"], result["time a step"]["met"]) == (pytest.approx(0.7), False)
    beyond = result["time a step beyond the game's pace"]
    assert (beyond["ratio"], beyond["met"]) == (pytest.approx(0.4), True)
    nothing_added = shipped_checks_of(floor, floor=floor)[-1]
    assert (nothing_added["ratio"], nothing_added["met"]) == (None, False)


def test_success_wants_the_target_reached_alive(tmp_path: Path) -> None:
    evaluator = Evaluator(tmp_path / "none.json", _TASK)
    for state in (_state(0.2), _state(0.6), _state(0.2)):
        evaluator.take(state)
    assert evaluator.progress == pytest.approx(0.6)
    evaluator.take(_state(1.0, alive=0, steps=8))
    assert evaluator.progress == 1.0
    reached = [evaluator.turns]
    for steps in (9, 10):
        evaluator.take(_state(1.0, steps=steps))
        reached.append(evaluator.turns)
    assert reached == [None, 9, 9]


@pytest.mark.long
@pytest.mark.usefixtures("screen")
def test_the_long_task_is_really_played_by_an_agent_that_remembers_no_other_play(tmp_path: Path) -> None:
    task = next(item for item in Registry(DataFolder(tmp_path)).load(GAME).profile.tasks if item.id == TASK)
    rules = Rules(game=GAME, task=task, steps=2, step_s=20.0, options=("--planner", "skills", *PATIENT_WORDS))
    ways = {name: RULES[name] for name in (EVENTS, "always strategic")}
    plays = played(tmp_path, rules, (1,), ways=ways)
    assert [play.summary.outcome for play in chain(*plays.values())] == ["finished"] * 2
    (play,) = plays["always strategic"]
    assert play.summary.strategic_calls == play.summary.steps == 2
    assert 0.0 <= play.progress < 1.0
    assert not play.success
    began = [RunReader.open(DataFolder(folder)).run(1).manifest.memory for folder in tmp_path.glob("play-*")]
    assert len(began) == 2 and len(set(began)) == 1, "each play begins with the same memory"


def test_a_model_is_known_wherever_it_plays(tmp_path: Path) -> None:
    model = benchmark_model(DataFolder(tmp_path / "a"), layers=1, width=128, threads=3)
    registry = ModelRegistry(DataFolder(tmp_path / "b"))
    assert copy_model_entry(model.entry, DataFolder(tmp_path / "b")) == registry.get(model.entry.name)
    assert registry.get(model.entry.name).spec == model.entry.spec
