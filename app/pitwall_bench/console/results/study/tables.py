"""The tables of a study, such as its cells beside the paper's, with the sentence below each."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.notification import open_path
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall_bench.study.sheet import StudySheet, StudyTable

_Row = tuple[int, tuple[str, ...]]


class StudyTables(QWidget):
    """Shows one table of a study at a time."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._sheet: StudySheet | None = None
        self._title = Label("", "title", wrap=True)
        self._verdict, self._note = Label("", wrap=True), Label("", "note", wrap=True)
        self.parts = Combo("Table of the study", letters=30)
        self.parts.chosen.connect(lambda _: self._draw())
        self._page = Button(
            "Open its page", self._open, tip="The study's report, one page that needs no network"
        )
        self.table: Table[_Row] = Table(
            look, TableModel((), lambda line: line[0]), "Table of the study", sortable=False
        )
        head = row(self.parts, None, self._page, gap=GAP)
        self.setLayout(
            column(
                self._title,
                self._verdict,
                head,
                self.table,
                self._note,
                gap=GAP,
                stretch=3,
                margins=(PAD, GAP, PAD, GAP),
            )
        )

    def show_sheet(self, sheet: StudySheet) -> None:
        """Show a study; the table in view stays where it has one of that title."""
        self._sheet = sheet
        self._title.set_text(sheet.title)
        self._verdict.show_text(sheet.verdict)
        self._page.setVisible(bool(sheet.page) and Path(sheet.page).is_file())
        self.parts.offer([(each.title, each.title) for each in sheet.tables])
        self._draw()

    def _draw(self) -> None:
        tables = self._sheet.tables if self._sheet is not None else ()
        shown = next((each for each in tables if each.title == self.parts.current), None)
        if shown is not None:
            self.table.show_rows(list(enumerate(shown.rows)), _columns(shown))
            self._note.show_text(shown.note)

    def _open(self) -> None:
        if self._sheet is not None:
            open_path(Path(self._sheet.page))


def _columns(table: StudyTable) -> list[Column[_Row]]:
    """Return the columns of a table; rows of a paper are dim."""
    return [
        Column(
            title,
            partial(_cell, at),
            key=f"{table.title} {at}",
            number=at > 0 and _figures(table, at),
            tone=lambda line: "dim" if _of_paper(line) else "text",
            bold=partial(_bold, at),
        )
        for at, title in enumerate(table.head)
    ]


def _cell(at: int, line: _Row) -> str:
    return line[1][at]


def _bold(at: int, line: _Row) -> bool:
    return at == 0 and not _of_paper(line)


def _of_paper(line: _Row) -> bool:
    return line[1][0].startswith(("paper", "the paper"))


def _figures(table: StudyTable, at: int) -> bool:
    return all(len(line[at]) <= 24 for line in table.rows)
