"""SPIKE's grid played by the scripted oracle: does each cell move as it should when the reader is able?

The reader is a program that plays well by the prompt's text and errs in a share of the states
(`workshop/fixtures/oracle_endpoint.py`), so differences between cells come from the cells alone. Two parts:

- *cells*: SPIKE's own beside published baselines: success, tokens, and how a transcript grows.
- *memory*: each maze is played twice, and the memory is carried from the first attempt to the second. Without
  a memory the mistakes of the first attempt come again, and so do its steps. A second attempt succeeds where
  it needs at most two steps more than the same reader without mistakes: the task's own steps suffice for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.models.registry import ModelRegistry
from pitwall_bench.playing.play import play_suite
from pitwall_bench.study.report import html_of
from pitwall_bench.study.results import CellResult, StudyResult, result_of
from pitwall_bench.study.spike_grid import CELLS, suite_of
from pitwall_bench.suites.own_suites import write_suite
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.statistics import Mean, mean_of
from pitwall_bench.suites.summary import Summary, summary_of
from pitwall_evaluation.html_report import write_study
from workshop.benchmarks.report import check, figure, load_average, report
from workshop.fixtures.oracle_endpoint import MODEL, oracle_endpoint

GAMES, MEMORY_GAME = ("mines/open_80", "maze/first_key"), "maze/first_key"
ERROR, SEED = 0.5, 44
SURE = "oracle-sure"
"""The reader without mistakes: its steps are a maze's way."""
AIM_TOKENS = 0.45
"""Share of an always deliberating agent's tokens: the paper saves 54.9 % against CRADLE."""
_PLAYED = ("spike", "react", "transcript", "stardojo", "cradle")
_WITH, _WITHOUT = "strategic-only", "strategic-global"
"""The planner at each step, with the graph's fragments and with none."""
_SEEDS, _QUICK_SEEDS = 10, 1
_SLACK = 2
"""Steps beyond a maze's way within which a second attempt succeeds (choice)."""


def run(*, quick: bool) -> dict[str, Any]:
    """Play the runs that are missing, and report over all."""
    name, seeds = ("oracle-quick", _QUICK_SEEDS) if quick else ("oracle", _SEEDS)
    data = DataFolder(default_data_dir() / "benches" / name)
    data.suites.mkdir(parents=True, exist_ok=True)
    with oracle_endpoint(seed=SEED, error=ERROR) as url, oracle_endpoint() as sure:
        _add_model(data, MODEL, url)
        _add_model(data, SURE, sure)
        memory = [run for seed in range(1, seeds + 1) for run in _twice(data, seed)]
        ways = _ways(data, seeds)
        result = _cells(data, name, seeds)
    files = write_study(html_of(result), result, data.suites / name / "report")
    return reported(result, memory, ways, [str(file) for file in files])


