"""The oracle's benchmark: what it makes of the runs that were played."""

from __future__ import annotations

from typing import Any

from tests.pitwall_bench.suites.made_runs import run

from pitwall_bench.study.results import result_of
from pitwall_bench.study.spike_grid import CELLS, suite_of
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.summary import summarise
from workshop.benchmarks.evaluation import oracle

PLAYED = ("spike", "react", "transcript", "stardojo", "cradle")


def _run(
    agent: str, seed: int, *, tokens: int = 1000, steps: int = 10, failed: int = 0, wave: int = 0
) -> TaskRun:
    tiers = {"strategic": {"calls": steps, "prompt_tokens": tokens, "output_tokens": 0}}
    summary = {"steps": steps, "stuck": failed, "tiers": tiers, "deciders": {"model": steps}}
    return run(agent, seed=seed, wave=wave, progress=1.0, steps=steps, summary=summary)


def _report(*, spared: int, cradle: int) -> dict[str, Any]:
    tokens = {"spike": 1000, "react": 1000, "transcript": 2000, "stardojo": 3000, "cradle": cradle}
    cells = [cell for cell in CELLS if cell.name in PLAYED]
    spec = suite_of("oracle", cells, name="oracle", games=["flappy/first_pipe"], seeds=2)
    runs = [_run(cell, seed, tokens=tokens[cell]) for cell in PLAYED for seed in (1, 2)]
    board = SuiteProgress(state="done", done=len(runs), of=len(runs))
    memory = [
        _run(agent, seed, wave=0, steps=20, failed=4)
        for agent in ("strategic-only", "strategic-global")
        for seed in (1, 2, 3)
    ]
    memory += [
        _run("strategic-only", seed, wave=1, steps=20 - spared, failed=4 - spared) for seed in (1, 2, 3)
    ]
    memory += [_run("strategic-global", seed, wave=1, steps=20, failed=4) for seed in (1, 2, 3, 4)]
    result = result_of("oracle", cells, summarise("oracle", spec, runs, board=board))
    return oracle.reported(result, memory, {seed: 16 for seed in (1, 2, 3, 4)})


def test_each_direction_is_met_or_not_by_the_runs() -> None:
    good = _report(spared=3, cradle=4000)
    assert good["met"], good["checks"]
    steps = next(check for check in good["checks"] if check["name"].startswith("steps of a second attempt"))
    assert "3 mazes" in steps["name"] and steps["ours"]["p50"] == -3.0, "pairs that both played"
    succeeded = next(check for check in good["checks"] if check["name"].startswith("success of a second"))
    assert "3 of 3 with memory, 0 of 4 without" in succeeded["name"] and succeeded["ours"]["p50"] > 0
    assert good["conditions"]["attempts"]["strategic-only, attempt 2"]["failed"] == 1.0
    assert not _report(spared=0, cradle=4000)["met"], "a memory that spares nothing"
    assert not _report(spared=3, cradle=1500)["met"], "two thirds of cradle's tokens are too many"
