"""The console's one table: its order, filter, selection, copies and pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from pitwall.console.kit.elements import EmptyState
from pitwall.console.kit.row_drawing import font_of
from pitwall.console.kit.table import model, view
from pitwall.console.kit.table.model import ROW, Column, TableModel
from pitwall.console.kit.table.paged import PagedModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import SMALL_PX, Look


@dataclass(frozen=True, slots=True)
class Lap:
    driver: str
    seconds: float
    note: str = ""


COLUMNS: tuple[Column[Lap], ...] = (
    Column("Driver", lambda lap: lap.driver, stretch=1),
    Column(
        "Time, s",
        lambda lap: f"{lap.seconds:.1f}" if lap.seconds == lap.seconds else "–",
        sort=lambda lap: lap.seconds,
        exact=lambda lap: f"{lap.seconds}",
        number=True,
        descends=True,
        tip="A lap's time",
    ),
    Column("Note", lambda lap: lap.note, width=80, least_room=300),
)
LAPS = (Lap("Bo", 71.25), Lap("Ann", 70.5), Lap("Cy", math.nan, "in the pit"))


@pytest.fixture
def look(qapp: QApplication) -> Look:
    return Look(qapp)


@pytest.fixture
def table(look: Look, qtbot: QtBot) -> Table[Lap]:
    table = Table(look, TableModel(COLUMNS, lambda lap: lap.driver), "Laps", first=True)
    qtbot.addWidget(table)
    table.resize(400, 300)
    table.show()
    table.show_rows(LAPS)
    return table


def drivers(table: Table[Lap]) -> list[str]:
    return [lap.driver for lap in table.rows.rows]


def click_head(table: Table[Lap], at: int) -> None:
    head = table.horizontalHeader()
    place = QPoint(head.sectionViewportPosition(at) + head.sectionSize(at) // 2, 8)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_head_sorts_one_way_then_the_other_then_not_at_all(table: Table[Lap]) -> None:
    table.choose("Ann")
    heads = table.rows
    for wanted, title in (
        (["Bo", "Ann", "Cy"], "Time, s ↓"),
        (["Ann", "Bo", "Cy"], "Time, s ↑"),
        (["Bo", "Ann", "Cy"], "Time, s"),
    ):
        click_head(table, 1)
        assert drivers(table) == wanted
        assert heads.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) == title
        assert table.current == LAPS[1]
    click_head(table, 0)
    assert drivers(table) == ["Ann", "Bo", "Cy"]


def test_the_chosen_row_stays_when_rows_come_anew(table: Table[Lap]) -> None:
    heard: list[Lap | None] = []
    table.chosen.connect(heard.append)
    assert table.current == LAPS[0]
    table.choose("Cy")
    table.show_rows([Lap("Di", 69.0), *LAPS])
    assert table.currentIndex().row() == 3
    table.show_rows([Lap("Cy", 68.0), Lap("Bo", 71.0)])
    assert table.currentIndex().row() == 0
    table.show_rows([Lap("Bo", 71.0)])
    table.show_rows([])
    assert heard == [LAPS[2], Lap("Cy", 68.0), Lap("Bo", 71.0), None]


def test_a_filter_keeps_the_order(table: Table[Lap]) -> None:
    table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    table.rows.filter(lambda lap: lap.driver != "Bo")
    assert drivers(table) == ["Cy", "Ann"]
    table.show_rows([*LAPS, Lap("Di", 69.0)])
    assert drivers(table) == ["Di", "Cy", "Ann"]
    table.rows.filter(None)
    assert drivers(table) == ["Di", "Cy", "Bo", "Ann"]


def test_rows_are_copied_and_saved_as_they_stand(
    look: Look, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(look, TableModel(COLUMNS, lambda lap: lap.driver), "Laps", several=True)
    qtbot.addWidget(table)
    table.show_rows(LAPS)
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied == 'Driver,"Time, s",Note\nAnn,70.5,\nBo,71.25,\nCy,nan,in the pit\n'
    table.selectRow(1)
    assert table.copy() == 1
    assert QGuiApplication.clipboard().text() == 'Driver,"Time, s",Note\nBo,71.25,\n'
    table.clearSelection()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "laps.csv"), ""))
    table.save()
    assert (tmp_path / "laps.csv").read_text(encoding="utf-8") == copied


def test_cells_say_what_they_are(table: Table[Lap]) -> None:
    cell = table.rows.index(1, 1)
    assert cell.data() == "70.5"
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "Time, s: 70.5"
    assert cell.data(ROW) == LAPS[1]
    assert table.rows.index(2, 2).data(Qt.ItemDataRole.ToolTipRole) == "in the pit"
    tip = table.rows.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == "A lap's time"


def test_columns_share_the_room_and_the_least_needed_one_gives_way(table: Table[Lap]) -> None:
    assert sum(table.columnWidth(at) for at in range(3)) == table.viewport().width()
    assert table.columnWidth(2) == 80
    table.resize(250, 300)
    assert table.isColumnHidden(2)


def test_an_empty_table_says_so(table: Table[Lap]) -> None:
    empty = EmptyState("No lap yet", "Laps appear here")
    table.set_empty(empty)
    assert empty.isHidden()
    table.show_rows([])
    assert not empty.isHidden()


def test_pages_are_read_as_they_come_into_view(look: Look, qtbot: QtBot) -> None:
    laps = [Lap(f"driver {at}", float(at)) for at in range(1_000)]
    model = PagedModel(COLUMNS, lambda lap: lap.driver, page_rows=100)
    asked: list[int] = []

    def answer(ticket: int, offset: int, limit: int) -> None:
        asked.append(offset)
        model.add_page(ticket, offset, laps[offset : offset + limit], len(laps))

    model.page_wanted.connect(answer)
    table = Table(look, model, "Laps")
    qtbot.addWidget(table)
    table.resize(400, 300)
    table.show()
    model.restart(total=len(laps))
    assert model.row_at(3) is None
    assert model.index(3, 0).data() == "…"
    qtbot.waitUntil(lambda: model.index(3, 0).data() == "driver 3")
    table.scrollToBottom()
    qtbot.waitUntil(lambda: model.known(999) is not None)
    assert 500 not in asked
    model.append(Lap("late", 1.0))
    assert model.known(1_000) == Lap("late", 1.0)
    asked.clear()
    model.renew()
    qtbot.waitUntil(lambda: 900 in asked)


def test_a_page_that_was_read_while_rows_came_is_read_again(qtbot: QtBot) -> None:
    model: PagedModel[Lap] = PagedModel(COLUMNS, lambda lap: lap.driver, page_rows=10)
    asked: list[Sequence[int]] = []
    model.page_wanted.connect(lambda *page: asked.append(page))
    ticket = model.restart(total=5)
    model.row_at(0)
    qtbot.waitUntil(lambda: len(asked) == 1)
    model.resize(7)
    model.add_page(ticket, 0, [Lap(f"{at}", 0.0) for at in range(5)])
    assert model.row_at(6) is None
    qtbot.waitUntil(lambda: len(asked) == 2)
    model.add_page(ticket, 0, [Lap(f"{at}", 0.0) for at in range(6)])
    assert model.row_at(6) is None
    qtbot.wait(60)
    assert len(asked) == 2


def test_a_row_that_is_missing_for_good_is_not_asked_for_without_end(qtbot: QtBot) -> None:
    model: PagedModel[Lap] = PagedModel(COLUMNS, lambda lap: lap.driver, page_rows=10)
    asked: list[Sequence[int]] = []
    model.page_wanted.connect(lambda *page: asked.append(page))
    ticket = model.restart(total=3)
    model.row_at(1)
    qtbot.waitUntil(lambda: len(asked) == 1)
    model.add_page(ticket, 0, [LAPS[0], None, LAPS[2]])
    assert [model.row_at(at) for at in range(3)] == [LAPS[0], None, LAPS[2]]
    assert model.place_of(LAPS[2].driver) == 2
    qtbot.wait(60)
    assert len(asked) == 1


def test_a_column_has_room_for_its_head_in_the_language_in_use(
    look: Look, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = {"won": "gewonnen in Messläufen", "Run": "Angenommen nach Lauf"}
    for module in (model, view):
        monkeypatch.setattr(module, "spoken", lambda text: heads.get(text, text))
    monkeypatch.setattr(view, "exchanged", lambda: True)
    columns: list[Column[Lap]] = [Column(title, lambda _: "", width=40) for title in heads]
    table = Table(look, TableModel(columns, lambda lap: lap.driver), "Laps")
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    table.show_rows(LAPS)
    metrics = QFontMetrics(font_of(SMALL_PX, False))
    for at, head in enumerate(heads.values()):
        assert table.columnWidth(at) > metrics.horizontalAdvance(head), head
