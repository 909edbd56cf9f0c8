"""The console's one list of painted rows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pitwall.console.kit.language.catalogue import load_catalogue, use
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words, cut, line
from pitwall.console.kit.theme import Look


def a_row(key: int, note: str = "") -> ListRow:
    head = Line((Words("▲", width=22), Words(f"run {key}", bold=True)), Words("done"))
    return ListRow(key, (head, line(note, "dim")), tip=f"run {key} <b>", share=0.5)


@pytest.fixture
def runs(qapp: QApplication, qtbot: QtBot) -> RowList:
    runs = RowList(Look(qapp), "Runs", 48, most=3)
    qtbot.addWidget(runs)
    runs.show()
    return runs


def test_filling_emits_nothing_and_choosing_emits_the_key(runs: RowList) -> None:
    heard: list[int] = []
    runs.chosen.connect(heard.append)
    runs.show_rows([a_row(1), a_row(2)], chosen=2)
    assert (runs.current, runs.keys, heard) == (2, [1, 2], [])
    runs.show_rows([a_row(3), a_row(1, "ended"), a_row(2)])
    assert (runs.current, heard) == (2, [])
    QTest.keyClick(runs, Qt.Key.Key_Up)
    assert runs.choose(3) and not runs.choose(9)
    assert heard == [1, 3]
    runs.show_rows([a_row(4)], chosen="")
    assert (runs.current, heard) == (None, [1, 3])


def test_a_row_says_its_words_and_enter_opens_it(runs: RowList, qtbot: QtBot) -> None:
    runs.show_rows([a_row(1, "3 steps")], chosen=1)
    index = runs.currentIndex()
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "▲, run 1, done, 3 steps"
    assert "&lt;b&gt;" in index.data(Qt.ItemDataRole.ToolTipRole)
    with qtbot.waitSignal(runs.opened) as opened:
        QTest.keyClick(runs, Qt.Key.Key_Return)
    assert opened.args == [1]


def test_it_is_as_high_as_its_rows_up_to_a_bound(runs: RowList) -> None:
    runs.show_rows([a_row(1)])
    assert runs.height() == 52
    runs.show_rows([a_row(at) for at in range(9)])
    assert runs.height() == 3 * 48 + 4
    assert not runs.grab().isNull()


def test_more_is_asked_for_once_at_the_end(runs: RowList, qtbot: QtBot) -> None:
    asked: list[int] = []
    runs.more_wanted.connect(asked.append)
    runs.show_rows([a_row(at) for at in range(20)], total=40)
    runs.scrollToBottom()
    qtbot.waitUntil(lambda: asked == [20])
    runs.show_rows([a_row(at) for at in range(40)], total=40)
    runs.scrollToBottom()
    qtbot.wait(30)
    assert asked == [20]


@pytest.mark.usefixtures("inter")
def test_rows_are_as_high_as_their_text_needs(qapp: QApplication, qtbot: QtBot) -> None:
    look = Look(qapp)
    events = RowList(look, "Events", 0)
    look.dress(events)
    qtbot.addWidget(events)
    events.resize(240, 300)
    events.show()
    time = Words("0:01.2", "faint", width=60)
    texts = ("jump " * count for count in (1, 9, 90))
    rows = [ListRow(at, (Line((time, Words(text, most_lines=3))),)) for at, text in enumerate(texts)]
    events.show_rows(rows)
    heights = [events.visualRect(events.model().index(at, 0)).height() for at in range(3)]
    assert heights[0] < heights[1] < heights[2] < 4 * heights[0]


def test_words_that_do_not_fit_into_their_lines_end_in_three_dots(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    room = QRect(0, 0, 200, 3 * metrics.lineSpacing())
    text = "the model is on trial in this game and brought progress in no step yet " * 4
    shown = cut(text, metrics, room)
    assert shown.endswith("…") and text.startswith(shown[:-1])
    flags = int(Qt.TextFlag.TextWordWrap)
    heights = [
        metrics.boundingRect(QRect(0, 0, 200, 9_999), flags, words).height() for words in (shown, text)
    ]
    assert heights[0] <= room.height() < heights[1]
    assert cut("short", metrics, room) == "short"


def test_a_text_is_translated_before_it_is_cut(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    use(load_catalogue("de"))
    try:
        text = "10 steps since the last plan. The reactive controller asked. Choose a game. Nothing was done."
        shown = cut(text, metrics, QRect(0, 0, 200, 2 * metrics.lineSpacing()))
    finally:
        use(None)
    assert shown.startswith("10 Schritte seit dem letzten Plan.") and "reactive" not in shown
