"""Atari results beside the published scores of random play, a human tester and DQN."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.console.kit.elements import Card, Label, SectionTitle
from pitwall.console.kit.theme import STEP, Look
from pitwall.core.quantities import share
from pitwall_bench.console.figures import grouped
from pitwall_bench.suites.human_normalised import PROTOCOL, SOURCE, HumanRow, human_levels, human_rows
from pitwall_bench.suites.results import TaskRun
from pitwall_evaluation.console.data_sheet import Column, Sheet, SheetTable, count_text

_HEIGHT = 250
_COLUMNS = (
    Column("human-normalised", share),
    Column("lower 95 %", share),
    Column("upper 95 %", share),
    Column("runs", count_text),
    Column("score"),
    Column("random"),
    Column("human"),
    Column("DQN"),
    Column("DQN, human-normalised", share),
)


class HumanCard(Card):
    """A row for each game and agent; hidden where nothing of a suite has published scores."""

    def __init__(self, look: Look) -> None:
        self.table = SheetTable(look, "Atari beside published scores")
        self.table.setMinimumHeight(_HEIGHT)
        self._levels = Label("", wrap=True)
        note = Label(f"{SOURCE} {PROTOCOL}", "note", wrap=True)
        title = SectionTitle("Atari beside published scores", "human-normalised: 0 % random, 100 % human")
        super().__init__(title, self._levels, self.table, note, gap=STEP)
        self.rows: list[HumanRow] = []
        self.hide()

    def show_runs(self, runs: Sequence[TaskRun]) -> None:
        """Show a suite's results."""
        groups = grouped(runs, "cell")
        named = [group.row.model_copy(update={"game": group.game, "agent": group.agent}) for group in groups]
        self.rows = human_rows(named)
        self.setVisible(bool(self.rows))
        self._levels.set_text("\n".join(level.words for level in human_levels(self.rows)))
        self.table.show_sheet(
            Sheet.of(
                "game · agent", _COLUMNS, [(f"{row.game} · {row.agent}", _numbers(row)) for row in self.rows]
            )
        )


def _numbers(row: HumanRow) -> Sequence[float]:
    of = row.normalised
    published = (row.random, row.human, row.dqn, row.dqn_normalised)
    return (of.mean, of.low, of.high, of.n, row.score.mean, *published)
