"""The table twin of the strips: the newest steps with their signals, route and reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout, QWidget

from pitwall.console.inspector import format as said
from pitwall.console.kit import format as words
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.model_calls import Call
from pitwall.console.state.view_state import Part
from pitwall.core.clock import NS_PER_S
from pitwall.core.steps import StepRecord

_COLUMNS = (
    "step",
    "time",
    "change",
    "no progress",
    "repeats",
    "failure",
    "since refresh",
    "route",
    "trigger",
    "action",
    "effect",
    "model calls",
)
_WORDS_FROM = 7

Index = QModelIndex | QPersistentModelIndex


class StepModel(QAbstractTableModel):
    """Steps, newest first."""

    def __init__(self, calls_of: Callable[[int], Sequence[Call]]) -> None:
        super().__init__()
        self._calls_of = calls_of
        self._steps: list[StepRecord] = []

    def step_at(self, row: int) -> int:
        """Number of a row's step."""
        return self._steps[row].step

    def show_calls(self) -> None:
        """Calls came or ended: what the last column says is drawn anew."""
        if self._steps:
            last = len(_COLUMNS) - 1
            self.dataChanged.emit(self.index(0, last), self.index(len(self._steps) - 1, last))

    def show_steps(self, steps: list[StepRecord]) -> None:
        """Steps oldest first; only new ones are added where it can be told."""
        newest = self._steps[0].step if self._steps else 0
        fresh = [step for step in steps if step.step > newest]
        if self._steps and steps and steps[0].step <= newest and len(fresh) < len(steps):
            if fresh:
                self.beginInsertRows(QModelIndex(), 0, len(fresh) - 1)
                self._steps = fresh[::-1] + self._steps
                self.endInsertRows()
            if len(self._steps) > len(steps):
                self.beginRemoveRows(QModelIndex(), len(steps), len(self._steps) - 1)
                del self._steps[len(steps) :]
                self.endRemoveRows()
            return
        self.beginResetModel()
        self._steps = steps[::-1]
        self.endResetModel()

    def rowCount(self, _parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self._steps)

    def columnCount(self, _parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal:
            return _COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            step = self._steps[index.row()]
            if index.column() == len(_COLUMNS) - 1:
                return call_words(self._calls_of(step.step))
            return cells(step)[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        return None


def cells(step: StepRecord) -> tuple[str, ...]:
    """One row of the table."""
    signals = step.signals
    return (
        str(step.step),
        words.clock_tenths(step.at_ns / NS_PER_S),
        f"{signals.change:.2f}",
        str(signals.stall),
        str(signals.repetition),
        f"F{int(signals.failure)}",
        str(signals.since_strategic),
        step.route.value,
        words.reasons(step.reasons),
        str(step.action),
        words.effect(step.effect),
    )


def call_words(calls: Sequence[Call]) -> str:
    """ "describe ✓, plan ✕": the calls made for a step and what became of them."""
    return ", ".join(f"{said.purpose(call.purpose)} {said.outcome(call).sign}" for call in calls)


class StepTable(QWidget):
    """The model in a table.

    Signals:
        step_wanted(step): a row was activated (Enter, or a double click).
    """

    step_wanted = Signal(int)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._model = StepModel(lambda step: bridge.state.thinking.calls.of_step(step))
        table = QTableView()
        table.setModel(self._model)
        table.setAccessibleName("Signals by step")
        table.verticalHeader().setVisible(False)
        table.verticalHeader().setDefaultSectionSize(26)
        table.setShowGrid(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.activated.connect(self._activate)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setHighlightSections(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(table)

    def refresh(self, changed: Part) -> None:
        if changed & (Part.STEP | Part.RUN):
            self._model.show_steps(list(self._bridge.state.steps))
        if changed & Part.CALLS:
            self._model.show_calls()

    def _activate(self, index: Index) -> None:
        self.step_wanted.emit(self._model.step_at(index.row()))


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column >= _WORDS_FROM else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
