"""A plot in its card, with its choices at the right and its table twin behind a switch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.controls import Toggle
from pitwall.console.kit.elements import Card, Label, SectionTitle
from pitwall.console.kit.theme import GAP, PAD, STEP
from pitwall_evaluation.console.data_sheet import Column, Sheet, SheetTable
from pitwall_evaluation.console.plot import Plot

P = TypeVar("P", bound=Plot)


class PlotCard(Card, Generic[P]):
    """Title, tools, plot or table, and a line of explanation under it.

    Signals: opened(key): the operator opened the runs behind a place.
    """

    opened = Signal(str)

    def __init__(self, title: str, plot: P, *tools: QWidget, tip: str = "", height: int = 0) -> None:
        self.plot = plot
        self.table = SheetTable(plot.look, f"{title}, as a table")
        self.twin = Toggle("Table", "The same numbers as rows, to sort and to copy")
        self.twin.setAccessibleName(f"{title}: show as a table")
        self._head = SectionTitle(title, "", *tools, self.twin)
        self._head.setToolTip(tip)
        self._note = Label("", "note", wrap=True)
        self._note.hide()
        super().__init__(self._head, plot, self.table, self._note, gap=STEP)
        self.body.setContentsMargins(PAD, GAP, PAD, GAP)
        for at, twin in ((1, plot), (2, self.table)):
            self.body.setStretch(at, 1)
            if height:
                twin.setMinimumHeight(height)
        self.table.hide()
        self.twin.toggled.connect(self._turn)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        plot.opened.connect(self.opened)
        plot.csv = self.table.model.as_csv

    def say(self, text: str, head: str = "") -> None:
        """Show a note about the chart under it, and `head` beside its title; hide an empty note."""
        self._note.set_text(text)
        self._note.setVisible(bool(text))
        self._head.set_note(head)

    def show_sheet(
        self, first: str, columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[float]]]
    ) -> None:
        """Fill the table twin: a name and its numbers in each row."""
        self.table.show_sheet(Sheet.of(first, columns, rows))

    def _turn(self, table: bool) -> None:
        self.plot.setVisible(not table)
        self.table.setVisible(table)
