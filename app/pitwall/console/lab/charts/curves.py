"""The training curves: one big chart and small ones under it, several runs overlaid, or as a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from pitwall.console.charts.axes import AXIS_COLUMNS, Axis
from pitwall.console.charts.card import ChartCard
from pitwall.console.charts.chart import HOW
from pitwall.console.charts.controls import AXES, Smoothing, axis_of
from pitwall.console.charts.data import ChartData, Reference
from pitwall.console.charts.data_sheet import SheetTable
from pitwall.console.charts.shared_view import SharedView
from pitwall.console.kit.choice import TOOL_PX, Choice, Toggle
from pitwall.console.kit.elements import Button, EmptyState, Label
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.theme import GAP, Look
from pitwall.console.lab.charts import progress
from pitwall.console.lab.charts.curves_table import sheet_of
from pitwall.console.lab.charts.log_reader import TrainingRun
from pitwall.console.lab.charts.quantities import HEADLINES, QUANTITIES, RETURN, SCORE, Quantity, line_of
from pitwall.console.lab.charts.run_chips import RunChips

SMOOTHING = 0.9
_BIG_PX, _SMALL_PX = 190, 92
_TWO, _THREE = 520, 1_080
"""Widths from which small charts stand two and three in a row."""
_TABLE_MS = 1_000
"""The table is written anew at most so often."""

_BEGIN = "Train a version, or choose one that was trained, and its curves appear here while it learns."


class CurvesPanel(QWidget):
    """Episode return or score as the big chart, the other quantities small; all share one axis.

    `show_runs` may be called as often as a log grows.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._runs: list[TrainingRun] = []
        self._references: Sequence[Reference] = ()
        self._unit = ""
        self._big: Quantity | None = None
        self.view = SharedView(self)
        self.view.moved.connect(self._moved)
        self._build_head()
        self._build_cards()
        self.table = SheetTable(look, "Training curves, one row for each point")
        self.empty = EmptyState("No training yet", _BEGIN)
        self._stack = QStackedWidget()
        for page in (self.empty, self._scroll, self.table):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._head)
        layout.addWidget(self._chips)
        layout.addWidget(self._note)
        layout.addWidget(self._stack, 1)
        self._table_timer = QTimer(self, interval=_TABLE_MS, singleShot=True)
        self._table_timer.timeout.connect(self._fill_table)
        self.setAccessibleName("Training curves")
        self._draw()

    # ---- what it shows

    def show_runs(self, runs: Sequence[TrainingRun]) -> None:
        """Show these runs, the first of them on top."""
        self._runs = list(runs)
        self._chips.show_runs(runs)
        self._draw()

    def set_references(self, references: Sequence[Reference]) -> None:
        """Numbers to compare with, as dashed lines in their charts."""
        self._references = tuple(references)
        self._draw()

    def set_score_unit(self, unit: str) -> None:
        """What the trial's score is measured in: pipes."""
        self._unit = unit
        self._cards[SCORE.key].set_unit(unit)
        self._draw()

    def enlarge(self, key: str) -> None:
        """Make "score" or "episode_return" the big chart."""
        self._big = next(one for one in HEADLINES if one.key == key)
        self._draw()

    def set_axis(self, axis: Axis) -> None:
        """Put step, training time or the clock along the bottom."""
        self._axis.choose(axis)
        self._use_axis(axis)

    def set_smoothing(self, weight: float) -> None:
        """Smooth by a weight, 0 … 0.99."""
        self._smoothing.set_weight(weight)

    def set_log(self, on: bool) -> None:
        """Logarithmic scales."""
        self._log.setChecked(on)

    def show_table(self, on: bool) -> None:
        """The table in place of the charts, or back."""
        self._twin.setChecked(on)

    def shown(self) -> list[TrainingRun]:
        """Runs that are not left out."""
        return self._chips.shown()

    def card(self, key: str) -> ChartCard:
        """The card of a quantity."""
        return self._cards[key]

    # ---- building

    def _build_head(self) -> None:
        self._axis = Choice("Axis", AXES)
        self._axis.chosen.connect(self._use_axis)
        self._which = Choice(
            "Big chart", ((SCORE.key, "Score", SCORE.tip), (RETURN.key, "Return", RETURN.tip))
        )
        self._which.chosen.connect(self.enlarge)
        self._smoothing = Smoothing(SMOOTHING)
        self._smoothing.changed.connect(lambda _: self._draw())
        self._log = Toggle("Log", "Logarithmic scales; around zero they are straight")
        self._log.toggled.connect(lambda _: self._draw())
        self._reset = Button("Reset view", self.view.reset, kind="toggle", tip=f"Everything in view. {HOW}")
        self._reset.setFixedHeight(TOOL_PX)
        self._reset.hide()
        self._twin = Toggle("Table", "The same numbers as rows, to sort and to copy")
        self._twin.toggled.connect(lambda _: self._draw())
        self._head = Flow(GAP)
        for tool in (self._which, self._axis, self._smoothing, self._log, self._twin, self._reset):
            self._head.flow.addWidget(tool)
        self._chips = RunChips(self._look)
        self._chips.changed.connect(self._draw)
        self._note = Label("", "dim", wrap=True)
        self._note.hide()

    def _build_cards(self) -> None:
        self._cards = {
            one.key: ChartCard(self._look, self.view, one.title, unit=one.unit, tip=one.tip, height=_SMALL_PX)
            for one in QUANTITIES
        }
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(inside)
        self._laid: tuple[str, int] = ("", 0)

    def _lay_out(self) -> None:
        big = self._headline()
        across = 3 if self.width() >= _THREE else 2 if self.width() >= _TWO else 1
        if self._laid == (big.key, across):
            return
        self._laid = (big.key, across)
        while self._grid.takeAt(0) is not None:
            pass
        for at in range(len(QUANTITIES) + 1):
            self._grid.setRowStretch(at, 0)
        small = [one for one in QUANTITIES if one is not big]
        self._cards[big.key].chart.set_least_height(_BIG_PX)
        self._grid.addWidget(self._cards[big.key], 0, 0, 1, across)
        self._grid.setRowStretch(0, 16)
        for at, one in enumerate(small):
            self._cards[one.key].chart.set_least_height(_SMALL_PX)
            self._grid.addWidget(self._cards[one.key], 1 + at // across, at % across)
            self._grid.setRowStretch(1 + at // across, 9)
        for at in range(3):
            self._grid.setColumnStretch(at, 1 if at < across else 0)
        order = [self._cards[big.key], *(self._cards[one.key] for one in small)]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before.chart, after.chart)

    def _headline(self) -> Quantity:
        """What is big: what was chosen, else the score where there is one."""
        if self._big is not None:
            return self._big
        scored = any(len(run.evaluations.step) or _measured(run, SCORE) for run in self._runs)
        return SCORE if scored else RETURN

    # ---- drawing

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _draw(self) -> None:
        shown, table = self.shown(), self._twin.isChecked()
        bare = not any(run.curves.count or len(run.evaluations.step) for run in self._runs)
        self._say(bare)
        self._stack.setCurrentWidget(self.empty if bare else self.table if table else self._scroll)
        for tool in (self._which, self._axis, self._smoothing, self._log):
            tool.setEnabled(not table)
        self._which.choose(self._headline().key)
        if table and not self._table_timer.isActive():
            self._fill_table()
        self._head.setVisible(not bare)
        if bare or table:
            self.view.point(None)
            return
        self._lay_out()
        pictures = {one.key: self._picture(one, shown) for one in QUANTITIES}
        self._set_whole(shown)
        for key, picture in pictures.items():
            self._cards[key].show_picture(picture)

    def _picture(self, quantity: Quantity, shown: Sequence[TrainingRun]) -> ChartData:
        weight = self._smoothing.weight
        return ChartData(
            lines=[line_of(run, quantity, self.view.axis, weight) for run in shown],
            references=[one for one in self._references if one.chart == quantity.key],
            log=self._log.isChecked(),
            empty=quantity.empty,
        )

    def _set_whole(self, shown: Sequence[TrainingRun]) -> None:
        name = AXIS_COLUMNS[self.view.axis]
        ends: list[float] = []
        for run in shown:
            for x in (run.curves.column(name), run.evaluations.column(name)):
                if len(x):
                    ends += [float(x.min()), float(x.max())]
        self.view.set_whole((min(ends), max(ends)) if ends else None)

    def _say(self, bare: bool) -> None:
        faults = [f"{run.label}: {run.fault}" for run in self._runs if run.fault]
        self._note.set_text("\n".join(faults))
        self._note.setVisible(bool(faults))
        if bare and self._runs:
            waits = [run for run in self._runs if run.live]
            title = "The training has begun" if waits else "Nothing was learned yet"
            told = "; ".join(f"{run.label}: {progress.sentence(run)}" for run in waits)
            self.empty.say(
                title, f"{told}. The first point appears as soon as there is one." if waits else _BEGIN
            )
        elif bare:
            self.empty.say("No training yet", _BEGIN)

    def _fill_table(self) -> None:
        if self._twin.isChecked():
            self.table.show_sheet(sheet_of(self.shown(), self._unit))
            self._table_timer.start()

    # ---- the operator's hand

    def _use_axis(self, axis: str) -> None:
        self.view.use_axis(axis_of(axis))
        self._draw()

    def _moved(self) -> None:
        self._reset.setVisible(self.view.zoomed)
        self._head.updateGeometry()


def _measured(run: TrainingRun, quantity: Quantity) -> bool:
    values = run.curves.column(quantity.key)
    return bool((values == values).any())
