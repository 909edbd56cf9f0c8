"""Shows how often a training chose each action: of late, over all of it, and over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from pitwall.console.charts.axes import AXIS_WORDS, Numbers
from pitwall.console.charts.bars import Bar, ShareBars
from pitwall.console.charts.chart import HOW
from pitwall.console.charts.controls import AXES, axis_of
from pitwall.console.charts.data_sheet import Column, Sheet, SheetTable, count_text
from pitwall.console.charts.series import Curves
from pitwall.console.charts.shared_view import SharedView
from pitwall.console.charts.stack import Parts, StackChart
from pitwall.console.kit.choice import TOOL_PX, Choice, Toggle
from pitwall.console.kit.elements import Button, Card, EmptyState, SectionTitle
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.number_format import compact, share
from pitwall.console.kit.theme import GAP, Look
from pitwall.console.lab.charts.log_reader import TrainingRun
from pitwall.console.lab.charts.quantities import along

RECENT = 10_000
"""Decisions that count as the last ones."""
FIRST_INK = 1
"""Actions take the runs' colours after the first, which is the reflexes' own."""
_EMPTY = (
    "No decisions yet",
    "Which actions a training chooses, of late and over all of it, appears here with its first point.",
)


def action_names(run: TrainingRun) -> list[str]:
    """Names of the actions in the order of the counts."""
    count = run.curves.actions.shape[1]
    known = run.about.learned.actions if run.about.learned is not None else []
    if len(known) != count:
        return [f"action {at + 1}" for at in range(count)]
    return [name or "nothing new" for name in known]


def recent_counts(curves: Curves, decisions: int = RECENT) -> tuple[Numbers, int]:
    """Choices of each action (A,) over at least the last so many decisions, and over how many."""
    counts = np.nan_to_num(curves.actions)
    behind = np.cumsum(counts.sum(axis=1)[::-1])
    points = min(len(behind), int(np.searchsorted(behind, decisions)) + 1)
    return counts[len(counts) - points :].sum(axis=0), int(behind[points - 1]) if points else 0


class ActionsPanel(QWidget):
    """Bars at the left, areas over the training at the right (under them where it is narrow)."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._run: TrainingRun | None = None
        self.view = SharedView(self)
        self.bars = ShareBars(look, "Shares of actions")
        self._title = SectionTitle("Action use")
        self.chart = StackChart(look, self.view, "Shares of actions over the training", height=200)
        self.chart.setAccessibleDescription(HOW)
        self.table = SheetTable(look, "Shares of actions, one row for each")
        self._axis = Choice("Axis", AXES)
        self._axis.chosen.connect(self._use_axis)
        self._twin = Toggle("Table", "The same numbers as rows, to sort and to copy")
        self._twin.toggled.connect(lambda _: self._draw())
        self._reset = Button("Reset view", self.view.reset, kind="toggle", tip=f"Everything in view. {HOW}")
        self._reset.setFixedHeight(TOOL_PX)
        self._reset.hide()
        self.view.moved.connect(lambda: self._reset.setVisible(self.view.zoomed))
        self._head = Flow(GAP)
        for tool in (self._axis, self._twin, self._reset):
            self._head.flow.addWidget(tool)
        self.empty = EmptyState(*_EMPTY)
        self._stack = QStackedWidget()
        for page in (self.empty, _scrolling(self._charts()), self.table):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._head)
        layout.addWidget(self._stack, 1)
        self.setAccessibleName("Action use")
        self._draw()

    def show_run(self, run: TrainingRun | None) -> None:
        """Show a training's actions."""
        self._run = run
        self._draw()

    def _charts(self) -> QWidget:
        page = QWidget()
        over = Card(SectionTitle("Over the training", "share of decisions"), self.chart, gap=GAP)
        over.body.setStretch(1, 1)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(Card(self._title, self.bars))
        layout.addWidget(over, 1)
        return page

    def _draw(self) -> None:
        run = self._run
        bare = run is None or not np.nansum(run.curves.actions)
        self._head.setVisible(not bare)
        self._axis.setEnabled(not self._twin.isChecked())
        if bare or run is None:
            self._stack.setCurrentIndex(0)
            return
        names = action_names(run)
        late, decisions = recent_counts(run.curves)
        whole = np.nansum(run.curves.actions, axis=0)
        recent, overall = late / max(1.0, late.sum()), whole / max(1.0, whole.sum())
        self._title.set_note(f"bar: last {_about(decisions)} decisions · mark: whole training")
        order = np.argsort(-recent, kind="stable")
        self.bars.show_bars(
            [
                Bar(
                    names[at],
                    float(recent[at]),
                    float(overall[at]),
                    f"{share(float(overall[at]))} overall",
                    FIRST_INK + int(at),
                )
                for at in order
            ]
        )
        axis = self.view.axis
        x = along(run, axis)
        self.chart.setAccessibleName(f"Shares of actions by {AXIS_WORDS[axis]}")
        self.view.set_whole((float(x[0]), float(x[-1])))
        self.chart.show_parts(
            Parts(x=x, values=run.curves.actions, names=names, shares=True, first_ink=FIRST_INK)
        )
        self.table.show_sheet(_sheet(names, recent, overall, late, whole, decisions))
        self._stack.setCurrentIndex(2 if self._twin.isChecked() else 1)

    def _use_axis(self, axis: str) -> None:
        self.view.use_axis(axis_of(axis))
        self._draw()


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
            Column("times of late", count_text),
            Column("times", count_text),
        ],
        numbers=np.column_stack((recent, overall, late, whole)),
    )


def _scrolling(page: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area
