"""The runs of a data folder, newest first, read in portions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt, Signal

from pitwall.console.kit.column_table import NOWHERE, ROW, Index
from pitwall.core.steps import StepRecord
from pitwall.store.run_log import RunRow


class RunsModel(QAbstractListModel):
    """Runs, newest first, as many as were read so far.

    Args:
        describe: one sentence for a run, for screen readers.

    Signals:
        more_wanted(offset): the view came to the end of what was read.
    """

    more_wanted = Signal(int)

    def __init__(self, describe: Callable[[RunRow], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._describe = describe
        self._rows: list[RunRow] = []
        self._total = 0
        self._asked = False

    @property
    def rows(self) -> Sequence[RunRow]:
        return self._rows

    def show(self, rows: Sequence[RunRow], total: int) -> None:
        """Replace what is listed; where it is the same runs, only their figures change."""
        self._asked, self._total = False, total
        if [row.run_id for row in rows] == [row.run_id for row in self._rows]:
            self._rows = list(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def add(self, rows: Sequence[RunRow]) -> None:
        """More (older) runs came."""
        self._asked = False
        known = {row.run_id for row in self._rows}
        new = [row for row in rows if row.run_id not in known]
        if new:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(new) - 1)
            self._rows += new
            self.endInsertRows()
        else:
            self._total = len(self._rows)

    def count_step(self, run_id: int, step: StepRecord) -> None:
        """A step of a run that is being recorded was committed."""
        at = self.place_of(run_id)
        if at is None:
            return
        summary = self._rows[at].summary
        routes = dict(summary.routes)
        routes[step.route] = routes.get(step.route, 0) + 1
        seconds = max(summary.seconds, step.at_ns / 1e9)
        summary = replace(summary, steps=max(summary.steps, step.step), routes=routes, seconds=seconds)
        self._rows[at] = replace(self._rows[at], summary=summary)
        self.dataChanged.emit(self.index(at), self.index(at))

    def place_of(self, run_id: int | None) -> int | None:
        """Row of a run; None where it is not listed."""
        return next((at for at, row in enumerate(self._rows) if row.run_id == run_id), None)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._describe(row)
        return None

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and not self._asked and len(self._rows) < self._total

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self._asked = True
            self.more_wanted.emit(len(self._rows))
