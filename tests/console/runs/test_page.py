"""The runs page on a real run log: listing, searching, paging, frames, live growth, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import bridge_on, manifest, record_run, step

from pitwall.console.kit.elements import Button, Label, PrimaryButton
from pitwall.console.kit.theme import Look
from pitwall.console.runs.page import RunsPage
from pitwall.core.paths import DataFolder
from pitwall.core.steps import RunEvent
from pitwall.core.telemetry import RunBegan, StepNote
from pitwall.store.run_log import RunLog
from pitwall_lab.console.branch_dialog import BranchDialog

OpenPage = Callable[[], RunsPage]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def open_page(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[OpenPage]:
    assert screen
    look = Look(qapp, "dark")
    pages: list[RunsPage] = []

    def open_it() -> RunsPage:
        bridge = bridge_on(data.root)
        page = RunsPage(bridge, look)
        qtbot.addWidget(page)
        pages.append(page)
        page.resize(1220, 640)
        page.show()
        page.opened()
        return page

    yield open_it
    for page in pages:
        page.close_reading()
        page.bridge.shutdown()


def _texts(widget: QWidget) -> list[str]:
    return [label.full_text() for label in widget.findChildren(Label) if label.isVisibleTo(widget)]


def _cell(page: RunsPage, row: int, column: int) -> str:
    return str(page.detail.steps.index(row, column).data())


def _choose(page: RunsPage, qtbot: QtBot, run_id: int) -> None:
    qtbot.waitUntil(lambda: page.list.place_of(run_id) is not None)
    page.list.choose(run_id)
    qtbot.waitUntil(lambda: page.detail.run_id == run_id)


def test_without_runs_it_offers_the_one_thing_to_do(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page()
    qtbot.waitUntil(lambda: "No runs yet" in _texts(page))
    button = next(b for b in page.findChildren(PrimaryButton) if b.isVisible())
    with qtbot.waitSignal(page.page_wanted):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_runs_come_newest_first_with_their_figures(
    open_page: OpenPage, data: DataFolder, qtbot: QtBot
) -> None:
    first = record_run(data, 12)
    second = record_run(data, 3, game="Freedoom", outcome="emergency")
    page = open_page()
    qtbot.waitUntil(lambda: len(page.list.rows) == 2)
    assert [row.run_id for row in page.list.rows] == [second, first]
    text = page.list.view.rows[0].words
    assert all(word in text for word in ("Freedoom", "emergency stop", "3 steps", "1 plan"))
    assert page.detail.run_id == second, "the newest is shown"
    qtbot.waitUntil(lambda: {"1 (33 %)", "3.2 ms"} <= set(_texts(page.detail)))


def test_search_narrows_the_list_and_says_when_nothing_fits(
    open_page: OpenPage, data: DataFolder, qtbot: QtBot
) -> None:
    record_run(data, 2)
    doom = record_run(data, 2, game="Freedoom")
    record_run(data, 2)
    page = open_page()
    qtbot.waitUntil(lambda: len(page.list.rows) == 3)
    QTest.keyClicks(page.search, "freedoom")
    qtbot.waitUntil(lambda: [row.run_id for row in page.list.rows] == [doom])
    QTest.keyClicks(page.search, "xyz")
    qtbot.waitUntil(lambda: "No run holds these words" in _texts(page))
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(page.list.rows) == 3)


def test_the_list_shows_all_games_or_one(open_page: OpenPage, data: DataFolder, qtbot: QtBot) -> None:
    flappy = [record_run(data, 1) for _ in range(2)]
    doom = record_run(data, 1, game="Freedoom")
    page = open_page()
    qtbot.waitUntil(lambda: len(page.list.rows) == 3 and page.games.isVisible())
    assert [page.games.itemText(at) for at in range(page.games.count())] == [
        "All games",
        "Flappy Bird",
        "Freedoom",
    ]
    page.games.setCurrentIndex(1)
    qtbot.waitUntil(lambda: [row.run_id for row in page.list.rows] == flappy[::-1])
    page.show_step(doom, 0)
    qtbot.waitUntil(lambda: page.detail.run_id == doom)
    assert page.games.currentText() == "All games"


def test_a_step_is_explained_with_its_frame(open_page: OpenPage, data: DataFolder, qtbot: QtBot) -> None:
    run_id = record_run(data, 8, frames=6)
    page = open_page()
    _choose(page, qtbot, run_id)
    qtbot.waitUntil(lambda: page.detail.shown_step is not None)
    titles = [column.title for column in page.detail.steps.columns]
    assert titles == ["Step", "Time", "Route", "Reasons", "Action", "Effect", "Refused", "Reaction"]
    assert [_cell(page, 0, at) for at in range(8)] == [
        "1",
        "0:00.2",
        "▲ strategic",
        "scene change, stall",
        "flap",
        "✓ confirmed",
        "",
        "3.2 ms",
    ]
    assert page.detail.table.horizontalScrollBar().maximum() == 0, "no column is cut at 1280 by 720"
    QTest.keyClick(page.detail.table, Qt.Key.Key_Down)
    page.detail.choose_step(5)
    qtbot.waitUntil(lambda: page.detail.shown_step is not None and page.detail.shown_step.step == 5)
    qtbot.waitUntil(lambda: not page.detail.detail.frame.image.isNull())
    qtbot.waitUntil(lambda: page.detail.detail.frame.image.pixelColor(3, 3).blue() == 5)
    text = _texts(page.detail.detail)
    assert "Sentence 5: the gap is 14 px above the bird." in text
    assert {"Pass the next pipe", "tiny, following the skill fly"} <= set(text)
    assert "focus on another window" in text
    assert _cell(page, 4, 7) == "–", "no key was sent, so there is no reaction"
    page.detail.choose_step(8)
    qtbot.waitUntil(lambda: page.detail.detail.frame.image.isNull())


def test_beside_a_game_at_720p_the_action_of_a_step_stays(
    open_page: OpenPage, data: DataFolder, qtbot: QtBot
) -> None:
    run_id = record_run(data, 8, frames=1)
    page = open_page()
    _choose(page, qtbot, run_id)
    page.resize(868, 600)
    table = page.detail.table
    qtbot.waitUntil(lambda: table.isVisible() and table.viewport().width() < 440)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    assert not table.isColumnHidden([column.title for column in page.detail.steps.columns].index("Action"))


def test_tens_of_thousands_of_steps_scroll(open_page: OpenPage, data: DataFolder, qtbot: QtBot) -> None:
    count = 15_000
    run_id = record_run(data, count)
    page = open_page()
    _choose(page, qtbot, run_id)
    model = page.detail.steps
    assert model.rowCount() == count
    asked: list[int] = []
    model.page_wanted.connect(lambda _ticket, offset, _limit: asked.append(offset))
    QTest.keyClick(page.detail.table, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: page.detail.shown_step is not None and page.detail.shown_step.step == count)
    assert _cell(page, count - 1, 0) == "15,000"
    bar = page.detail.table.verticalScrollBar()
    for share in range(0, 100, 2):
        bar.setValue(bar.maximum() * share // 100)
        QApplication.processEvents()
    bar.setValue(bar.maximum() // 2)
    middle = count // 2
    qtbot.waitUntil(lambda: _cell(page, middle, 4) == "flap")
    assert len(asked) < 110, "pages that only flew by are not all read"


def test_events_lead_to_their_step(open_page: OpenPage, data: DataFolder, qtbot: QtBot) -> None:
    took = RunEvent(at_ns=1_000_000_000, kind="takeover", text="you moved the mouse", step=4)
    run_id = record_run(data, 6, events=[took])
    page = open_page()
    _choose(page, qtbot, run_id)
    qtbot.waitUntil(lambda: page.detail.event_table.rows.rowCount() == 1)
    row = [page.detail.event_table.rows.index(0, at).data() for at in range(4)]
    assert row == ["0:01.0", "takeover", "you moved the mouse", "4"]
    page.detail.event_table.activated.emit(page.detail.event_table.rows.index(0, 0))
    qtbot.waitUntil(lambda: page.detail.shown_step is not None and page.detail.shown_step.step == 4)


def test_a_run_grows_while_it_is_recorded(open_page: OpenPage, data: DataFolder, qtbot: QtBot) -> None:
    record_run(data, 2)
    page = open_page()
    qtbot.waitUntil(lambda: len(page.list.rows) == 1)
    with RunLog.open(data) as log:
        run_id = log.begin(manifest())
        page.bridge._take(RunBegan(run_id=run_id, manifest=manifest(), at_ns=0))
        _choose(page, qtbot, run_id)
        assert "No steps were recorded" in _texts(page.detail)
        for number in range(1, 4):
            log.add_step(run_id, step(number))
            page.bridge.received.emit(StepNote(run_id=run_id, step=step(number)))
        assert page.detail.steps.rowCount() == 3
        assert "3 steps" in page.list.view.rows[0].words
        assert "playing" in page.list.view.rows[0].words
        assert _cell(page, 2, 0) == "3"
        qtbot.waitUntil(lambda: _cell(page, 2, 4) == "flap")


def test_more_runs_than_a_portion_are_read_on_scrolling(
    open_page: OpenPage, data: DataFolder, qtbot: QtBot
) -> None:
    with RunLog.open(data) as log:
        for _ in range(130):
            log.begin(manifest())
    page = open_page()
    qtbot.waitUntil(lambda: len(page.list.rows) >= 100)
    page.list.view.scrollToBottom()
    qtbot.waitUntil(lambda: len(page.list.rows) == 130)


def test_a_damaged_run_log_is_a_sentence_with_a_fix(
    open_page: OpenPage, data: DataFolder, qtbot: QtBot
) -> None:
    record_run(data, 1)
    data.database.write_bytes(b"no database at all " * 400)
    page = open_page()
    qtbot.waitUntil(lambda: any("damaged" in text for text in _texts(page)))
    assert any("Start again" in text for text in _texts(page))
    data.database.unlink()
    button = next(b for b in page.findChildren(Button) if b.isVisible() and b.text() == "Try again")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "No runs yet" in _texts(page))


def test_every_control_has_a_name(open_page: OpenPage, data: DataFolder, qtbot: QtBot) -> None:
    record_run(data, 3)
    page = open_page()
    qtbot.waitUntil(lambda: page.detail.shown_step is not None)
    for button in page.findChildren(QAbstractButton):
        if button.isVisible() and button.focusPolicy() != Qt.FocusPolicy.NoFocus:
            assert button.accessibleName() or button.text(), button
    for view in (page.list.view, page.detail.table, page.detail.event_table, page.search):
        assert view.accessibleName()


def test_another_agent_is_asked_about_a_step(open_page: OpenPage, data: DataFolder, qtbot: QtBot) -> None:
    """The dialog runs the command for the run, and its differing steps can be opened."""
    record_run(data, 3)
    page = open_page()
    qtbot.waitUntil(lambda: page.detail.steps.rowCount() == 3)
    page.detail.choose_step(2)
    qtbot.waitUntil(lambda: page.detail.shown_step is not None)
    dialog = page.detail.ask_about_step(BranchDialog)
    assert dialog is not None
    asked: list[list[str]] = []
    dialog.job.start = lambda arguments: asked.append(list(arguments))
    dialog.form.enter({"agent": "model", "which": "tiny"})
    dialog.start()
    assert asked == [["replay", "1", "--from", "2", "--agent", "model:tiny"]]
    different = {"step": 3, "at_ms": 3000.0, "did": "flap", "would": "glide", "why": "it would fall"}
    answer = {
        "agent": "model:tiny",
        "version": "",
        "first": {**different, "step": 2, "would": "flap"},
        "sentence": "agrees on 50% of 2 decisions",
        "profile_changed": False,
        "differences": [different],
        "played_on": {
            "step": 2,
            "recorded": {"score": 3.0, "seconds": 4.0, "end": "hit a pipe"},
            "other": {"score": 9.0, "seconds": 20.0, "end": ""},
        },
    }
    dialog.job.answered.emit(answer)
    assert "At step 2 flap was done; model:tiny would do flap." in dialog.outcome
    assert "recorded 3 after 4.0 s more (hit a pipe), model:tiny 9 after 20.0 s more" in dialog.outcome
    assert dialog.model.rowCount() == 1
    dialog.table.opened.emit(different)
    qtbot.waitUntil(lambda: page.detail.shown_step is not None and page.detail.shown_step.step == 3)
    dialog.reject()


def test_many_events_are_read_when_their_tab_is_opened(
    open_page: OpenPage, data: DataFolder, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.console.run_view.panel._EVENTS_AT_ONCE", 2)
    run_id = record_run(data, 3)
    with RunLog.open(data) as log:
        for at in range(5):
            log.add_event(run_id, RunEvent(at_ns=at, kind="note", text=f"note {at}"))
    page = open_page()
    _choose(page, qtbot, run_id)
    tabs = page.detail._tabs
    qtbot.waitUntil(lambda: tabs.tabText(1).startswith("Events") and tabs.tabText(1) != "Events")
    assert not page.detail.event_table.model().rowCount()
    tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: page.detail.event_table.model().rowCount() >= 5)
