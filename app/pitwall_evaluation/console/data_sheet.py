"""The table twin of charts: the same numbers as rows, to sort, to copy as CSV, to be read aloud."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.axes import Numbers
from pitwall.console.charts.data import cells
from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.table.model import Column as TableColumn
from pitwall.console.kit.table.model import TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.core.quantities import NONE, clock, counted, date_time, number


def count_text(value: float) -> str:
    """Write a whole number: 51,200."""
    return f"{value:,.0f}" if math.isfinite(value) else NONE


def time_text(value: float) -> str:
    """Return the seconds as a time: 12:41."""
    return clock(value) if math.isfinite(value) else NONE


def clock_text(value: float) -> str:
    """Return the seconds since 1970 on the local clock."""
    return date_time(value, seconds=True)


@dataclass(frozen=True, slots=True)
class Column:
    """Describes one column of numbers.

    Attributes:
        title: with its unit. text: writes a number for a cell.
    """

    title: str
    text: Callable[[float], str] = number


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of numbers, each with a name.

    Attributes:
        first: title of the names' column. names: all there are. name_of: (n,), which of them a row has.
        numbers: (n, len(columns)), NaN where nothing was measured.
    """

    first: str = ""
    names: Sequence[str] = ()
    name_of: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    columns: Sequence[Column] = ()
    numbers: Numbers = field(default_factory=lambda: np.zeros((0, 0)))

    @classmethod
    def of(cls, first: str, columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[float]]]) -> Sheet:
        """Lay out rows that have a name and numbers each."""
        numbers = np.asarray([of for _, of in rows], np.float64).reshape(len(rows), len(columns))
        return cls(first, [name for name, _ in rows], np.arange(len(rows)), columns, numbers)

    def table_columns(self) -> list[TableColumn[int]]:
        """Return the table columns of the sheet's rows, which are given by number."""
        names: TableColumn[int] = TableColumn(
            self.first, lambda at: self.names[self.name_of[at]], sort=lambda at: int(self.name_of[at])
        )
        return [
            names,
            *(_number_column(column, self.numbers[:, at]) for at, column in enumerate(self.columns)),
        ]


def _number_column(of: Column, numbers: Numbers) -> TableColumn[int]:
    return TableColumn(
        of.title,
        lambda at: of.text(float(numbers[at])),
        number=True,
        sort=lambda at: float(numbers[at]),
        exact=lambda at: cells(numbers[at])[0],
    )


class SheetTable(QWidget):
    """A sheet in a table, with a line over it that counts rows and copies them.

    Args:
        name: for screen readers.
    """

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self.model: TableModel[int] = TableModel((), key=lambda at: at)
        self.view = Table(look, self.model, name, several=True)
        self._count = Label("", "note")
        self._copy = Button("Copy as CSV", self.copy, tip="The selected rows, or all of them")
        self.setLayout(column(row(self._count, None, self._copy), self.view, stretch=1))

    def show_sheet(self, sheet: Sheet) -> None:
        """Show other rows; their order and where it was scrolled to stay."""
        rows = range(len(sheet.numbers))
        self.view.show_rows(rows, sheet.table_columns())
        self._count.set_text(counted(len(rows), "row"))
        self._copy.setEnabled(bool(rows))

    def copy(self) -> None:
        """Put the selected rows, or all where none is, on the clipboard as CSV."""
        self._count.set_text(f"{counted(self.view.copy(), 'row')} copied")
