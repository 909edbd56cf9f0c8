"""The Query tab on real databases: rows, errors with the nearest name, saved queries, CSV, cancelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import texts
from tests.console.recorded_runs import record_run

from pitwall.console.kit.theme import Look
from pitwall.console.runs.query_tab import QueryTab
from pitwall.core.paths import DataFolder
from pitwall.store.query import saved_queries

_WAIT_MS = 90_000
Ask = Callable[[str], None]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path)
    record_run(folder, 4)
    record_run(folder, 2, game="Freedoom")
    return folder


@pytest.fixture
def tab(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[QueryTab]:
    assert screen
    widget = QueryTab(data, Look(qapp, "dark"))
    qtbot.addWidget(widget)
    widget.resize(1000, 600)
    widget.show()
    widget.opened()
    yield widget
    widget.close_reading()


@pytest.fixture
def ask(tab: QueryTab, qtbot: QtBot) -> Ask:
    def asked(sql: str) -> None:
        tab.sql.setPlainText(sql)
        with qtbot.waitSignal(tab.answered, timeout=_WAIT_MS):
            tab.run()

    return asked


def test_a_query_shows_its_rows_and_copies_them_as_csv(tab: QueryTab, ask: Ask) -> None:
    ask("SELECT run_id, steps FROM (SELECT run_id, count(*) AS steps FROM steps GROUP BY 1) ORDER BY 1")
    assert [column.title for column in tab.table.rows.columns] == ["run_id", "steps"]
    assert [row[1] for row in tab.table.rows.rows] == [(1, 4), (2, 2)]
    assert "2 rows · " in texts(tab)
    tab.table.copy()
    assert QApplication.clipboard().text() == "run_id,steps\n1,4\n2,2\n"


def test_ctrl_enter_runs_the_first_query(tab: QueryTab, qtbot: QtBot) -> None:
    tab.sql.setFocus()
    with qtbot.waitSignal(tab.answered, timeout=_WAIT_MS):
        QTest.keyClick(tab.sql, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sum(row[1][1] for row in tab.table.rows.rows) == 2


def test_an_unknown_column_is_answered_with_the_nearest_one(tab: QueryTab, ask: Ask) -> None:
    ask("SELECT runid FROM runs")
    assert "Did you mean 'run_id'?" in tab.notifications.text


def test_a_query_that_changes_something_is_refused(tab: QueryTab, ask: Ask) -> None:
    ask("DELETE FROM runs")
    assert "more than read" in tab.notifications.text
    ask("SELECT count(*) FROM runs")
    assert [row[1] for row in tab.table.rows.rows] == [(2,)]


def test_the_memory_can_be_asked_too(tab: QueryTab, ask: Ask) -> None:
    ask("SELECT count(*) AS entries FROM memory.entries")
    assert [row[1] for row in tab.table.rows.rows] == [(0,)]


def test_a_query_is_saved_shown_and_deleted(tab: QueryTab, data: DataFolder, qtbot: QtBot) -> None:
    tab.sql.setPlainText("SELECT 1")
    tab.name.setText("one")
    tab.save()
    qtbot.waitUntil(lambda: tab.saved.findData("one") > 0, timeout=_WAIT_MS)
    assert saved_queries(data) == {"one": "SELECT 1"}
    tab.sql.setPlainText("SELECT 2")
    tab.saved.setCurrentIndex(tab.saved.findData("one"))
    tab.saved.activated.emit(tab.saved.currentIndex())
    assert tab.sql.toPlainText() == "SELECT 1"
    tab.remove()
    qtbot.waitUntil(lambda: tab.saved.findData("one") < 0, timeout=_WAIT_MS)
    assert saved_queries(data) == {}


def test_a_name_that_is_no_word_is_refused(tab: QueryTab, qtbot: QtBot) -> None:
    tab.name.setText("two words")
    tab.save()
    qtbot.waitUntil(lambda: "cannot name a query" in tab.notifications.text, timeout=_WAIT_MS)


def test_a_long_query_is_cancelled(tab: QueryTab, qtbot: QtBot) -> None:
    tab.sql.setPlainText(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    )
    tab.run()
    with qtbot.waitSignal(tab.answered, timeout=_WAIT_MS):
        tab.cancel()
    assert "was cancelled" in tab.notifications.text


def test_names_of_tables_and_columns_are_completed(tab: QueryTab, qtbot: QtBot) -> None:
    tab.show()
    qtbot.waitExposed(tab)
    tab.activateWindow()
    tab.opened()
    qtbot.waitUntil(lambda: tab.tables.count() > 1)
    tab.sql.setPlainText("")
    tab.sql.setFocus()
    qtbot.waitUntil(tab.sql.hasFocus)
    QTest.keyClicks(tab.sql, "SELECT game_i")
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert tab.sql.toPlainText() == "SELECT game_id"
