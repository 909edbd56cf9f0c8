"""The results of an AgenticSTS study: cells with their intervals, tests, learning, ladder and prompts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, median

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.calls import Tier
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.store.run_reader import RunReader
from pitwall_bench.study.agenticsts_grid import CELLS, TRANSCRIPT
from pitwall_bench.study.agenticsts_paper import DIFFERENCES, PAPER, StsPaperRow
from pitwall_bench.suites.comparison import fisher
from pitwall_bench.suites.learning import score_of
from pitwall_bench.suites.memories import chains_of
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.statistics import Mean, Share, mean_of, share_of
from pitwall_bench.suites.summary import ClimbRow, Summary

_UNSCAFFOLDED = tuple(cell.name for cell in CELLS[:2])
_SCAFFOLDED = tuple(cell.name for cell in CELLS[2:])


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True)


class PromptGrowth(_Figures):
    """Prompt tokens of strategic calls, as means over runs.

    Attributes:
        first, last: of the first and the last call. mean: of all. calls: of a run.
        early, late: medians of the first and the last quarter of a run's calls; a single screen, such as the
            menu before the first fight, does not count in them.
    """

    first: float
    last: float
    mean: float
    calls: float
    early: float = 0.0
    late: float = 0.0


class StsCellResult(_Figures):
    """A cell's figures over its played runs; None where there are none.

    Attributes:
        score: SPEC §4's, on a scale to 100. memory: hash of the memory that its runs began with.
        why: why it was not played. seconds: of a decision, by tier, and of a step.
    """

    cell: str
    about: str
    runs: int = 0
    unplayed: int = 0
    success: Share | None = None
    score: Mean | None = None
    memory: str = ""
    prompt: PromptGrowth | None = None
    seconds: dict[str, float] = Field(default_factory=dict)
    why: str = ""
    paper: StsPaperRow | None = None


class FisherTest(_Figures):
    """Fisher's exact test, two-sided, between the successes of two groups of cells."""

    a: str
    b: str
    wins_a: int
    runs_a: int
    wins_b: int
    runs_b: int
    p: float


class LearningStep(_Figures):
    """A run of the learner: its result, its memory's hash and the gate's decisions."""

    run: str
    success: bool
    score: float
    memory: str
    accepted: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()


class StsResult(_Figures):
    """A whole study. state: its suites'."""

    study: str
    model: str
    other: str
    task: str
    seeds: int
    state: str
    cells: tuple[StsCellResult, ...]
    tests: tuple[FisherTest, ...]
    learning: tuple[LearningStep, ...]
    climbs: tuple[ClimbRow, ...]
    suites: tuple[str, ...]
    warnings: tuple[str, ...]
    differences: tuple[str, ...] = DIFFERENCES


def result_of(
    task: str,
    models: tuple[str, str],
    learned: Summary,
    played: Summary,
    ladder: Summary | None,
    *,
    sessions: Path,
    missing: dict[str, str],
) -> StsResult:
    """Compute a study's results.

    Args:
        models: that plays, and that gets the frozen memory; empty for none.
        sessions: folder of the cells' sessions. missing: cell → why it was not played.
    """
    suites = [summary for summary in (learned, played, ladder) if summary is not None]
    states = [summary.state for summary in suites if summary.state != "done"]
    model, other = models
    about = {cell.name: cell.about for cell in CELLS} | {TRANSCRIPT: "the whole conversation, without bound"}
    about |= {f"other-{name}": f"{text}; {other}" for name, text in list(about.items())}
    names = [*_CELL_NAMES, *(name for name in played.agent_names if name not in _CELL_NAMES)]
    return StsResult(
        study=played.suite,
        model=model,
        other=other,
        task=task,
        seeds=len({run.cell.seed for run in played.runs}),
        state=states[0] if states else "done",
        cells=tuple(_cell(name, about[name], played.runs, sessions, missing.get(name, "")) for name in names),
        tests=tuple(_tests(played.runs)),
        learning=tuple(_learning(learned.runs)),
        climbs=ladder.climbs if ladder is not None else (),
        suites=tuple(summary.suite for summary in suites),
        warnings=tuple(dict.fromkeys(line for summary in suites for line in summary.warnings)),
    )


