"""A study's results: each cell's figures with their intervals, beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from pitwall.core.calls import Tier
from pitwall.core.quantities import counted
from pitwall.core.runs import recovery_ratio
from pitwall_bench.study.paper import DIFFERENCES, PAPER, PaperRow
from pitwall_bench.study.spike_grid import StudyCell
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.statistics import Mean, Share, mean_of, share_of
from pitwall_bench.suites.summary import Summary


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True)


class CellResult(_Figures):
    """The figures of a cell over its played runs; None where there are none.

    Attributes:
        budgeted: successes under the call budget; of a quick study, within as many calls.
        progress: mean share of the way to the target, 0 … 1.
        tokens, tokens_step, step_s, strategic_step: means of single runs: tokens a run and a step, seconds a
            step, and strategic calls a step.
        ratio: recovery rate over stuck rate of the runs that were stuck at all.
        own: share of the steps that the model decided.
    """

    cell: str
    part: str
    about: str
    runs: int
    unplayed: int
    success: Share | None = None
    budgeted: Share | None = None
    progress: Mean | None = None
    tokens: Mean | None = None
    tokens_step: Mean | None = None
    step_s: Mean | None = None
    strategic_step: Mean | None = None
    ratio: Mean | None = None
    own: float | None = None
    paper: PaperRow | None = None


class StudyResult(_Figures):
    """A whole study.

    Attributes:
        about: its suite's description. state: its suites'.
        differences: from the paper's protocol, a sentence each.
    """

    study: str
    about: str
    model: str
    suites: tuple[str, ...]
    state: str
    games: tuple[str, ...]
    seeds: int
    cells: tuple[CellResult, ...]
    warnings: tuple[str, ...]
    differences: tuple[str, ...] = DIFFERENCES


def result_of(
    model: str, cells: Sequence[StudyCell], played: Summary, budgeted: Summary | None = None
) -> StudyResult:
    """Compute a study's results.

    Args:
        budgeted: the suite under the call budget; None: successes within as many calls are counted.
    """
    suites = [summary for summary in (played, budgeted) if summary is not None]
    states = [summary.state for summary in suites if summary.state != "done"]
    return StudyResult(
        study=played.suite,
        about=played.description,
        model=model,
        suites=tuple(summary.suite for summary in suites),
        state=states[0] if states else "done",
        games=tuple(f"{fact.game}/{fact.task}" for fact in played.facts),
        seeds=len({run.cell.seed for run in played.runs}),
        cells=tuple(_cell(cell, played.runs, budgeted.runs if budgeted else None) for cell in cells),
        warnings=(*played.warnings, *(_not_played(summary) for summary in suites if summary.unplayed)),
    )


def _not_played(summary: Summary) -> str:
    """Say which runs could not be played, with the first cause."""
    first, more = summary.unplayed[0], len(summary.unplayed) - 1
    others = f" (and {counted(more, 'other run')})" if more else ""
    named = f"{first.game}/{first.task} with {first.agent}, seed {first.seed}"
    why = f"{summary.suite}: {named}, was not played{others}: {first.why}"
    return f"{why} Give the same command again, and what was not played is played."


def _cell(cell: StudyCell, runs: Iterable[TaskRun], budgeted: Iterable[TaskRun] | None) -> CellResult:
    own = [run for run in runs if run.cell.agent == cell.name]
    played = [run for run in own if run.played]
    result = CellResult(
        cell=cell.name,
        part=cell.part,
        about=cell.about,
        runs=len(played),
        unplayed=len(own) - len(played),
        paper=PAPER.get(cell.paper),
    )
    if not played:
        return result
    if budgeted is None:
        within = [run.within_calls for run in played]
    else:
        within = [run.success for run in budgeted if run.cell.agent == cell.name and run.played]
    deciders = [run.summary.deciders for run in played if run.summary is not None]
    counted = sum(sum(shares.values()) for shares in deciders)
    return result.model_copy(
        update={
            "success": share_of(sum(run.success for run in played), len(played)),
            "budgeted": share_of(sum(within), len(within)) if within else None,
            "progress": mean_figure(played, lambda run: run.progress, most=1.0),
            "tokens": mean_figure(played, tokens),
            "tokens_step": mean_figure(played, lambda run: _each_step(run, tokens(run))),
            "step_s": mean_figure(played, lambda run: _each_step(run, run.seconds)),
            "strategic_step": mean_figure(played, lambda run: _each_step(run, _strategic_calls(run))),
            "ratio": mean_figure(played, lambda run: recovery_ratio(run.summary) if run.summary else None),
            "own": sum(shares.get("model", 0) for shares in deciders) / counted if counted else None,
        }
    )


def tokens(run: TaskRun) -> float:
    """Return the tokens of a run, read and written, those from a cache too: what an endpoint would count."""
    tiers = run.summary.tiers.values() if run.summary is not None else ()
    return float(sum(tier.prompt_tokens + tier.output_tokens for tier in tiers))


def _strategic_calls(run: TaskRun) -> float:
    tier = run.summary.tiers.get(Tier.STRATEGIC) if run.summary is not None else None
    return float(tier.calls) if tier is not None else 0.0


def _each_step(run: TaskRun, total: float) -> float | None:
    return total / run.steps if run.steps else None


def mean_figure(
    runs: Sequence[TaskRun], figure: Callable[[TaskRun], float | None], *, most: float = math.inf
) -> Mean | None:
    """Return the mean of a figure from 0 to `most` over the runs that have it; None if none has."""
    values = [value for run in runs if (value := figure(run)) is not None]
    return mean_of(values, within=(0.0, most)) if values else None
