"""The training curves: a big chart and small ones below it, several runs overlaid, or as a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.axes import AXIS_COLUMNS
from pitwall.console.charts.data import ChartData, Reference
from pitwall.console.kit.controls import Choice, Toggle
from pitwall.console.kit.elements import EmptyState, Label, column
from pitwall.console.kit.panes import scrolled, stacked
from pitwall.console.kit.theme import GAP, Look
from pitwall.gsm.versions import SHIPPED
from pitwall_evaluation.console.data_sheet import SheetTable
from pitwall_lab.console.charts.card import ChartCard
from pitwall_lab.console.charts.controls import ChartTools, Tiles
from pitwall_lab.console.charts.log_reader import TrainingRun
from pitwall_lab.console.charts.quantities import (
    HEADLINES,
    HELD_OUT,
    QUANTITIES,
    RETURN,
    SCORE,
    Quantity,
    line_of,
    sheet_of,
)
from pitwall_lab.console.charts.run_chips import RunChips
from pitwall_lab.console.charts.shared_view import SharedView

_SMOOTHING = 0.9
_BIG_PX, _SMALL_PX = 190, 92
_TWO, _THREE = 520, 1_080
"""Widths from which two and three small charts fit in a row."""
_TABLE_MS = 1_000
"""Least time between two updates of the table."""
_NONE = (
    "No training yet",
    "Train a version, or choose a trained one, and its curves appear here.",
)
_SHIPPED = (
    "Trained before shipping",
    "The shipped version's training was not recorded here. Train a version of your own to see its curves.",
)


class CurvesPanel(QWidget):
    """Episode return or score as the big chart, the other quantities small; all share one axis.

    Call `show_runs` whenever a log grows.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._runs: list[TrainingRun] = []
        self._references: Sequence[Reference] = ()
        self._unit = ""
        self._big: Quantity | None = None
        self.view = SharedView(self)
        self._which = Choice(
            "Big chart", [(quantity.key, word, quantity.tip) for quantity, word in HEADLINES.items()]
        )
        self._which.chosen.connect(self._enlarge)
        self.log = Toggle("Log", "Logarithmic scales, linear around zero")
        self.log.toggled.connect(lambda _: self._draw())
        self.tools = ChartTools(self.view, before=(self._which,), after=(self.log,), smoothing=_SMOOTHING)
        self.tools.changed.connect(self._draw)
        self.chips = RunChips(look)
        self.chips.changed.connect(self._draw)
        self._note = Label("", "dim", wrap=True)
        self._note.hide()
        self._cards = {
            quantity.key: ChartCard(
                look, self.view, quantity.title, unit=quantity.unit, tip=quantity.tip, height=_SMALL_PX
            )
            for quantity in QUANTITIES
        }
        self._tiles = Tiles(_TWO, _THREE)
        self.table = SheetTable(look, "Training curves, one row for each point")
        self.empty = EmptyState(*_NONE)
        self._charts = scrolled(self._tiles, "Training curves")
        self._stack = stacked(self.empty, self._charts, self.table)
        self.setLayout(column(self.tools, self.chips, self._note, self._stack, gap=GAP, stretch=3))
        self._table_timer = QTimer(self, interval=_TABLE_MS, singleShot=True)
        self._table_timer.timeout.connect(self._fill_table)
        self.setAccessibleName("Training curves")
        self._draw()

    # ---- what it shows

    def show_runs(self, runs: Sequence[TrainingRun]) -> None:
        """Show these runs, with the first in front."""
        self._runs = list(runs)
        self.chips.show_runs(runs)
        self._draw()

    def set_trial(self, unit: str, references: Sequence[Reference]) -> None:
        """Set the score's unit, and the values to compare with, shown as dashed lines."""
        self._unit, self._references = unit, tuple(references)
        self._cards[SCORE.key].set_unit(unit)
        self._draw()

    def card(self, key: str) -> ChartCard:
        """Return the card of a quantity."""
        return self._cards[key]

    # ---- drawing

    def _draw(self) -> None:
        shown, table, big = self.chips.shown(), self.tools.as_table, self._headline()
        bare = not any(run.curves.count or len(run.evaluations.step) for run in self._runs)
        self._say(bare)
        self._stack.setCurrentWidget(self.empty if bare else self.table if table else self._charts)
        self._which.choose(big.key)
        self.tools.setVisible(not bare)
        if table and not self._table_timer.isActive():
            self._fill_table()
        if bare or table:
            self.view.point(None)
            return
        self._lay_out(big)
        self._set_whole(shown)
        for quantity in QUANTITIES:
            self._cards[quantity.key].show_picture(self._picture(quantity, shown))

    def _headline(self) -> Quantity:
        """Return the quantity of the big chart: the operator's choice, else the score if it is known."""
        if self._big is not None:
            return self._big
        scored = any(len(run.evaluations.step) or _measured(run, SCORE) for run in self._runs)
        return SCORE if scored else HELD_OUT if self._cloned else RETURN

    @property
    def _cloned(self) -> bool:
        """Return whether a version cloned from demonstrations is shown."""
        return any(_measured(run, HELD_OUT) for run in self._runs)

    def _lay_out(self, big: Quantity) -> None:
        quantities = [quantity for quantity in QUANTITIES if quantity is not HELD_OUT]
        if self._cloned:
            quantities = [
                quantity for quantity in QUANTITIES if any(_measured(run, quantity) for run in self._runs)
            ]
        small = [self._cards[quantity.key] for quantity in quantities if quantity is not big]
        for card in small:
            card.chart.set_least_height(_SMALL_PX)
        self._cards[big.key].chart.set_least_height(_BIG_PX)
        self._tiles.show_tiles(small, self._cards[big.key])
        for before, after in pairwise([self._cards[big.key], *small]):
            QWidget.setTabOrder(before.chart, after.chart)

    def _picture(self, quantity: Quantity, shown: Sequence[TrainingRun]) -> ChartData:
        weight = self.tools.smoothing.weight
        return ChartData(
            lines=[line_of(run, quantity, self.view.axis, weight) for run in shown],
            references=[reference for reference in self._references if reference.chart == quantity.key],
            log=self.log.isChecked(),
            empty=quantity.empty,
        )

    def _set_whole(self, shown: Sequence[TrainingRun]) -> None:
        name = AXIS_COLUMNS[self.view.axis]
        columns = [
            x for run in shown for x in (run.curves.column(name), run.evaluations.column(name)) if len(x)
        ]
        ends = [float(end) for x in columns for end in (x.min(), x.max())]
        self.view.set_whole((min(ends), max(ends)) if ends else None)

    def _say(self, bare: bool) -> None:
        self._note.show_text("\n".join(f"{run.label}: {run.fault}" for run in self._runs if run.fault))
        waits = [f"{run.label}: {run.sentence}" for run in self._runs if run.live]
        if bare and waits:
            sentence = f"{'; '.join(waits)}. The first point appears soon."
            self.empty.say("The training has begun", sentence)
        elif bare:
            shipped = any(run.about.version == SHIPPED for run in self._runs)
            words = _SHIPPED if shipped else ("Nothing was learned yet" if self._runs else _NONE[0], _NONE[1])
            self.empty.say(*words)

    def _fill_table(self) -> None:
        if self.tools.as_table:
            self.table.show_sheet(sheet_of(self.chips.shown(), self._unit))
            self._table_timer.start()

    def _enlarge(self, key: str) -> None:
        self._big = next(quantity for quantity in HEADLINES if quantity.key == key)
        self._draw()


def _measured(run: TrainingRun, quantity: Quantity) -> bool:
    values = run.curves.column(quantity.key)
    return bool((values == values).any())