_CELL_NAMES = tuple(cell.name for cell in CELLS)


def _cell(name: str, about: str, runs: Iterable[TaskRun], sessions: Path, why: str) -> StsCellResult:
    own = [run for run in runs if run.cell.agent == name]
    played = [run for run in own if run.played]
    memory = next((run.memory.before for run in own if run.memory is not None), "")
    result = StsCellResult(
        cell=name,
        about=about,
        runs=len(played),
        unplayed=len(own) - len(played),
        memory=memory,
        why=why,
        paper=PAPER.get(name),
    )
    if not played:
        return result
    return result.model_copy(
        update={
            "success": share_of(sum(run.success for run in played), len(played)),
            "score": mean_of([score_of(run) for run in played]),
            "prompt": prompt_growth(played, sessions),
            "seconds": decision_seconds(played),
        }
    )


def prompt_growth(runs: Sequence[TaskRun], sessions: Path) -> PromptGrowth | None:
    """Read the sizes of strategic prompts from the runs' logs; None if no run made such a call."""
    sizes = [prompts for run in runs if (prompts := _prompt_sizes(run, sessions))]
    if not sizes:
        return None
    return PromptGrowth(
        first=fmean(prompts[0] for prompts in sizes),
        last=fmean(prompts[-1] for prompts in sizes),
        mean=fmean(size for prompts in sizes for size in prompts),
        calls=fmean(len(prompts) for prompts in sizes),
        early=fmean(median(prompts[: _quarter(prompts)]) for prompts in sizes),
        late=fmean(median(prompts[-_quarter(prompts) :]) for prompts in sizes),
    )


def _quarter(prompts: Sequence[int]) -> int:
    return -(-len(prompts) // 4)


def decision_seconds(runs: Iterable[TaskRun]) -> dict[str, float]:
    """Return the seconds of a decision: of a call by tier, and of a step; means of the runs' medians."""
    times: dict[str, list[float]] = {}
    for run in runs:
        if run.summary is not None:
            spreads = {tier: figures.took_ms for tier, figures in run.summary.tiers.items()}
            for tier, spread in spreads.items():
                if spread.p50 is not None:
                    times.setdefault(tier, []).append(spread.p50 / 1000)
        if run.steps:
            times.setdefault("step", []).append(run.seconds / run.steps)
    return {name: fmean(values) for name, values in times.items()}


def _prompt_sizes(run: TaskRun, sessions: Path) -> list[int]:
    if run.run_id is None:
        return []
    try:
        with contextlib.closing(RunReader(DataFolder(sessions / run.cell.key))) as reader:
            calls = reader.calls(run.run_id)
    except PitwallError:
        return []
    return [call.tokens.prompt for call in calls if call.tier is Tier.STRATEGIC and call.tokens.prompt]


def _tests(runs: Sequence[TaskRun]) -> list[FisherTest]:
    pairs = [((CELLS[0].name,), (CELLS[2].name,)), (_UNSCAFFOLDED, _SCAFFOLDED)]
    tests = []
    for a, b in pairs:
        sides = [[run for run in runs if run.cell.agent in names and run.played] for names in (a, b)]
        if all(sides):
            (wins_a, runs_a), (wins_b, runs_b) = ((sum(r.success for r in side), len(side)) for side in sides)
            p = fisher(wins_a, runs_a, wins_b, runs_b)
            named = {"a": " + ".join(a), "b": " + ".join(b), "wins_a": wins_a, "runs_a": runs_a}
            tests.append(FisherTest.model_validate({**named, "wins_b": wins_b, "runs_b": runs_b, "p": p}))
    return tests


def _learning(runs: Sequence[TaskRun]) -> list[LearningStep]:
    steps = []
    for chain in chains_of(runs).values():
        for run in chain:
            assert run.memory is not None
            steps.append(
                LearningStep(
                    run=run.cell.key,
                    success=run.success,
                    score=score_of(run),
                    memory=run.memory.after,
                    accepted=run.memory.accepted,
                    retired=run.memory.retired,
                )
            )
    return steps
