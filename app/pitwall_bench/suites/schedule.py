"""Schedules the next cell to play, and counts the rest. It knows nothing of processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean

from pitwall_bench.suites.plan import Climb, Plan
from pitwall_bench.suites.results import Cell, TaskRun


class Schedule:
    """The cells of a plan, wave after wave; a wave's climbs continue as their runs end.

    Args:
        runs: finished runs, which are not played again.
    """

    def __init__(self, plan: Plan, runs: Iterable[TaskRun] = ()) -> None:
        self._plan = plan
        self.runs: dict[str, TaskRun] = {}
        self._playing: dict[str, Cell] = {}
        self._waiting: deque[Cell] = deque()
        self._climbs: list[Climb] = []
        for wave in range(plan.spec.repeats):
            self._waiting.extend(plan.cells(wave))
            self._climbs += plan.climbs(wave)
        mine = {cell.key for cell in self._waiting} | {key for climb in self._climbs for key in _keys(climb)}
        self.runs = {run.cell.key: run for run in runs if run.cell.key in mine}
        self._waiting = deque(cell for cell in self._waiting if cell.key not in self.runs)

    @property
    def over(self) -> bool:
        """Return whether everything is played."""
        return not self._playing and not self._waiting and not any(self._next_climbs())

    @property
    def done(self) -> int:
        return len(self.runs)

    @property
    def of(self) -> int:
        """Count all runs; for a climb under way, at least one per rung left."""
        climbing = sum(
            len(climb.rungs) - standing.climbed
            for climb in self._climbs
            if (standing := climb.standing(self.runs)).next is not None
        )
        playing = sum(cell.rung < 0 for cell in self._playing.values())
        return len(self.runs) + len(self._waiting) + playing + climbing

    def take(self, *, person: bool = True) -> Cell | None:
        """Return the next cell to play; None if none may begin now.

        Args:
            person: whether a cell for a person may begin: there is one person.
        """
        taken = {self._plan.chain(cell) for cell in self._playing.values()} - {""}
        for at, cell in enumerate(self._waiting):
            if self._wave_open(cell) and self._free(cell, taken) and (person or not self.by_person(cell)):
                del self._waiting[at]
                return self._begun(cell)
        for cell in self._next_climbs():
            free = self._free(cell, taken) and not self._cells_before(cell)
            if free and cell.key not in self._playing and (person or not self.by_person(cell)):
                return self._begun(cell)
        return None

    def _free(self, cell: Cell, taken: set[str]) -> bool:
        """Return whether no earlier run of a cell's chain is open; from then on this one is."""
        chain = self._plan.chain(cell)
        if chain in taken:
            return False
        taken |= {chain} - {""}
        return True

    def _cells_before(self, cell: Cell) -> bool:
        """Return whether a climb's chain has single cells to play first."""
        chain = self._plan.chain(cell)
        return bool(chain) and any(
            other.wave <= cell.wave and self._plan.chain(other) == chain for other in self._waiting
        )

    def finished(self, run: TaskRun) -> None:
        """Record the result of a taken cell."""
        self._playing.pop(run.cell.key, None)
        self.runs[run.cell.key] = run

    def give_back(self, cell: Cell) -> None:
        """Put a taken cell without a result back in first place."""
        self._playing.pop(cell.key, None)
        if cell.rung < 0:
            self._waiting.appendleft(cell)

    def by_person(self, cell: Cell) -> bool:
        """Return whether a person plays the cell."""
        return self._plan.agents[cell.agent].needs_person

    def left_s(self, parallel: int) -> float | None:
        """Estimate the time left from the runs so far of the same task, or of all; None: unknown yet."""
        if not self.runs:
            return None
        took: dict[tuple[str, str], list[float]] = {}
        for run in self.runs.values():
            took.setdefault((run.cell.game, run.cell.task), []).append(run.unopened_s + run.seconds)
        means = {task: fmean(values) for task, values in took.items()}
        usual = fmean(means.values())
        left = [*self._waiting, *self._playing.values()]
        seconds = sum(means.get((cell.game, cell.task), usual) for cell in left)
        seconds += usual * max(0, self.of - self.done - len(left))
        return seconds / max(1, min(parallel, self.of - self.done))

    def _begun(self, cell: Cell) -> Cell:
        self._playing[cell.key] = cell
        return cell

    def _wave_open(self, cell: Cell) -> bool:
        """Return whether a wave may begin: nothing of the earlier ones is left to begin."""
        return all(climb.wave >= cell.wave for climb in self._climbs if self._startable(climb))

    def _startable(self, climb: Climb) -> bool:
        following = climb.standing(self.runs).next
        return following is not None and following.key not in self._playing

    def _next_climbs(self) -> Iterator[Cell]:
        for climb in self._climbs:
            following = climb.standing(self.runs).next
            if following is not None:
                yield following


def _keys(climb: Climb) -> Iterator[str]:
    for rung in range(len(climb.rungs)):
        for attempt in range(climb.attempts):
            yield climb.cell(rung, attempt).key


def outcomes(plan: Plan, runs: Mapping[str, TaskRun]) -> list[tuple[Climb, int, int, bool]]:
    """Return every climb with its rungs climbed, its attempts, and whether it is over."""
    climbs = []
    for wave in range(plan.spec.repeats):
        for climb in plan.climbs(wave):
            standing = climb.standing(runs)
            climbs.append((climb, standing.climbed, standing.attempts, standing.next is None))
    return climbs
