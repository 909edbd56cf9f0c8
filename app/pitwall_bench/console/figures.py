"""Groups a suite's runs as the page shows them; all figures come from `suites.statistics`. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.statistics import Row, row_of

GroupKey = Literal["run", "cell", "task", "game", "agent", "level", "genre"]
CostKind = Literal["tokens_run", "tokens_step", "seconds_step"]
_MOST_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A share or mean with its 95 % interval; all NaN, of 0 runs, if nothing was played.

    Attributes:
        low, high: NaN for the mean of a single run, which has no interval.
        of: runs. hits: of a share; 0 of a mean.
    """

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    of: int = 0
    hits: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """The runs of one row.

    Attributes:
        key: names the group among those of its kind. game, task, agent: empty if they differ within it.
        runs: all of them, including those that could not be played. row: their statistics.
        success: Wilson's interval. progress: as `statistics.Mean`.
    """

    key: str
    runs: tuple[TaskRun, ...]
    game: str
    task: str
    agent: str
    row: Row
    success: Figure = field(default_factory=Figure)
    progress: Figure = field(default_factory=Figure)

    @property
    def failed(self) -> int:
        """Count the runs that could not be played."""
        return sum(self.row.unplayed.values())

    @property
    def unverified(self) -> int:
        """Count the played runs whose score was read from pixels."""
        return sum(run.played and not run.verified for run in self.runs)

    @property
    def steps(self) -> float:
        """Return the mean steps of a played run."""
        return self.row.steps if self.row.runs else math.nan

    @property
    def invalid_count(self) -> int:
        return sum(self.row.invalid.values())

    @property
    def refused_count(self) -> int:
        return sum(self.row.refusals.values())

    @property
    def invalid_rate(self) -> float:
        """Return the share of proposed actions that were invalid (SPEC §5); NaN if none was proposed."""
        return self.row.iar if self.row.iar is not None else math.nan

    @property
    def seconds_per_step(self) -> float:
        return self.row.step_s if self.row.step_s is not None else math.nan

    def cost(self, kind: CostKind) -> float:
        """Return the cost of play; NaN if it is unknown."""
        if kind == "seconds_step":
            return self.seconds_per_step
        if self.row.cost is None:
            return math.nan
        used = self.row.cost.tokens
        return used if kind == "tokens_run" else used / self.row.steps if self.row.steps else math.nan


def grouped(runs: Iterable[TaskRun], by: GroupKey) -> list[Group]:
    """Group runs, in the order in which the first run of each came.

    Runs of a climb appear only as single runs: a rung is played until it is won, so it has no meaningful
    share.
    """
    by_cell: dict[str, list[TaskRun]] = {}
    name = _NAMES[by]
    for run in runs:
        if by == "run" or run.cell.rung < 0:
            by_cell.setdefault(name(run), []).append(run)
    return [group_of(key, members) for key, members in by_cell.items()]


def group_of(key: str, runs: Sequence[TaskRun]) -> Group:
    """Build the group of these runs. Its success interval is Wilson's, or the exact one if it pools tasks."""
    row = _row(runs)
    success = progress = Figure()
    if row.success is not None:
        share = row.success
        pooled = len({(run.cell.game, run.cell.task) for run in runs}) > 1
        low, high = (share.exact_low, share.exact_high) if pooled else (share.low, share.high)
        success = Figure(share.share, low, high, share.runs, share.wins)
    if row.progress is not None:
        mean = row.progress
        low, high = (mean.low, mean.high) if mean.n > 1 else (math.nan, math.nan)
        progress = Figure(mean.mean, low, high, mean.n)
    return Group(
        key,
        tuple(runs),
        _same(run.cell.game for run in runs),
        _same(run.cell.task for run in runs),
        _same(run.cell.agent for run in runs),
        row,
        success,
        progress,
    )


def precompute(runs: Sequence[TaskRun]) -> None:
    """Compute every figure that the page will ask for, so that drawing does not wait. Works in any thread."""
    kinds: tuple[GroupKey, ...] = ("agent", "game", "cell")
    for by in kinds:
        grouped(runs, by)
    for group in grouped(runs, "agent"):
        grouped(group.runs, "game")
        grouped(group.runs, "level")


class _Rows:
    """Caches rows by their runs: unchanged runs are not bootstrapped again."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[tuple[TaskRun, ...], Row]] = {}

    def of(self, runs: Sequence[TaskRun]) -> Row:
        key = tuple(map(id, runs))  # the runs are kept beside their row: no other can have their ids
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_ROWS:
                self._known.clear()
            known = self._known[key] = (tuple(runs), row_of(runs))
        return known[1]


_row = _Rows().of


def agents_of(runs: Iterable[TaskRun], order: Sequence[str] = ()) -> list[str]:
    """List the agents that played, those of `order` first; climbs do not count."""
    there = dict.fromkeys(run.cell.agent for run in runs if run.cell.rung < 0)
    return [name for name in order if name in there] + [name for name in there if name not in order]


_NAMES: dict[GroupKey, Callable[[TaskRun], str]] = {
    "run": lambda run: run.cell.key,
    "cell": lambda run: f"{run.cell.game}~{run.cell.task}~{run.cell.agent}",
    "task": lambda run: f"{run.cell.game}~{run.cell.task}",
    "game": lambda run: run.cell.game,
    "agent": lambda run: run.cell.agent,
    "level": lambda run: str(run.level),
    "genre": lambda run: run.genre,
}


def _same(names: Iterable[str]) -> str:
    known = set(names)
    return known.pop() if len(known) == 1 else ""
