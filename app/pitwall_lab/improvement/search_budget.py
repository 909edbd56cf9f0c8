"""Limits how much a search for better rules plays."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBudget:
    """Bounds a search.

    Attributes:
        candidates: variations, each of the best so far. runs: for judging each.
        final_runs: on other training seeds, to compare the last accepted candidates with the original rules.
        finalists: how many of the last accepted candidates are compared so.
    """

    candidates: int = 32
    runs: int = 20
    final_runs: int = 60
    finalists: int = 4

    @property
    def games(self) -> int:
        """Return the most games that the search plays."""
        return (self.candidates + 1) * self.runs + (self.finalists + 1) * self.final_runs

    def changed(self, candidates: int, runs: int) -> SearchBudget:
        """Return the budget with other numbers, and final runs in proportion; 0 leaves a number as it is."""
        runs, candidates = runs or self.runs, candidates or self.candidates
        final_runs = max(1, self.final_runs * runs // self.runs)
        return replace(self, candidates=candidates, runs=runs, final_runs=final_runs)


def ignore_progress(_done: int, _of: int) -> None:
    """Ignore the progress of a search."""
