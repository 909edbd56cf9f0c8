"""The climbs of a suite's ladders: how far each agent came, and on which rung it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pitwall.console.kit.elements import Card, KeyValue, Label, SectionTitle, clear_layout, column
from pitwall.console.kit.theme import STEP
from pitwall.core.quantities import number
from pitwall_bench.suites.plan import Climb, ClimbState
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.spec import SuiteSpec


@dataclass(frozen=True, slots=True)
class ClimbLine:
    """An agent's climbs of one ladder.

    Attributes:
        of: rungs. ends: rungs climbed, of each climb that is over. going: climbs that are not.
    """

    game: str
    agent: str
    of: int
    ends: tuple[int, ...]
    going: int

    @property
    def words(self) -> str:
        """Format "2.5 of 4 rungs, mean of 2 climbs · 1 goes on"."""
        words = []
        if self.ends:
            climbs = f", mean of {len(self.ends)} climbs" if len(self.ends) > 1 else ""
            words.append(f"{number(fmean(self.ends))} of {self.of} rungs{climbs}")
        if self.going:
            words.append(f"{self.going} {'goes' if self.going == 1 else 'go'} on")
        return " · ".join(words)


def climbs_of(spec: SuiteSpec, runs: Sequence[TaskRun]) -> list[ClimbLine]:
    """Return every agent's climbs on every ladder (see `suites.plan`)."""
    by_key = {run.cell.key: run for run in runs}
    lines = []
    for ladder in spec.ladders:
        for agent in spec.agents:
            standings: list[ClimbState] = [
                Climb(ladder.game, tuple(ladder.rungs), ladder.attempts, agent.name, seed, wave).standing(
                    by_key
                )
                for wave in range(spec.repeats)
                for seed in spec.all_seeds
            ]
            ends = tuple(standing.climbed for standing in standings if standing.next is None)
            going = sum(standing.next is not None for standing in standings)
            lines.append(ClimbLine(ladder.game, agent.name, len(ladder.rungs), ends, going))
    return lines


class ClimbsCard(Card):
    """A line for each agent on each ladder; hidden where the suite has none."""

    def __init__(self) -> None:
        super().__init__(gap=STEP)
        self.setAccessibleName("Climbs")
        self._lines = column(gap=STEP)
        self.body.addWidget(SectionTitle("Ladders", "where each climb ended"))
        self.body.addLayout(self._lines)
        self.shown: list[ClimbLine] = []
        self.hide()

    def show_climbs(self, spec: SuiteSpec | None, runs: Sequence[TaskRun]) -> None:
        """Show a suite's climbs."""
        climbs = climbs_of(spec, runs) if spec is not None else []
        self.setVisible(bool(climbs))
        if climbs == self.shown:
            return
        self.shown = climbs
        clear_layout(self._lines)
        games: dict[str, list[ClimbLine]] = {}
        for line in climbs:
            games.setdefault(line.game, []).append(line)
        for game, lines in games.items():
            self._lines.addWidget(Label(game, "strong"))
            for line in lines:
                self._lines.addWidget(KeyValue(line.agent, line.words))
