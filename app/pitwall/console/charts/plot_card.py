"""A plot in its card, with its choices at the right and its table twin behind a switch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedWidget, QWidget

from pitwall.console.charts.data_sheet import Column, Sheet, SheetTable
from pitwall.console.charts.plot import Plot
from pitwall.console.kit.choice import Toggle
from pitwall.console.kit.elements import Label, SectionTitle, column
from pitwall.console.kit.theme import GAP, PAD, STEP

P = TypeVar("P", bound=Plot)


class PlotCard(QFrame, Generic[P]):
    """Title, tools, plot or table, and a line under it that says what is to be known.

    Signals: opened(key): the runs behind a place of the plot.
    """

    opened = Signal(str)

    def __init__(self, title: str, plot: P, *tools: QWidget, tip: str = "", height: int = 0) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.plot = plot
        self._stack = _Pages()
        self.table = SheetTable(plot.look, f"{title}, as a table")
        self.twin = Toggle("Table", "The same numbers as rows, to sort and to copy")
        self.twin.setAccessibleName(f"{title}: show as a table")
        self.twin.toggled.connect(lambda on: self._stack.show_page(1 if on else 0))
        self._head = SectionTitle(title, "", *tools, self.twin)
        self._head.setToolTip(tip)
        self._note = Label("", "note", wrap=True)
        self._note.hide()
        self._stack.addWidget(plot)
        self._stack.addWidget(self.table)
        if height:
            self._stack.setMinimumHeight(height)
        self.setLayout(
            column(self._head, self._stack, self._note, gap=STEP, stretch=1, margins=(PAD, GAP, PAD, GAP))
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        plot.opened.connect(self.opened)
        plot.csv = self.table.model.as_csv

    @property
    def note(self) -> str:
        return self._note.full_text()

    def say(self, text: str, head: str = "") -> None:
        """Show a note about the chart under it, and `head` beside its title; hide an empty note."""
        self._note.set_text(text)
        self._note.setVisible(bool(text))
        self._head.set_note(head)

    def show_sheet(
        self, first: str, columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[float]]]
    ) -> None:
        """Fill the table twin: a name and its numbers in each row."""
        numbers = np.asarray([of for _, of in rows], np.float64).reshape(len(rows), len(columns))
        names = [name for name, _ in rows]
        self.table.show_sheet(Sheet(first, names, np.arange(len(rows)), columns, numbers))


class _Pages(QStackedWidget):
    """Stacks pages, and is as high as the page in view."""

    def show_page(self, at: int) -> None:
        self.setCurrentIndex(at)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        shown = self.currentWidget()
        return shown.sizeHint() if shown is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        shown = self.currentWidget()
        return shown.minimumSizeHint() if shown is not None else super().minimumSizeHint()
