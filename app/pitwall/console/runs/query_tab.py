"""The Query tab: SQL over runs, calls and memory, read-only; its rows as a table and as CSV."""

from __future__ import annotations

from functools import partial
from threading import Event
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, EmptyState, Label, PrimaryButton, column, row
from pitwall.console.kit.form.inputs import Combo, Line, Lines
from pitwall.console.kit.form.word_completer import WordCompleter
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import PAD, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.memory.query import query_tables, run_query
from pitwall.store.query import QueryResult, QueryTable, remove_query, save_query, saved_queries

_FIRST = "SELECT game_id, count(*) AS runs\nFROM runs\nGROUP BY game_id\nORDER BY runs DESC"
_NAME_WIDTH = 160
_SQL = ("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "DISTINCT", "count", "avg")
"""Words of SQL that are worth completing, beside the names of tables and columns."""
_Row = tuple[int, tuple[Any, ...]]


class QueryTab(QWidget):
    """Editor, saved queries and result.

    Signals:
        answered(): a query ended, well or not.
    """

    answered = Signal()

    def __init__(self, data: DataFolder, look: Look) -> None:
        super().__init__()
        self._data = data
        self._worker = BackgroundWorker("query", self)
        self._cancelled = Event()
        self._saved: dict[str, str] = {}
        self.sql = Lines("SQL", "SELECT … FROM runs", code=True, least=5)
        self.sql.setPlainText(_FIRST)
        self.sql.sent.connect(self.run)
        self._completer = WordCompleter(self.sql)
        self.saved = Combo("Saved queries", letters=16, tip="Puts a saved query into the editor")
        self.saved.activated.connect(self._show_saved)
        self.tables = Combo("Tables", letters=16, tip="Inserts the table's name at the cursor")
        self.tables.activated.connect(self._write_table)
        self.name = Line("Name of the query", "name to save it under")
        self.name.setFixedWidth(_NAME_WIDTH)
        self._save = Button("Save", self.save, name="Save the query")
        self._remove = Button("Delete", self.remove, kind="quiet", name="Delete the saved query")
        self._run = PrimaryButton("Run", self.run, name="Run the query")
        self._run.setToolTip("Ctrl+Enter")
        self._cancel = Button("Cancel", self.cancel, name="Cancel the query")
        self._csv = Button("Save as CSV…", lambda: self.table.save())
        self._note = Label("", "dim")
        self.notifications = NotificationBar(self)
        self.table: Table[_Row] = Table(
            look, TableModel((), lambda row: row[0]), "Query result", several=True
        )
        self.table.set_empty(
            EmptyState(
                "The rows of the answer",
                "Runs, steps, calls and the memory's entries can be read and joined; nothing is changed.",
            )
        )
        self._lay_out()
        self._show_running(False)

    def opened(self) -> None:
        """Read the names of tables and saved queries again."""
        self._worker.ask(
            lambda: (saved_queries(self._data), query_tables(self._data)), self._take_names, self._refuse
        )

    def run(self) -> None:
        """Run the query in the editor; does nothing while one runs."""
        sql = self.sql.toPlainText().strip()
        if not self._run.isVisibleTo(self) or not sql:
            return
        self._cancelled.clear()
        self._show_running(True)
        self._worker.ask(
            lambda: run_query(self._data, sql, cancelled=self._cancelled.is_set), self._show, self._refuse
        )

    def cancel(self) -> None:
        """Stop the query that runs."""
        self._cancelled.set()

    def save(self) -> None:
        """Keep the query in the editor under the name beside it."""
        name, sql = self.name.text().strip(), self.sql.toPlainText()
        self._worker.ask(partial(save_query, self._data, name, sql), lambda _: self._kept(name), self._refuse)

    def remove(self) -> None:
        """Delete the saved query that the name field names."""
        name = self.name.text().strip()
        self._worker.ask(partial(remove_query, self._data, name), lambda _: self._removed(name), self._refuse)

    def close_reading(self) -> None:
        """Stop what runs; before the data folder goes away."""
        self.cancel()
        self._worker.close()

    # ---- inside

    def _lay_out(self) -> None:
        above = row(self.saved, self.tables, None, self.name, self._save, self._remove)
        below = row(self._run, self._cancel, self._note, None, self._csv)
        self.setLayout(column(above, self.sql, below, self.table, stretch=3, margins=PAD))

    def _take_names(self, names: tuple[dict[str, str], list[QueryTable]]) -> None:
        self._saved, tables = names
        self._completer.know([*_SQL, *(name for table in tables for name in (table.name, *table.columns))])
        self.saved.offer([("", "Saved queries"), *((name, name, sql) for name, sql in self._saved.items())])
        columns = [(table.name, table.name, ", ".join(table.columns)) for table in tables]
        self.tables.offer([("", "Tables"), *columns])

    def _show_saved(self) -> None:
        name = self.saved.current
        if name in self._saved:
            self.sql.setPlainText(self._saved[name])
            self.name.setText(name)

    def _write_table(self) -> None:
        if self.tables.current:
            self.sql.insertPlainText(self.tables.current)
            self.sql.setFocus()
        self.tables.choose("")

    def _show(self, result: QueryResult) -> None:
        rows: list[_Row] = list(enumerate(result.rows))
        self.table.show_rows(rows, [_column(title, at, rows) for at, title in enumerate(result.columns)])
        more = ", the first of more" if result.truncated else ""
        self._note.set_text(f"{counted(len(rows), 'row')}{more} · {1000 * result.seconds:.0f} ms")
        self.notifications.hide()
        self._show_running(False)
        self.answered.emit()

    def _refuse(self, error: PitwallError) -> None:
        self._note.set_text("")
        self.notifications.notify(Notification.of_error(error))
        self._show_running(False)
        self.answered.emit()

    def _kept(self, name: str) -> None:
        self.notifications.notify(Notification(f"Saved as {name}."))
        self.opened()

    def _removed(self, name: str) -> None:
        self.notifications.notify(Notification(f"The saved query {name} is deleted."))
        self.opened()

    def _show_running(self, running: bool) -> None:
        self._run.setVisible(not running)
        self._cancel.setVisible(running)
        self._csv.setEnabled(not running and self.table.rows.rowCount() > 0)
        if running:
            self._note.set_text("Running …")


def _column(title: str, at: int, rows: list[_Row]) -> Column[_Row]:
    values = [values[at] for _, values in rows]
    number = all(value is None or isinstance(value, int | float) for value in values)
    return Column(
        title,
        lambda row: _text(row[1][at]),
        number=number,
        sort=(lambda row: row[1][at]) if number else None,
        exact=lambda row: _exact(row[1][at]),
    )


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return f"({len(value):,} bytes)"
    return f"{value:.6g}" if isinstance(value, float) else _exact(value)


def _exact(value: Any) -> str:
    """Write a value as in a CSV file; bytes as hexadecimal digits."""
    if value is None:
        return ""
    return value.hex() if isinstance(value, bytes) else str(value)
