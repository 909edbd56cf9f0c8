"""Computes the figures of any group of runs, each with its interval.

Only runs that were played to their own end count (`TaskRun.played`). The others (a failed launch, a crash)
are counted separately, by cause, in every row: they are no failure of the agent, but must not disappear
either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import inf
from statistics import fmean, stdev
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.calls import Tier
from pitwall.core.confidence_intervals import wilson
from pitwall.core.runs import recovery_rate, recovery_ratio, stuck_rate
from pitwall_bench.suites.results import TaskRun
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_evaluation.published_scores import published

LEVELS = {
    1: "control and timing",
    2: "reactive",
    3: "spatial navigation",
    4: "symbolic strategy",
    5: "open world",
}
"""Curriculum levels (SPEC §6)."""
SHARES = (0.0, 1.0)
"""Bounds of a mean share."""
GENRES = ("runner", "arcade", "platformer", "puzzle", "simulation")


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True)


class Share(_Figures):
    """Successes of played runs; share = wins / runs.

    Attributes:
        low, high: Wilson's score interval, 95 %.
        exact_low, exact_high: Clopper and Pearson's (1934), 95 %: never too narrow, whatever the true share;
            quote this one for a row that pools several tasks.
    """

    wins: int
    runs: int
    share: float
    low: float
    high: float
    exact_low: float
    exact_high: float


class Mean(_Figures):
    """A mean over played runs.

    Attributes:
        low, high: 95 %; Student's t up to five runs, else a bootstrap of 5,000 resamplings (`mean_interval`).
        sd: of single runs (n − 1); None for a single run.
    """

    mean: float
    low: float
    high: float
    sd: float | None
    n: int


class Waves(_Figures):
    """Repeat-averaged figures: each wave's mean first, then their mean and standard deviation (n − 1).

    Only whole waves count: those that played every cell that was played in any wave.
    """

    waves: int
    success: float
    success_sd: float
    progress: float
    progress_sd: float


class Cost(_Figures):
    """The mean cost of a played run; none in money, which depends on the model's owner.

    Attributes:
        calls: model calls. fresh_tokens: prompt tokens that were evaluated. cached_tokens: not evaluated
            again.
        output_tokens: written. seconds: of play. model_s: spent on calls (median of a tier × its calls).
    """

    calls: float
    fresh_tokens: float
    cached_tokens: float
    output_tokens: float
    seconds: float
    model_s: float

    @property
    def tokens(self) -> float:
        """Return the evaluated and written tokens: the proxy that plots use."""
        return self.fresh_tokens + self.output_tokens


class Row(_Figures):
    """A group of runs. The fields that identify the group are set, the rest is empty ("" or 0).

    Attributes:
        runs: played. unplayed: others, by why they ended.
        success, progress, score, cost: None if nothing was played.
        waves: None if fewer than two waves were played whole.
        human: the human-normalised score of Atari games, over tasks that continue up to the human's score.
        best: the best score. steps: of an average run. step_s: seconds per step, over all runs.
        proposed: actions by models, or by modules of an agent whose model proposed nothing; invalid: those
            that were not valid, by kind.
        iar: invalid action rate, 1 − valid / proposed (SPEC §5); None if nothing was proposed.
        refusals: events that the broker refused, by cause. resets: restarts of games after a failure.
        budgeted: successes within the call budget of the task's difficulty (SPEC §2).
        stuck, recovery, recovery_ratio: means of single runs' rates (SPEC §10); None where none was stuck.
        strategic_step, tokens_step: calls of the strategic tier and tokens, for each step.
        deciders: shares of the steps by who decided them; empty where it was not counted.
        verified: the game itself reported every score.
    """

    agent: str = ""
    game: str = ""
    task: str = ""
    genre: str = ""
    level: int = 0
    pooled: bool = False
    runs: int = 0
    unplayed: dict[str, int] = Field(default_factory=dict)
    success: Share | None = None
    progress: Mean | None = None
    waves: Waves | None = None
    score: Mean | None = None
    human: Mean | None = None
    best: float | None = None
    unit: str = ""
    steps: float = 0.0
    step_s: float | None = None
    proposed: int = 0
    invalid: dict[str, int] = Field(default_factory=dict)
    iar: float | None = None
    refusals: dict[str, int] = Field(default_factory=dict)
    resets: int = 0
    cost: Cost | None = None
    budgeted: Share | None = None
    stuck: float | None = None
    recovery: float | None = None
    recovery_ratio: float | None = None
    strategic_step: float | None = None
    tokens_step: float | None = None
    deciders: dict[str, float] = Field(default_factory=dict)
    verified: bool = True


def clopper_pearson(wins: int, runs: int) -> tuple[float, float]:
    """Compute the exact interval of a share, 95 % (Clopper and Pearson 1934): low, high within 0 … 1.

    Args:
        runs: at least one, and no fewer than `wins`.
    """
    if not 0 <= wins <= runs or runs < 1:
        raise ValueError(f"{wins} of {runs} runs is no share")
    from scipy.special import betaincinv  # every command would pay for it

    low = 0.0 if wins == 0 else float(betaincinv(wins, runs - wins + 1, 0.025))
    high = 1.0 if wins == runs else float(betaincinv(wins + 1, runs - wins, 0.975))
    return low, high


def share_of(wins: int, runs: int) -> Share:
    """Compute a share with both intervals, from at least one run."""
    low, high = wilson(wins, runs)
    exact_low, exact_high = clopper_pearson(wins, runs)
    return Share(
        wins=wins,
        runs=runs,
        share=wins / runs,
        low=low,
        high=high,
        exact_low=exact_low,
        exact_high=exact_high,
    )


def mean_of(values: Sequence[float], *, within: tuple[float, float] = (-inf, inf)) -> Mean:
    """Compute a mean with its interval, from at least one value. within: bounds that it cannot leave."""
    low, high = mean_interval(values, within=within)
    sd = stdev(values) if len(values) > 1 else None
    return Mean(mean=fmean(values), low=low, high=high, sd=sd, n=len(values))


def rows_by(runs: Iterable[TaskRun], *names: str) -> list[Row]:
    """Group runs by agent, game, task, genre or level, in the order in which they first occur.

    Runs of a climb are left out: a rung is played until it is won, so it has no meaningful share.
    """
    groups: dict[tuple[str | int, ...], list[TaskRun]] = {}
    for run in runs:
        if run.cell.rung < 0:
            groups.setdefault(tuple(_NAMES[name](run) for name in names), []).append(run)
    return [row_of(group, **dict(zip(names, key, strict=True))) for key, group in groups.items()]


def row_of(runs: Sequence[TaskRun], **named: str | int) -> Row:
    """Compute the row of a group of runs, named by what they have in common."""
    played = [run for run in runs if run.played]
    tasks = {(run.cell.game, run.cell.task) for run in runs}
    row = Row.model_validate(
        {**named, "pooled": len(tasks) > 1, "runs": len(played), "unplayed": _unplayed(runs)}
    )
    if not played:
        return row
    proposed, invalid = sum(run.proposed for run in played), _summed(run.invalid for run in played)
    scores = [run.score for run in played if run.score is not None] if len(tasks) == 1 else []
    human = [share for run in played if (share := human_normalised(run)) is not None]
    steps = sum(run.steps for run in played)
    return row.model_copy(
        update={
            "success": share_of(sum(run.success for run in played), len(played)),
            "progress": mean_of([run.progress or 0.0 for run in played], within=SHARES),
            "waves": _waves(played),
            "score": mean_of(scores) if scores else None,
            "human": mean_of(human) if human else None,
            "best": max(scores, default=None),
            "unit": played[0].unit if len(tasks) == 1 else "",
            "steps": steps / len(played),
            "step_s": sum(run.seconds for run in played) / steps if steps else None,
            "proposed": proposed,
            "invalid": invalid,
            "iar": sum(sum(run.invalid.values()) for run in played if run.proposed) / proposed
            if proposed
            else None,
            "refusals": _summed(run.refusals for run in played),
            "resets": sum(run.resets for run in played),
            "cost": _cost(played),
            "budgeted": share_of(sum(run.within_calls for run in played), len(played)),
            **_control(played, steps),
            "verified": all(run.verified for run in played),
        }
    )


_NAMES: dict[str, Callable[[TaskRun], str | int]] = {
    "agent": lambda run: run.cell.agent,
    "game": lambda run: run.cell.game,
    "task": lambda run: run.cell.task,
    "genre": lambda run: run.genre,
    "level": lambda run: run.level,
}


def _unplayed(runs: Iterable[TaskRun]) -> dict[str, int]:
    return dict(Counter[str](run.ended for run in runs if not run.played))


def _summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for figure in counts:
        total.update(figure)
    return dict(total)


def _waves(played: Sequence[TaskRun]) -> Waves | None:
    by_wave: dict[int, dict[str, TaskRun]] = {}
    for run in played:
        by_wave.setdefault(run.cell.wave, {})[run.cell.model_copy(update={"wave": 0}).key] = run
    cells = {key for wave in by_wave.values() for key in wave}
    waves = [list(wave.values()) for wave in by_wave.values() if len(wave) == len(cells)]
    if len(waves) < 2:
        return None
    success = [fmean(run.success for run in wave) for wave in waves]
    progress = [fmean(run.progress or 0.0 for run in wave) for wave in waves]
    return Waves(
        waves=len(waves),
        success=fmean(success),
        success_sd=stdev(success),
        progress=fmean(progress),
        progress_sd=stdev(progress),
    )


def _cost(played: Sequence[TaskRun]) -> Cost:
    tiers = [tier for run in played if run.summary for tier in run.summary.tiers.values()]
    n = len(played)
    return Cost(
        calls=sum(tier.calls for tier in tiers) / n,
        fresh_tokens=sum(tier.prompt_tokens - tier.cached_tokens for tier in tiers) / n,
        cached_tokens=sum(tier.cached_tokens for tier in tiers) / n,
        output_tokens=sum(tier.output_tokens for tier in tiers) / n,
        seconds=sum(run.seconds for run in played) / n,
        model_s=sum((tier.took_ms.p50 or 0.0) * tier.calls for tier in tiers) / 1e3 / n,
    )


def _control(played: Sequence[TaskRun], steps: int) -> dict[str, Any]:
    """Return who decided, how often it was stuck, and what a step cost."""
    summaries = [run.summary for run in played if run.summary is not None]
    deciders = _summed(summary.deciders for summary in summaries)
    counted = sum(deciders.values())
    tiers = [(name, tier) for summary in summaries for name, tier in summary.tiers.items()]
    tokens = sum(tier.prompt_tokens + tier.output_tokens for _, tier in tiers)
    strategic = sum(tier.calls for name, tier in tiers if name == Tier.STRATEGIC)
    return {
        "stuck": _mean_of(map(stuck_rate, summaries)),
        "recovery": _mean_of(map(recovery_rate, summaries)),
        "recovery_ratio": _mean_of(map(recovery_ratio, summaries)),
        "strategic_step": strategic / steps if steps else None,
        "tokens_step": tokens / steps if steps else None,
        "deciders": {name: count / counted for name, count in sorted(deciders.items())},
    }


def _mean_of(rates: Iterable[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return fmean(known) if known else None


_NEARLY = 0.99
"""A task whose target is at least this share of the way to the human score continues up to that score."""


def human_normalised(run: TaskRun) -> float | None:
    """Return a run's human-normalised score.

    Returns:
        None if no score is published, nothing was played, or the task ends before the human's score.
    """
    scores = published(run.cell.game)
    if scores is None or not run.played or run.score is None or run.target is None:
        return None
    return scores.normalised(run.score) if scores.normalised(run.target) >= _NEARLY else None
