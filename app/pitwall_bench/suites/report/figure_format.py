"""Formats a report's figures, and explains each of them."""

from __future__ import annotations

from pitwall.core import quantities
from pitwall_bench.suites.human_normalised import PROTOCOL, SOURCE
from pitwall_bench.suites.statistics import Mean, Row, Share

DEFINITIONS = {
    "Run": "One play of a task by an agent from one seed. It counts where it was played to an end of its "
    "own: target, game over, the task's end, its steps or its time.",
    "Success": "The task's score reached its target within the budget, by the game's own true state; "
    "where it was read from the pixels, the table says so.",
    "Progress": "(best score − start) / (target − start), between 0 and 1.",
    "Intervals of success": "95 %. One task: Wilson's score interval. Several tasks pooled: "
    "the exact one of Clopper and Pearson.",
    "Intervals of progress": "95 %: Student's t of two to five runs, percentile bootstrap of 5,000 "
    "resamplings of more; a single run has none.",
    "Human-normalised": "(score − random play's) / (the human tester's − random play's). "
    f"{SOURCE} {PROTOCOL}",
    "Over waves": "Mean ± standard deviation of the waves' own means, where there were two waves at least.",
    "Comparisons": "Success: Fisher's exact test. Progress: exact paired permutation test over cells of the "
    "same game, task, seed and wave. Two-sided; corrected by Holm over all pairs of agents. A difference "
    "with both p ≥ 0.05 is called inside the noise.",
    "Invalid actions": "Proposed actions that were not valid, by kind, and their share of all proposed.",
    "Decided by": "Shares of the steps by who decided them: the model (also by a plan of its own or a skill "
    "that it named), the skills as its stand-in, the memory without a call, reflexes, or nobody.",
    "Within calls": "Successes with no more model calls than the difficulty's budget (120, 200, 600). The "
    "source's Budgeted SR puts this budget in the place of the step cap: limits.by_difficulty: calls.",
    "Stuck, recovered, ratio": "Steps with an invalid action or without effect, of all; of these, those that "
    "another kind of step followed within three; the second share over the first. Means of single runs.",
    "Tokens": "Evaluated and written by models in an average run; tokens from a prefix cache do not count.",
    "Not played": "Runs that could not be played (launch, readiness, crash, true state, something outside), "
    "apart and with their cause. They are in no share or mean.",
}


def deciders_text(row: Row) -> str:
    """Format who decided the steps, the largest share first."""
    shares = sorted(row.deciders.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {quantities.share(part)}" for name, part in shares) or quantities.NONE


def share_text(share: Share | None) -> str:
    """Format successes of runs."""
    return (
        quantities.NONE if share is None else f"{quantities.share(share.share)} ({share.wins}/{share.runs})"
    )


def mean_text(mean: Mean | None) -> str:
    """Format a mean share, with the spread of single runs."""
    if mean is None:
        return quantities.NONE
    return quantities.share(mean.mean) + (f" ± {100 * mean.sd:.0f}" if mean.sd is not None else "")


def interval(figure: Share | Mean | None, *, exact: bool = False) -> str:
    """Format a figure's interval in per cent; the mean of a single run has none."""
    if figure is None or (isinstance(figure, Mean) and figure.n == 1):
        return quantities.NONE
    low, high = figure.low, figure.high
    if exact and isinstance(figure, Share):
        low, high = figure.exact_low, figure.exact_high
    return quantities.interval_text(low, high)
