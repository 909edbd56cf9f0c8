"""Shows how often a training chose each action: recently, overall, and over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.axes import AXIS_WORDS, Numbers
from pitwall.console.kit.elements import Card, EmptyState, SectionTitle, column, holder
from pitwall.console.kit.panes import scrolled, stacked
from pitwall.console.kit.theme import GAP, Look
from pitwall.core.quantities import compact, share
from pitwall_evaluation.console.data_sheet import Column, Sheet, SheetTable, count_text
from pitwall_lab.console.charts.agreement import AgreementTable
from pitwall_lab.console.charts.bars import Bar, ShareBars
from pitwall_lab.console.charts.chart import HOW
from pitwall_lab.console.charts.controls import ChartTools
from pitwall_lab.console.charts.log_reader import TrainingRun
from pitwall_lab.console.charts.quantities import along
from pitwall_lab.console.charts.series import Curves
from pitwall_lab.console.charts.shared_view import SharedView
from pitwall_lab.console.charts.stack import Parts, StackChart

RECENT = 10_000
"""Decisions that count as recent."""
FIRST_INK = 1
"""Actions skip the first series colour, because it belongs to reflexes."""
_EMPTY = (
    "No decisions yet",
    "The shares of the chosen actions, recent and overall, appear here with the training's first point.",
)


def action_names(run: TrainingRun) -> list[str]:
    """Return the names of the actions in the order of their counts."""
    count = run.curves.actions.shape[1]
    known = run.about.learned.actions if run.about.learned is not None else []
    if len(known) != count:
        return [f"action {at + 1}" for at in range(count)]
    return [name or "nothing new" for name in known]


def recent_counts(curves: Curves, decisions: int = RECENT) -> tuple[Numbers, int]:
    """Count the choices of each action (A,) over the last decisions; return also the number of decisions."""
    counts = np.nan_to_num(curves.actions)
    behind = np.cumsum(counts.sum(axis=1)[::-1])
    points = min(len(behind), int(np.searchsorted(behind, decisions)) + 1)
    return counts[len(counts) - points :].sum(axis=0), int(behind[points - 1]) if points else 0


class ActionsPanel(QWidget):
    """Recent shares as bars, and areas over the training below them."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._run: TrainingRun | None = None
        self.view = SharedView(self)
        self.bars = ShareBars(look, "Shares of actions")
        self._title = SectionTitle("Action use")
        self.chart = StackChart(look, self.view, "Shares of actions over the training", height=200)
        self.chart.setAccessibleDescription(HOW)
        self.table = SheetTable(look, "Shares of actions, one row for each")
        self.tools = ChartTools(self.view)
        self.tools.changed.connect(self._draw)
        self.empty = EmptyState(*_EMPTY)
        over = Card(SectionTitle("Over the training", "share of decisions"), self.chart, gap=GAP)
        over.body.setStretch(1, 1)
        charts = holder(column(Card(self._title, self.bars), over, stretch=1))
        self.agreement = AgreementTable(look)
        self._stack = stacked(self.empty, scrolled(charts, "Action use"), self.table, self.agreement)
        self.setLayout(column(self.tools, self._stack, stretch=1))
        self.setAccessibleName("Action use")
        self._draw()

    def show_run(self, run: TrainingRun | None) -> None:
        """Show a training's actions."""
        self._run = run
        self._draw()

    def _draw(self) -> None:
        run = self._run
        if run is not None and run.log.cloned is not None:
            self.tools.setVisible(False)
            self.agreement.show_cloned(run.log.cloned)
            self._stack.setCurrentWidget(self.agreement)
            return
        bare = run is None or not np.nansum(run.curves.actions)
        self.tools.setVisible(not bare)
        if bare or run is None:
            self._stack.setCurrentIndex(0)
            return
        names = action_names(run)
        late, decisions = recent_counts(run.curves)
        whole = np.nansum(run.curves.actions, axis=0)
        recent, overall = late / max(1.0, late.sum()), whole / max(1.0, whole.sum())
        self._title.set_note(f"bar: last {_about(decisions)} decisions · mark: whole training")
        self.bars.show_bars(
            [
                Bar(name, part, mark, f"{share(mark)} overall", FIRST_INK + at)
                for part, mark, at, name in sorted(
                    zip(recent.tolist(), overall.tolist(), range(len(names)), names, strict=True),
                    key=lambda share: -share[0],
                )
            ]
        )
        x = along(run, self.view.axis)
        self.chart.setAccessibleName(f"Shares of actions by {AXIS_WORDS[self.view.axis]}")
        self.view.set_whole((float(x[0]), float(x[-1])))
        self.chart.show_parts(
            Parts(x=x, values=run.curves.actions, names=names, shares=True, first_ink=FIRST_INK)
        )
        self.table.show_sheet(_sheet(names, recent, overall, late, whole, decisions))
        self._stack.setCurrentIndex(2 if self.tools.as_table else 1)


def _about(count: int) -> str:
    return compact(float(f"{count:.2g}"))


def _sheet(
    names: Sequence[str], recent: Numbers, overall: Numbers, late: Numbers, whole: Numbers, decisions: int
) -> Sheet:
    return Sheet(
        first="action",
        names=names,
        name_of=np.arange(len(names)),
        columns=[
            Column(f"last {_about(decisions)} decisions", share),
            Column("whole training", share),
            Column("recent times", count_text),
            Column("times", count_text),
        ],
        numbers=np.column_stack((recent, overall, late, whole)),
    )
