"""Tests whether two sides differ: exact tests, corrected if several pairs are compared."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np
from pydantic import BaseModel, ConfigDict

from pitwall.core.confidence_intervals import share_difference
from pitwall_bench.suites.results import TaskRun
from pitwall_evaluation.mean_interval import mean_interval

ALPHA = 0.05
_EXACT = 14
"""Up to this many pairs, every exchange of sides is tried; beyond, 10,000 random ones."""
_DRAWN = 10_000


class Comparison(BaseModel):
    """Compares two sides, a and b.

    Attributes:
        wins_a … runs_b: played runs, of the tasks that both played.
        fisher_p: Fisher's exact test on success, two-sided.
        success_low, success_high: a's share of successes minus b's, 95 % (Newcombe).
        pairs: cells that both played (same game, task, seed, wave).
        difference: mean progress of a minus that of b over the pairs; low, high: `mean_interval`; None
            without pairs.
        permutation_p: exact paired permutation test of that difference (sides exchanged within pairs),
            two-sided. wilcoxon_p: Wilcoxon's signed-rank test beside it; None where every pair is equal.
        success_p, progress_p: fisher_p and permutation_p after Holm's correction (1979) over all pairs of
            sides that were compared together.
        differs: one of the two is below 0.05. verdict: in a sentence.
    """

    model_config = ConfigDict(frozen=True)

    a: str
    b: str
    wins_a: int
    runs_a: int
    wins_b: int
    runs_b: int
    fisher_p: float
    success_low: float
    success_high: float
    pairs: int
    difference: float | None
    low: float | None
    high: float | None
    permutation_p: float
    wilcoxon_p: float | None
    success_p: float
    progress_p: float
    differs: bool = False
    verdict: str = ""


def compare_agents(runs: Iterable[TaskRun]) -> list[Comparison]:
    """Compare every pair of agents of a suite, over the runs they played."""
    sides: dict[str, list[TaskRun]] = {}
    for run in runs:
        sides.setdefault(run.cell.agent, []).append(run)
    pairs = [(a, sides[a], b, sides[b]) for a, b in itertools.combinations(sides, 2)]
    return compared(pairs)


def compare_suites(a: str, runs_a: Sequence[TaskRun], b: str, runs_b: Sequence[TaskRun]) -> list[Comparison]:
    """Compare two suites agent by agent; as wholes if they share no agent."""
    agents_b = {run.cell.agent for run in runs_b}
    common = [name for name in dict.fromkeys(run.cell.agent for run in runs_a) if name in agents_b]
    if not common:
        return compared([(a, runs_a, b, runs_b)])
    return compared(
        [
            (
                f"{agent} in {a}",
                [run for run in runs_a if run.cell.agent == agent],
                f"{agent} in {b}",
                [run for run in runs_b if run.cell.agent == agent],
            )
            for agent in common
        ]
    )


def compared(sides: Iterable[tuple[str, Sequence[TaskRun], str, Sequence[TaskRun]]]) -> list[Comparison]:
    """Compare pairs of sides as one family with a common correction; only tasks that both played count."""
    comparisons = []
    for a, runs_a, b, runs_b in sides:
        both = _tasks(runs_a) & _tasks(runs_b)
        played_a, played_b = _played(runs_a, both), _played(runs_b, both)
        if both:
            comparisons.append(_compared(a, played_a, b, played_b))
    success = holm([comparison.fisher_p for comparison in comparisons])
    progress = holm([comparison.permutation_p for comparison in comparisons])
    judged = zip(comparisons, success, progress, strict=True)
    return [
        _judged(comparison.model_copy(update={"success_p": s, "progress_p": p}))
        for comparison, s, p in judged
    ]


def fisher(wins_a: int, runs_a: int, wins_b: int, runs_b: int) -> float:
    """Compute Fisher's exact test, two-sided: the chance of shares at least this unlike."""
    from scipy import stats  # takes a second, which every command would pay

    return float(stats.fisher_exact([[wins_a, runs_a - wins_a], [wins_b, runs_b - wins_b]])[1])


def permutation(differences: Sequence[float], seed: int = 0) -> float:
    """Compute the paired permutation test of a mean difference, two-sided: exact up to 14 unequal pairs.

    Args:
        differences: one per pair. seed: draws the 10,000 exchanges if there are more pairs.
    """
    unequal = np.asarray([difference for difference in differences if difference != 0.0])
    if not len(unequal):
        return 1.0
    seen = abs(float(unequal.sum())) * (1 - 1e-12)
    if len(unequal) <= _EXACT:
        signs = np.asarray(list(itertools.product((-1.0, 1.0), repeat=len(unequal))))
        return float(np.mean(np.abs(signs @ unequal) >= seen))
    drawn = np.random.default_rng(seed).choice((-1.0, 1.0), (_DRAWN, len(unequal)))
    return float((np.sum(np.abs(drawn @ unequal) >= seen) + 1) / (_DRAWN + 1))