def reported(
    result: StudyResult, memory: Sequence[TaskRun], ways: Mapping[int, int], files: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the checks over the runs that were played. ways: seed of a maze → steps without mistakes."""
    cells = {cell.cell: cell for cell in result.cells}
    steps, failed = _spared(memory, lambda run: float(run.steps)), _spared(memory, _failed)
    return report(
        "oracle",
        [
            *_cheaper(cells, "stardojo"),
            *_cheaper(cells, "cradle"),
            _grows(cells),
            _difference("steps of a second attempt, with memory less without", steps),
            _difference("failed steps of a second attempt, with memory less without", failed),
            _more_succeed(memory, ways),
        ],
        error=ERROR,
        seeds=result.seeds,
        games=result.games,
        files=list(files),
        unplayed=[run.cell.key for run in memory if not run.played],
        attempts={
            f"{agent}, attempt {wave + 1}": _attempt(memory, agent, wave)
            for agent in (_WITH, _WITHOUT)
            for wave in (0, 1)
        },
        cells={cell.cell: cell.model_dump(mode="json", exclude={"paper"}) for cell in result.cells},
        load_average=load_average(),
    )


def _add_model(data: DataFolder, name: str, url: str) -> None:
    registry = ModelRegistry(data)
    if any(entry.name == name for entry in registry.all()):
        registry.remove(name)
    registry.add_remote(name, url, MODEL)


def _cells(data: DataFolder, name: str, seeds: int) -> StudyResult:
    cells = [cell for cell in CELLS if cell.name in _PLAYED]
    suite = suite_of(MODEL, cells, name=name, games=GAMES, seeds=seeds, parallel=2)
    return result_of(MODEL, cells, _played(data, suite))


def _twice(data: DataFolder, seed: int) -> Sequence[TaskRun]:
    """Play a maze twice with each of the two memories, which is carried from the first to the second."""
    cells = [cell for cell in CELLS if cell.name in (_WITH, _WITHOUT)]
    suite = suite_of(MODEL, cells, name=f"oracle-memory-{seed}", games=[MEMORY_GAME], seeds=1, parallel=2)
    agents = [agent.model_copy(update={"carry": "agent"}) for agent in suite.agents]
    return _played(data, suite.model_copy(update={"agents": agents, "seeds": [seed], "repeats": 2})).runs


def _ways(data: DataFolder, seeds: int) -> dict[int, int]:
    """Return the steps that the reader without mistakes takes in each maze."""
    cells = [cell for cell in CELLS if cell.name == _WITHOUT]
    suite = suite_of(SURE, cells, name="oracle-ways", games=[MEMORY_GAME], seeds=seeds, parallel=2)
    return {run.cell.seed: run.steps for run in _played(data, suite).runs if run.success}


def _played(data: DataFolder, suite: SuiteSpec) -> Summary:
    plan = read_suite(write_suite(suite, data), data)
    return summary_of(play_suite(plan, data, failed_again=True).folder)


def _success(cell: CellResult) -> float:
    return cell.success.share if cell.success is not None else 0.0


def _tokens(cell: CellResult) -> float:
    return cell.tokens.mean if cell.tokens is not None else 0.0


def _cheaper(cells: dict[str, CellResult], other: str) -> list[dict[str, Any]]:
    """Compare SPIKE's own cell with an agent that deliberates at each step: tokens, and success."""
    spike, peer = cells["spike"], cells[other]
    share = _tokens(spike) / _tokens(peer) if _tokens(peer) else 0.0
    points = 100 * (_success(spike) - _success(peer))
    return [
        check(
            f"tokens a run against {other}",
            "share",
            figure(share),
            aim=f"≤ {AIM_TOKENS:g}",
            met=0 < share <= AIM_TOKENS,
        ),
        check(f"success against {other}", "points", figure(points), aim="≥ 0", met=points >= 0),
    ]


def _grows(cells: dict[str, CellResult]) -> dict[str, Any]:
    """Compare the tokens a step of an unbounded transcript with those of a bounded window."""
    steps = {name: cells[name].tokens_step for name in ("transcript", "react")}
    transcript, react = steps["transcript"], steps["react"]
    ratio = transcript.mean / react.mean if transcript and react and react.mean else 0.0
    return check("tokens a step, transcript over ReAct", "×", figure(ratio), aim="> 1.5", met=ratio > 1.5)


def _failed(run: TaskRun) -> float:
    return float(run.summary.stuck) if run.summary is not None else 0.0


def _second(runs: Sequence[TaskRun], agent: str) -> dict[int, TaskRun]:
    """Return an agent's second attempts by seed."""
    return {
        run.cell.seed: run for run in runs if run.played and run.cell.agent == agent and run.cell.wave == 1
    }


def _spared(runs: Sequence[TaskRun], measure: Callable[[TaskRun], float]) -> Mean | None:
    """Return what the memory changes in second attempts, with its interval over the mazes of both."""
    kept, none = _second(runs, _WITH), _second(runs, _WITHOUT)
    pairs = [measure(kept[seed]) - measure(none[seed]) for seed in sorted(kept.keys() & none.keys())]
    return mean_of(pairs) if pairs else None


def _succeeded(runs: Sequence[TaskRun], ways: Mapping[int, int], agent: str) -> list[bool]:
    """Return for each second attempt whether it kept to its maze's way and the slack."""
    second = _second(runs, agent)
    return [run.success and run.steps <= ways[seed] + _SLACK for seed, run in second.items() if seed in ways]


def _more_succeed(runs: Sequence[TaskRun], ways: Mapping[int, int]) -> dict[str, Any]:
    """Compare the successes of second attempts with memory and without."""
    kept, none = (_succeeded(runs, ways, agent) for agent in (_WITH, _WITHOUT))
    points = 100 * (sum(kept) / max(1, len(kept)) - sum(none) / max(1, len(none)))
    shown = f"{sum(kept)} of {len(kept)} with memory, {sum(none)} of {len(none)} without"
    return check(
        f"success of a second attempt within {_SLACK} steps of the way ({shown})",
        "points",
        figure(points),
        aim="> 0",
        met=points > 0,
    )


def _difference(name: str, mean: Mean | None) -> dict[str, Any]:
    """Return the check that a mean is surely below 0: its whole interval is."""
    if mean is None:
        return check(name, "steps", figure(0.0), aim="< 0", met=False)
    shown = f"{name} ({mean.low:.1f} to {mean.high:.1f}, {mean.n} mazes)"
    return check(shown, "steps", figure(mean.mean), aim="< 0", met=mean.high < 0)


def _attempt(runs: Sequence[TaskRun], agent: str, wave: int) -> dict[str, float]:
    own = [run for run in runs if run.played and run.cell.agent == agent and run.cell.wave == wave]
    count = max(1, len(own))
    return {
        "runs": len(own),
        "success": sum(run.success for run in own) / count,
        "steps": sum(run.steps for run in own) / count,
        "failed": sum(map(_failed, own)) / count,
    }
