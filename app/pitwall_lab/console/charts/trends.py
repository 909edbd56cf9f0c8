"""Means over a training, a small chart for each: state-reader fields, and parts of the reward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.axes import Numbers
from pitwall.console.charts.data import ChartData, Line
from pitwall.console.kit.controls import Toggle
from pitwall.console.kit.elements import Card, EmptyState, SectionTitle, clear_layout, column, holder
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.panes import scrolled, stacked
from pitwall.console.kit.theme import STEP, Look
from pitwall_evaluation.console.data_sheet import Column, Sheet, SheetTable, count_text, time_text
from pitwall_lab.console.charts.card import ChartCard
from pitwall_lab.console.charts.controls import ChartTools, Tiles
from pitwall_lab.console.charts.log_reader import TrainingRun
from pitwall_lab.console.charts.quantities import along
from pitwall_lab.console.charts.run_chips import RunChips
from pitwall_lab.console.charts.series import smooth
from pitwall_lab.console.charts.shared_view import SharedView
from pitwall_lab.console.charts.stack import Parts, StackChart

Group = Literal["states", "rewards"]
SMOOTHING = 0.8
FIRST_SHOWN = 8
"""Fields shown at first; a click shows more."""
_TWO, _THREE = 480, 980
_TALLEST = 300
_BRIDGE = 20
"""Most missing points (the field was not read) that the smoothed line bridges."""
_EMPTY: dict[Group, tuple[str, str]] = {
    "states": (
        "No states yet",
        "The mean of every number that the state reader reads appears here during the training.",
    ),
    "rewards": (
        "No parts of the reward yet",
        "If the reward function returns named parts, the mean of each part a decision appears here. A "
        "plain number has no parts.",
    ),
}


class TrendsPanel(QWidget):
    """Small charts of named means; reward parts are also stacked in one chart.

    Args:
        group: which means of a log: `states` or `rewards`.
    """

    def __init__(self, look: Look, group: Group = "states") -> None:
        super().__init__()
        self._look, self._group = look, group
        self._runs: list[TrainingRun] = []
        self._units: Mapping[str, str] = {}
        self._names: list[str] = []
        self._left_out: set[str] | None = None
        self._cards: dict[str, ChartCard] = {}
        self.view = SharedView(self)
        self.tools = ChartTools(self.view, smoothing=SMOOTHING)
        self.tools.changed.connect(self._draw)
        self._which = RunChips(look)
        self._which.changed.connect(self._draw)
        self._chips = Flow(STEP + 2)
        self.piled = StackChart(look, self.view, "Parts of the reward", height=170)
        self.piled.unit = "reward"
        title = SectionTitle("Parts of the reward", "mean a decision, stacked")
        piled = Card(title, self.piled)
        self._tiles = Tiles(_TWO, _THREE)
        charts = column(piled, self._tiles)
        charts.setStretch(0, 3)
        charts.setStretch(1, 4)
        charts.addStretch(0)
        if group != "rewards":  # without a parent it would open as a window
            piled.hide()
        self.table = SheetTable(look, "Means over the training, one row for each point")
        self.empty = EmptyState(*_EMPTY[group])
        self._stack = stacked(self.empty, scrolled(holder(charts), "Means over the training"), self.table)
        self.setLayout(column(self.tools, self._which, self._chips, self._stack, stretch=3))
        self.setAccessibleName("State trends" if group == "states" else "Parts of the reward")
        self._draw()

    # ---- what it shows

    def show_runs(self, runs: Sequence[TrainingRun]) -> None:
        """Show these trainings, the first in front; only its parts are stacked."""
        self._runs = list(runs)
        self._which.show_runs(runs)
        names = list(dict.fromkeys(name for run in runs for name in self._means(run)))
        if names != self._names:
            self._names = names
            if self._left_out is None and names:
                self._left_out = set(names[FIRST_SHOWN:])
            self._build_chips()
        self._draw()

    def set_units(self, units: Mapping[str, str]) -> None:
        """Set the unit of each field from the game's profile."""
        self._units = dict(units)
        for name, card in self._cards.items():
            card.set_unit(self._unit(name))

    def shown(self) -> list[str]:
        """Return the names that are not hidden."""
        return [name for name in self._names if name not in (self._left_out or ())]

    def card(self, name: str) -> ChartCard:
        """Return the card of a shown name."""
        return self._cards[name]

    # ---- drawing

    def _build_chips(self) -> None:
        clear_layout(self._chips.flow)
        for name in self._names:
            chip = Toggle(name, f"Show {name}")
            chip.setAccessibleName(f"Show {name}")
            chip.setChecked(name not in (self._left_out or ()))
            chip.toggled.connect(partial(self._toggle, name))
            self._chips.flow.addWidget(chip)
            chip.show()
        self._chips.updateGeometry()

    def _show_cards(self, names: Sequence[str]) -> None:
        for name in [name for name in self._cards if name not in names]:
            gone = self._cards.pop(name)
            gone.hide()
            gone.deleteLater()
        for name in names:
            if name not in self._cards:
                card = self._cards[name] = ChartCard(
                    self._look, self.view, name, unit=self._unit(name), height=110, verbatim=True
                )
                card.setMaximumHeight(_TALLEST)
        self._tiles.show_tiles([self._cards[name] for name in names])

    def _draw(self) -> None:
        bare, table = not self._names, self.tools.as_table
        self.tools.setVisible(not bare)
        self._chips.setVisible(not bare and len(self._names) > 1 and not table)
        self._stack.setCurrentIndex(0 if bare else 2 if table else 1)
        if bare:
            return
        shown, names = self._which.shown(), self.shown()
        if table:
            self.table.show_sheet(_sheet(shown, self._names, self._means, self._unit))
            return
        self._show_cards(names)
        ends = [
            float(end) for run in self._runs if (x := along(run, self.view.axis)).size for end in x[[0, -1]]
        ]
        self.view.set_whole((min(ends), max(ends)) if ends else None)
        for name in names:
            lines = [self._line(run, means[name]) for run in shown if name in (means := self._means(run))]
            self._cards[name].show_picture(ChartData(lines=lines, empty=f"{name} was not read yet."))
        if self._group == "rewards" and shown:
            self.piled.show_parts(self._pile(shown[0]), "This training's reward has no named parts.")

    def _line(self, run: TrainingRun, raw: Numbers) -> Line:
        weight = self.tools.smoothing.weight
        return Line(
            label=run.label,
            ink=run.colour,
            x=along(run, self.view.axis),
            raw=raw,
            smooth=smooth(raw, weight) if weight else None,
            bridge=_BRIDGE,
        )

    def _pile(self, run: TrainingRun) -> Parts:
        names = [name for name in self.shown() if name in run.curves.rewards]
        if not names:
            return Parts()
        values = np.column_stack([run.curves.rewards[name] for name in names])
        return Parts(x=along(run, self.view.axis), values=values, names=names, first_ink=1)

    def _means(self, run: TrainingRun) -> Mapping[str, Numbers]:
        return run.curves.states if self._group == "states" else run.curves.rewards

    def _unit(self, name: str) -> str:
        return "reward" if self._group == "rewards" else self._units.get(name, "")

    def _toggle(self, name: str, on: bool) -> None:
        left_out = self._left_out = self._left_out or set()
        (left_out.discard if on else left_out.add)(name)
        self._draw()


def _sheet(
    runs: Sequence[TrainingRun],
    names: Sequence[str],
    means_of: Callable[[TrainingRun], Mapping[str, Numbers]],
    unit_of: Callable[[str], str],
) -> Sheet:
    columns = [Column("step", count_text), Column("training time", time_text)]
    columns += [Column(f"{name}, {unit}" if (unit := unit_of(name)) else name) for name in names]
    blocks = []
    for run in runs:
        means = means_of(run)
        block = [run.curves.column("step"), run.curves.column("wall_s")]
        block += [means.get(name, np.full(run.curves.count, np.nan)) for name in names]
        blocks.append(np.column_stack(block))
    return Sheet(
        first="version",
        names=[run.label for run in runs],
        name_of=np.repeat(np.arange(len(runs)), [len(block) for block in blocks]),
        columns=columns,
        numbers=np.concatenate(blocks) if blocks else np.zeros((0, len(columns))),
    )
