"""A model tried against the skills, with seats that answer at once: the verdict, going on, the card."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.pitwall_bench.playing.quick_worker import PLAYED, SCRIPT, QuickChild
from tests.pitwall_bench.suites.made_runs import run

from pitwall.core.errors import PitwallError, SettingsError
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from pitwall_bench.playing import model_trial
from pitwall_bench.playing.model_trial import LEAST_PAIRS, TooFewPairs, forget_trial, result_of, try_model
from pitwall_bench.suites.catalogue import SuiteRepository
from pitwall_bench.suites.results import TaskRun
from pitwall_evaluation import worker_client
from workshop.fixtures.tiny_models import tiny_encoder, tiny_text_model

if sys.platform == "win32":
    pytest.skip("its seats inherit their channel by number", allow_module_level=True)


class Bench:
    """A data folder with one model, and what the seats shall do."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, DataFolder(folder / "data")
        self.registry = ModelRegistry(self.data)
        self.registry.add_file(tiny_text_model(folder / "tiny.gguf"))
        self.says({})

    def says(self, script: dict[str, list[str]]) -> None:
        (self.folder / SCRIPT).write_text(json.dumps(script), encoding="utf-8")

    def tries(self) -> int:
        return sum(len(path.read_text().splitlines()) for path in (self.folder / PLAYED).glob("*"))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(worker_client, "Child", QuickChild)
    monkeypatch.setattr(model_trial, "_MOST_SEEDS", LEAST_PAIRS)
    return Bench(tmp_path)


def _wins(agent: str) -> dict[str, list[str]]:
    return {f"mines~open_40~{agent}~{seed}~0": ["win"] for seed in range(1, LEAST_PAIRS + 1)}


def _begun(bench: Bench, runs: int) -> Callable[[], bool]:
    """Whether so many runs were begun: then it is to stop."""
    return lambda: bench.tries() >= runs


def test_a_trial_stays_on_the_card_goes_on_where_it_was_stopped_and_begins_anew_when_it_ended(
    bench: Bench,
) -> None:
    bench.says(_wins("skills"))
    message: list[str] = []
    stopped = try_model(
        bench.data,
        bench.registry.get("tiny"),
        tell=lambda _s, text: message.append(text),
        should_stop=_begun(bench, 2),
    )
    assert stopped is None
    assert bench.registry.get("tiny").trial is None
    assert bench.tries() < 2 * LEAST_PAIRS
    before = bench.tries()
    result = try_model(bench.data, bench.registry.get("tiny"))
    assert result is not None
    assert (result.pairs, result.wins, result.skills_wins, result.verdict) == (
        LEAST_PAIRS,
        0,
        LEAST_PAIRS,
        "worse",
    )
    assert result.high < 0
    assert bench.tries() <= before + 2 * LEAST_PAIRS - 1  # at least the first run was kept
    assert bench.registry.get("tiny").trial == result
    assert (
        "Worse than the skills at mines/open_40: success in 0 of 3 worlds against 3 of 3" in result.sentence
    )
    played = bench.tries()
    assert try_model(bench.data, bench.registry.get("tiny"), should_stop=_begun(bench, played + 1)) is None
    assert played < bench.tries() < played + 2 * LEAST_PAIRS
    assert forget_trial(bench.data, "tiny")
    assert not forget_trial(bench.data, "tiny")


def test_a_finished_trial_offers_nothing_to_resume(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_trial, "_MOST_SEEDS", 60)
    bench.says(_wins("skills"))
    assert try_model(bench.data, bench.registry.get("tiny"), seconds=10.0) is not None
    (listed,) = SuiteRepository(bench.data).read().runs
    assert listed.state == "done"
    assert listed.done == listed.of < 120, "its time was over before all worlds were played"


def test_runs_that_cannot_be_played_are_no_verdict(bench: Bench) -> None:
    bench.says({f"mines~open_40~model~{seed}~0": ["launch"] for seed in (1, 2, 3)})
    with pytest.raises(TooFewPairs, match=r"only 0 of at least 3 worlds.*it was launch"):
        try_model(bench.data, bench.registry.get("tiny"))
    assert bench.registry.get("tiny").trial is None


def test_other_options_of_loading_forget_the_trial(bench: Bench) -> None:
    trial = result_of(_runs(model=1.0, skills=1.0), task="mines/open_40")
    bench.registry.tried("tiny", trial)
    assert bench.registry.change("tiny", context=512).trial == trial
    assert bench.registry.change("tiny", threads=1).trial is None


def test_what_cannot_be_tried_is_said(bench: Bench) -> None:
    encoder = bench.registry.add_file(tiny_encoder(bench.folder / "encoder.onnx"))
    with pytest.raises(SettingsError, match="writes no text"):
        try_model(bench.data, encoder)
    for task, words in (("nothing", "names no task"), ("mines/nothing", "has no task 'nothing'")):
        with pytest.raises(PitwallError, match=words):
            try_model(bench.data, bench.registry.get("tiny"), task=task)


def _runs(*, model: float, skills: float, pairs: int = 6) -> list[TaskRun]:
    return [
        run(agent, game="mines", task="open_40", seed=seed, progress=progress)
        for seed in range(pairs)
        for agent, progress in (("model", model), ("skills", skills))
    ]


@pytest.mark.parametrize(
    ("model", "skills", "verdict"), [(1.0, 0.5, "better"), (1.0, 1.0, "no better"), (0.5, 1.0, "worse")]
)
def test_the_verdict_is_the_intervals(model: float, skills: float, verdict: str) -> None:
    result = result_of(_runs(model=model, skills=skills), task="mines/open_40")
    assert result.verdict == verdict
    assert (result.low > 0, result.high < 0) == (verdict == "better", verdict == "worse")
    assert result.step_s == 0.5


def test_only_worlds_that_both_played_count() -> None:
    runs = [*_runs(model=1.0, skills=1.0, pairs=3), run("skills", game="mines", task="open_40", seed=9)]
    result = result_of(runs, task="mines/open_40")
    assert (result.pairs, result.skills_wins) == (3, 3)