def holm(values: Sequence[float]) -> list[float]:
    """Apply Holm's step-down correction (1979) to p-values, in their order."""
    corrected, highest = [0.0] * len(values), 0.0
    for rank, at in enumerate(sorted(range(len(values)), key=lambda place: values[place])):
        highest = max(highest, min(1.0, values[at] * (len(values) - rank)))
        corrected[at] = highest
    return corrected


def _tasks(runs: Iterable[TaskRun]) -> set[tuple[str, str]]:
    return {(run.cell.game, run.cell.task) for run in runs if run.played and run.cell.rung < 0}


def _played(runs: Iterable[TaskRun], tasks: set[tuple[str, str]]) -> list[TaskRun]:
    counting = (run for run in runs if run.played and run.cell.rung < 0)
    return [run for run in counting if (run.cell.game, run.cell.task) in tasks]


def _compared(a: str, runs_a: Sequence[TaskRun], b: str, runs_b: Sequence[TaskRun]) -> Comparison:
    others = {_pair_of(run): run for run in runs_b}
    differences = [
        (run.progress or 0.0) - (others[_pair_of(run)].progress or 0.0)
        for run in runs_a
        if _pair_of(run) in others
    ]
    wins_a, wins_b = sum(run.success for run in runs_a), sum(run.success for run in runs_b)
    low, high = mean_interval(differences, within=(-1.0, 1.0)) if differences else (None, None)
    success_low, success_high = share_difference(wins_a, len(runs_a), wins_b, len(runs_b))
    fisher_p, permutation_p = fisher(wins_a, len(runs_a), wins_b, len(runs_b)), permutation(differences)
    return Comparison(
        a=a,
        b=b,
        wins_a=wins_a,
        runs_a=len(runs_a),
        wins_b=wins_b,
        runs_b=len(runs_b),
        fisher_p=fisher_p,
        success_low=success_low,
        success_high=success_high,
        pairs=len(differences),
        difference=fmean(differences) if differences else None,
        low=low,
        high=high,
        permutation_p=permutation_p,
        wilcoxon_p=wilcoxon(differences),
        success_p=fisher_p,
        progress_p=permutation_p,
    )


def wilcoxon(differences: Sequence[float]) -> float | None:
    """Return the signed-rank test's p of paired differences (Wilcoxon 1945); None if all are 0."""
    from scipy import stats  # as above

    return float(stats.wilcoxon(differences).pvalue) if any(differences) else None


def _pair_of(run: TaskRun) -> tuple[str, str, int, int]:
    return run.cell.game, run.cell.task, run.cell.seed, run.cell.wave


def _judged(comparison: Comparison) -> Comparison:
    won = f"{comparison.wins_a} of {comparison.runs_a} against {comparison.wins_b} of {comparison.runs_b}"
    low, high = 100 * comparison.success_low, 100 * comparison.success_high
    parts = [f"success {won}, {low:+.0f} to {high:+.0f} points, {_p(comparison.success_p)}"]
    if comparison.difference is not None:
        points, pairs = 100 * comparison.difference, comparison.pairs
        parts.append(f"progress {points:+.1f} points over {pairs} pairs, {_p(comparison.progress_p)}")
    figures = "; ".join(parts)
    by_success, by_progress = comparison.success_p < ALPHA, comparison.progress_p < ALPHA
    if not by_success and not by_progress:
        few = comparison.pairs and 2.0 ** (1 - comparison.pairs) >= ALPHA
        why = " (so few pairs could not show a difference in progress)" if few else ""
        verdict = f"inside the noise: {comparison.a} and {comparison.b} cannot be told apart ({figures}){why}"
        return comparison.model_copy(update={"verdict": verdict})
    shares = comparison.wins_a / comparison.runs_a - comparison.wins_b / comparison.runs_b
    a_better = shares > 0 if by_success else (comparison.difference or 0.0) > 0
    better, worse = (comparison.a, comparison.b) if a_better else (comparison.b, comparison.a)
    how = "succeeds more often than" if by_success else "gets further than"
    return comparison.model_copy(update={"differs": True, "verdict": f"{better} {how} {worse} ({figures})"})


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}" if value < 0.1 else f"p = {value:.2f}"
