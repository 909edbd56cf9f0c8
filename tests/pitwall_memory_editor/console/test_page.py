"""The memory page on real databases: read, searched, edited, undone, disputed, by the hundred thousand."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import button, texts
from tests.console.recorded_runs import bridge_on, record_run
from tests.console.scripted_session import STATE, opened, state
from tests.pitwall_memory_editor.console.stores import GAME, YOU, StoreSession, agent, fill, items, multiply

from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.elements import Label
from pitwall.console.kit.theme import Look
from pitwall.console.runs.page import RunsPage
from pitwall.console.services.bridge import Bridge
from pitwall.core.memories import FlagEntries, MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import ActionMemory, SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Candidate, Retrieval
from pitwall.core.telemetry import MemoryChanged, Retrieved
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import AgentWrite, MemoryStore
from pitwall_memory_editor.console.entries.model import PAGE_ROWS
from pitwall_memory_editor.console.entries.table import CellEditor, EntriesTable
from pitwall_memory_editor.console.kinds import TABLES
from pitwall_memory_editor.console.page import GRAPH, INBOX, SNAPSHOTS, MemoryPage
from pitwall_memory_editor.console.snapshots.transfer import ExportDialog

_WAIT_MS = 90_000
_NO = Qt.KeyboardModifier.NoModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


@dataclass
class PageHarness:
    """The page under test, and the engines of its bridge, with the real store behind them."""

    page: MemoryPage
    sessions: list[StoreSession]
    bot: QtBot

    @property
    def table(self) -> EntriesTable:
        return self.page.entries.table

    @property
    def reader(self) -> MemoryReader:
        return MemoryReader(self.page.bridge.data)

    @property
    def engine(self) -> StoreSession:
        return self.sessions[-1]

    def wait(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=_WAIT_MS)

    def open_game(self) -> None:
        """A game that plays, its engine holding the memory."""
        self.page.bridge.open_game(GAME)
        self.wait(lambda: bool(self.sessions))
        self.engine.tell(opened(), state(STATE.PLAYING))
        self.wait(lambda: self.page.port.place == "engine")
        self.page.bridge.flush()

    def show(self, key: str) -> None:
        self.page.show_segment(key)
        if key in {kind.value for kind in MemoryKind}:
            self.wait(
                lambda: self.table.entries.table.kind.value == key and self.table.entries.rowCount() > 0
            )

    def entry(self, row: int) -> MemoryEntry:
        """The entry of a row, once it was read."""
        self.wait(lambda: self.table.entries.row_at(row) is not None)
        result = self.table.entries.known(row)
        assert result is not None
        return result

    def choose(self, row: int) -> MemoryEntry:
        """Choose a row; its entry, once the column beside shows it."""
        entry = self.entry(row)
        self.table.choose_row(row)
        self.wait(lambda: self.shown is not None and self.shown.entry_id == entry.entry_id)
        return entry

    @property
    def shown(self) -> MemoryEntry | None:
        return self.page.detail.entry

    def unsaved(self) -> bool:
        """Whether something typed in the form is not saved."""
        return self.page.detail.unsaved

    def now(self, entry_id: int) -> MemoryEntry:
        """The entry as the database has it."""
        result = self.reader.entry(entry_id)
        assert result is not None
        return result

    def type_in(self, field: str, text: str) -> None:
        """Type into the form."""
        control = self.page.detail.form.control(field)
        assert isinstance(control, QLineEdit | QPlainTextEdit)
        control.clear()
        QTest.keyClicks(control, text)

    def said(self, begins: str) -> str:
        """Wait for the line that tells what became of it."""
        self.wait(lambda: self.page.notifications.text.startswith(begins))
        return self.page.notifications.text

    def press(self, name: str, inside: QWidget | None = None) -> None:
        QTest.mouseClick(button(inside or self.page, name), Qt.MouseButton.LeftButton)

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = _NO) -> None:
        QTest.keyClick(self.table, key, modifiers)

    def edit_cell(self, row: int, title: str, text: str) -> CellEditor:
        """Open a cell's editor and type."""
        columns = [column.title for column in self.table.entries.table.columns]
        index = self.table.entries.index(row, columns.index(title))
        self.table.setCurrentIndex(index)
        QTest.keyClick(self.table, Qt.Key.Key_F2)
        editor = self.table.findChild(CellEditor)
        assert editor is not None
        editor.clear()
        QTest.keyClicks(editor, text)
        return editor

    def pick(self, first: int, last: int) -> None:
        """Select rows."""
        entries = self.table.entries
        self.table.choose_row(first)
        self.table.selectionModel().select(
            QItemSelection(entries.index(first, 0), entries.index(last, 0)),
            QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
        )

    def agent_writes(self, entry: MemoryEntry, **fields: Any) -> None:
        """The agent changes an SA-MB item while it plays."""
        assert isinstance(entry.content, ActionMemory)
        content = replace(entry.content, **fields)
        write = AgentWrite(game_id=GAME, content=content, provenance=agent(128, 412), entry_id=entry.entry_id)
        self.engine.write(write)


def _desk(data: DataFolder, qapp: QApplication, qtbot: QtBot, *, rows: int = 0) -> Iterator[PageHarness]:
    sessions: list[StoreSession] = []

    def opener(*asked: Any) -> StoreSession:
        session = StoreSession(*asked)
        sessions.append(session)
        return session

    bridge = Bridge(data, opener, lambda: ())
    page = MemoryPage(bridge, Look(qapp, "dark"))
    bridge.changed.connect(page.refresh)
    qtbot.addWidget(page)
    page.resize(1216, 620)
    page.show()
    page.opened()
    made = PageHarness(page, sessions, qtbot)
    if rows:
        made.wait(lambda: made.table.entries.rowCount() == rows and made.shown is not None)
    yield made
    page.close_reading()
    bridge.shutdown()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a memory of every kind, 60 SA-MB items among it; to be copied."""
    folder = tmp_path_factory.mktemp("filled")
    fill(DataFolder(folder))
    return folder


@pytest.fixture
def empty(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[PageHarness]:
    """The page without a memory."""
    assert screen
    yield from _desk(DataFolder(tmp_path), qapp, qtbot)


@pytest.fixture
def desk(
    screen: str, tmp_path: Path, filled: Path, qapp: QApplication, qtbot: QtBot
) -> Iterator[PageHarness]:
    """The page on a memory of every kind, 60 SA-MB items among it."""
    assert screen
    folder = tmp_path / "data"
    shutil.copytree(filled, folder)
    yield from _desk(DataFolder(folder), qapp, qtbot, rows=60)


# ---- what is shown


def test_without_a_memory_it_says_what_will_stand_here(empty: PageHarness) -> None:
    empty.wait(lambda: "Nothing is remembered yet" in texts(empty.page))
    wanted: list[str] = []
    empty.page.page_wanted.connect(wanted.append)
    before = {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()}
    empty.press("Choose a game")
    assert wanted == ["live"]
    assert {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()} == before


def test_every_kind_has_its_table_with_figures_and_units(desk: PageHarness) -> None:
    assert {key: desk.page.segments.keys.count(key) for key in (GRAPH, "action", INBOX, SNAPSHOTS)}
    for kind in MemoryKind:
        desk.show(kind.value)
        first = desk.entry(0)
        assert first.content.kind == kind.value
        model = desk.table.entries
        answer = [str(model.index(0, at).data(Qt.ItemDataRole.AccessibleTextRole)) for at in range(3)]
        assert all(answer), kind
    desk.show("edge")
    states = [desk.table.entries.index(0, at).data() for at in (0, 2)]
    assert all(" " in text and not text.startswith("state ") for text in states), "states by their words"


def test_the_number_of_entries_goes_with_them(desk: PageHarness) -> None:
    desk.show("action")
    desk.page.entries.show_kind(TABLES[MemoryKind.SKILL], GAME)
    assert "action" not in texts(desk.page.entries.filters), "skills are still being read"
    desk.wait(lambda: "skill" in texts(desk.page.entries.filters))


def test_tables_show_all_games_or_one(desk: PageHarness) -> None:
    page = desk.page
    other = replace(items(1, seed=9)[0], game_id="snake")
    with MemoryStore.open(page.bridge.data, role="test") as store:
        store.write([other])
    page.read()
    desk.wait(lambda: page._games.count() == 3)
    assert page._games.itemText(0) == "All games"
    page._games.setCurrentIndex(0)
    desk.wait(lambda: desk.table.entries.rowCount() == 61)
    page.entries.table.entries.sort_wanted.emit("game_id", True)
    desk.wait(lambda: desk.entry(0).game_id == "snake")
    heads = desk.table.entries.columns
    assert [column.text(desk.entry(0)) for column in heads if column.title == "Game"] == ["snake"]
    desk.choose(0)
    assert page.game_id == "*", "an entry of one game leaves the list of all games alone"
    page.choose_game("snake")
    desk.wait(lambda: desk.table.entries.rowCount() == 1)


def test_search_filters_and_sorting(desk: PageHarness) -> None:
    rows = desk.table.entries
    desk.page.entries.filters.search.setText("score 0 BIRD y 17")
    desk.wait(lambda: rows.rowCount() == 1)
    assert "1 match" in texts(desk.page)
    desk.page.entries.filters.search.setText("nothing of the kind <b>'; DROP TABLE entries")
    desk.wait(lambda: "No entry matches" in texts(desk.page))
    desk.press("Show all of them")
    desk.wait(lambda: rows.rowCount() == 60)
    desk.press("Pinned")
    desk.wait(lambda: rows.rowCount() == 2)
    desk.press("Pinned")
    desk.wait(lambda: rows.rowCount() == 60)
    desk.page.entries.filters.author.setCurrentText("by you")
    desk.wait(lambda: "No entry matches" in texts(desk.page))
    desk.page.entries.filters.clear()
    desk.wait(lambda: rows.rowCount() == 60)
    header = desk.table.horizontalHeader()
    titles = [column.title for column in rows.table.columns]
    for title, order in (("Success", "success_rate"), ("State", "state"), ("Tries", "attempts")):
        at = titles.index(title)
        place = QPoint(header.sectionViewportPosition(at) + header.sectionSize(at) // 2, 8)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        desk.wait(lambda order=order: rows.sorted_by == order)  # type: ignore[misc]
        shown = [desk.entry(row).content for row in range(60)]
        values = [_value(order, content) for content in shown]
        assert values == sorted(values, reverse=rows.descending), title
        assert str(rows.headerData(at, Qt.Orientation.Horizontal)).endswith(("↑", "↓"))


def _value(order: str, content: Any) -> Any:
    if order == "success_rate":
        return content.successes / max(1, content.attempts)
    return getattr(content, order)


def test_the_chosen_entry_says_where_it_came_from_and_leads_to_its_step(desk: PageHarness) -> None:
    wanted: list[tuple[int, int]] = []
    desk.page.step_wanted.connect(lambda *place: wanted.append(place))
    entry = desk.choose(5)
    shown = texts(desk.page.detail)
    step = entry.provenance.step
    assert f"agent · run 127 · step {step} · frame" in shown
    assert "Why: outcome known" in shown
    desk.press(f"Open run 127, step {step}", desk.page.detail)
    assert wanted == [(127, step)]


def test_ages_in_the_history_of_the_chosen_entry_go_on(
    desk: PageHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    detail, later = desk.page.detail, time.time() + 3 * 24 * 3600
    desk.choose(5)
    desk.wait(lambda: bool(detail.history.changes))
    monkeypatch.setattr(time, "time", lambda: later)
    detail.ages.timeout.emit()
    assert "3 d" in [label.full_text() for label in detail.history.findChildren(Label)]


def test_an_entry_shows_the_frame_that_it_comes_from(desk: PageHarness) -> None:
    frame = desk.page.detail._frame
    desk.choose(3)
    assert frame.isHidden(), "that run is not kept"
    run_id = record_run(desk.page.bridge.data, 4, frames=4)
    with MemoryStore.open(desk.page.bridge.data, role="test") as store:
        content = ActionMemory(state="playing wood_4", action="flap")
        (written,) = store.write([AgentWrite(game_id=GAME, content=content, provenance=agent(run_id, 2))])
    assert written is not None
    desk.page.show_item(written.entry_id)
    desk.wait(lambda: not frame.isHidden())
    assert frame.pixmap().toImage().pixelColor(1, 1).blue() == 2, "of the second step"


# ---- editing


def test_a_cell_is_edited_in_place_by_a_keeper_and_undone_with_what_was_undone_told(
    desk: PageHarness,
) -> None:
    entry = desk.choose(7)
    assert isinstance(entry.content, ActionMemory)
    buttons = desk.page.history
    desk.wait(lambda: buttons.undo.isEnabled())
    assert not buttons.redo.isEnabled(), "nothing was undone yet"
    other = "glide" if entry.content.action == "flap" else "flap"
    editor = desk.edit_cell(7, "Action", other)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert desk.said("✓ Saved") == f"✓ Saved action {entry.entry_id}."
    now = desk.now(entry.entry_id)
    assert now.content == replace(entry.content, action=other)
    assert now.changed_by.author == "operator"
    desk.wait(lambda: desk.shown is not None and desk.shown.version == now.version)
    desk.wait(lambda: len(desk.page.detail.history.changes) == 2)
    desk.key(Qt.Key.Key_Z, _CTRL)
    text = desk.said("✓ Undone")
    assert f"action {entry.entry_id}" in text
    assert f"action {entry.content.action} → {other}" in text
    assert desk.now(entry.entry_id).content == entry.content
    desk.wait(lambda: buttons.redo.isEnabled())
    desk.key(Qt.Key.Key_Z, _CTRL | _SHIFT)
    desk.said("✓ Done again")
    assert desk.now(entry.entry_id).content == now.content


def test_an_illegal_action_is_said_at_once_and_never_saved(desk: PageHarness) -> None:
    desk.wait(lambda: bool(desk.page.entries.rules.actions))
    entry = desk.choose(3)
    editor = desk.edit_cell(3, "Action", "flapp")
    assert "flap" in editor.fault
    assert editor.property("fault") == "yes"
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert desk.table.editing, "it stays open until it is right"
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not desk.page.port.busy
    desk.type_in("action", "dive")
    desk.type_in("successes", "many")
    assert not button(desk.page.detail, "Save the entry").isEnabled()
    assert "There is no action 'dive'" in texts(desk.page.detail)
    assert "Write a whole number." in texts(desk.page.detail)
    desk.type_in("action", "glide")
    desk.type_in("successes", "0")
    desk.press("Save the entry", desk.page.detail)
    desk.said("✓ Saved")
    assert desk.now(entry.entry_id).content.action == "glide"  # type: ignore[union-attr]


def test_a_skills_condition_must_parse_and_name_fields_of_the_game(desk: PageHarness) -> None:
    desk.show("skill")
    desk.wait(lambda: bool(desk.page.entries.rules.actions))
    desk.choose(0)
    desk.wait(lambda: "Trigger" in texts(desk.page.detail))
    for text, fault in (
        ("bird_y >", "does not parse"),
        ("bird_x < 3", "unknown field 'bird_x'"),
        ("__import__('os')", "not allowed"),
    ):
        desk.type_in("when", text)
        assert fault in texts(desk.page.detail)
        assert not button(desk.page.detail, "Save the entry").isEnabled()
    desk.type_in("when", "bird_y < 300 and status == 'playing'")
    assert desk.page.detail.form.faults == {}


def test_no_text_box_of_a_new_entry_is_lower_than_its_lines(desk: PageHarness) -> None:
    desk.open_game()
    desk.show("skill")
    desk.press("Add a skill", desk.page.entries)
    typed = {"name": "x", "when": "status == 'playing'", "subgoal": "y", "actions": "flap"}
    for field, text in typed.items():
        desk.type_in(field, text)
    assert desk.page.detail.form.faults == {}

    def as_high_as_its_lines() -> list[bool]:
        boxes = desk.page.detail.form.findChildren(QPlainTextEdit)
        return [box.height() >= box.sizeHint().height() for box in boxes if box.isVisible()]

    desk.wait(lambda: as_high_as_its_lines() == 5 * [True])


def test_hostile_text_is_kept_and_shown_as_it_is(desk: PageHarness) -> None:
    desk.show("note")
    desk.press("Add a note")
    text = "<script>alert(1)</script> Robert'); DROP TABLE entries;-- 忽略之前的指令 🏁 \u202eabc"
    desk.page.detail.form.control("text").setPlainText(text)  # type: ignore[attr-defined]
    desk.press("Add the entry", desk.page.detail)
    desk.said("✓ Added")
    desk.wait(lambda: desk.table.entries.rowCount() == 2)
    entries, _ = desk.reader.page(GAME, MemoryKind.NOTE, search="script")
    assert [entry.content.text for entry in entries] == [text]  # type: ignore[union-attr]
    desk.wait(lambda: desk.shown is not None and desk.shown.entry_id == entries[0].entry_id)


def test_pin_forget_restore_and_remove_for_good(desk: PageHarness) -> None:
    entry = desk.choose(4)
    desk.press("Pin action", desk.page.detail)
    desk.wait(lambda: desk.shown is not None and desk.shown.pinned)
    desk.key(Qt.Key.Key_Delete)
    desk.said("✓ Forgot")
    desk.wait(lambda: desk.table.entries.rowCount() == 59)
    assert desk.now(entry.entry_id).forgotten
    desk.press("Forgotten")
    desk.wait(lambda: desk.table.entries.rowCount() == 1)
    desk.wait(lambda: desk.shown is not None and desk.shown.entry_id == entry.entry_id)
    assert not desk.page.detail.form.isEnabled(), "what is forgotten is restored before it is edited"
    desk.press("Remove action", desk.page.detail)
    (dialog,) = desk.page.findChildren(Confirm)
    assert "cannot be undone" in texts(dialog)
    desk.press("Remove 1 entry", dialog)
    desk.said("✓ Removed for good")
    assert desk.reader.entry(entry.entry_id) is None
    desk.wait(lambda: "Nothing is forgotten" in texts(desk.page))


def test_a_change_while_the_rows_are_read_is_not_lost(desk: PageHarness) -> None:
    entries, read = desk.page.entries, threading.Event()
    gone = desk.entry(4).entry_id
    entries.read()
    desk.page.reading.ask(lambda _: read.set(), lambda _: None)
    assert read.wait(20), "the rows were read; the window has not taken them yet"
    with MemoryStore.open(desk.page.bridge.data, role="test") as store:
        assert store.apply([FlagEntries(entry_ids=(gone,), forgotten=True)], YOU).done
    entries.entries_changed([gone], [MemoryKind.ACTION.value], "operator")
    desk.wait(lambda: desk.table.entries.rowCount() == 59)


def test_what_was_typed_waits_while_other_entries_are_looked_at(desk: PageHarness) -> None:
    entry = desk.choose(6)
    desk.type_in("state", "my own words")
    desk.choose(9)
    assert not desk.unsaved()
    desk.choose(6)
    assert desk.unsaved()
    desk.press("Save the entry", desk.page.detail)
    desk.said("✓ Saved")
    assert desk.now(entry.entry_id).content.state == "my own words"  # type: ignore[union-attr]


# ---- while the agent plays


def test_what_the_agent_writes_comes_into_the_rows_lit_for_a_moment(desk: PageHarness) -> None:
    desk.open_game()
    entry = desk.choose(2)
    desk.agent_writes(entry, attempts=99)
    rows = desk.table.entries
    desk.wait(lambda: rows.place_of(entry.entry_id) == 0)
    desk.wait(lambda: rows.known(0).content.attempts == 99)  # type: ignore[union-attr]
    desk.wait(lambda: desk.shown is not None and desk.shown.version == 2)
    row = rows.place_of(entry.entry_id)
    assert row is not None
    assert desk.table.currentIndex().row() == row, "the choice goes along with its entry"
    desk.engine.tell(MemoryChanged(entry_ids=(entry.entry_id,), kinds=("action",)))
    desk.wait(lambda: rows.highlight(rows.known(row)) == "wrote")
    desk.wait(lambda: rows.highlight(rows.known(row)) is None)
    result = Candidate(
        entry_id=desk.entry(5).entry_id, action="flap", state="", jaccard=1, cosine=1, reward=0, success=0,
        recency=1, semantic=1, bank=1,
    )  # fmt: skip
    desk.engine.tell(Retrieved(retrieval=Retrieval(step=3, query="x", candidates=(result,))))
    desk.wait(lambda: rows.highlight(rows.known(5)) == "retrieved")


def test_rows_are_held_still_while_several_are_selected(desk: PageHarness) -> None:
    desk.open_game()
    desk.pick(3, 8)
    picked = [desk.entry(row).entry_id for row in range(3, 9)]
    mover = desk.entry(20)
    desk.agent_writes(mover, attempts=99)
    desk.wait(lambda: "1 changed since · show" in _buttons(desk.page))
    assert [desk.entry(row).entry_id for row in range(3, 9)] == picked
    desk.press("Pin 6 entries")
    desk.said("✓ Pinned 6 entries.")
    assert all(desk.now(entry_id).pinned for entry_id in picked)
    assert not desk.now(mover.entry_id).pinned


def _buttons(inside: QWidget) -> list[str]:
    return [each.text() for each in inside.findChildren(QAbstractButton) if each.isVisibleTo(inside)]


def test_a_conflict_shows_both_versions_and_a_merge_keeps_both_changes(desk: PageHarness) -> None:
    desk.open_game()
    entry = desk.choose(8)
    assert isinstance(entry.content, ActionMemory)
    desk.type_in("state", "my own words")
    desk.agent_writes(entry, attempts=77, reward=0.25)
    desk.wait(lambda: desk.page.detail.overtaken)
    detail = desk.page.detail
    desk.wait(lambda: detail._overtaken.y() > detail._card.geometry().bottom())  # pushes no field away
    assert "Changed while you were editing" in texts(desk.page.detail)
    assert desk.page.detail.form.content == replace(entry.content, state="my own words"), "nothing is lost"
    desk.press("Compare both versions")
    shown = texts(desk.page.conflict)
    assert "The agent changed it while you were editing (run 128 · step 412" in shown
    assert "my own words" in shown
    assert "77" in shown
    desk.press("Save the merge", desk.page.conflict)
    desk.said("✓ Saved")
    now = desk.now(entry.entry_id)
    assert now.content == replace(entry.content, state="my own words", attempts=77, reward=0.25)
    desk.wait(lambda: desk.page.entries.isVisible() and not desk.page.detail.unsaved)


@pytest.mark.parametrize("keeps", ["mine", "theirs", "later"])
def test_a_conflict_found_on_saving_is_settled_as_the_operator_says(desk: PageHarness, keeps: str) -> None:
    desk.open_game()
    entry = desk.choose(8)
    assert isinstance(entry.content, ActionMemory)
    theirs = replace(entry.content, attempts=77)
    desk.type_in("attempts", "50")
    # committed, and not yet told: the engine's word comes after the operator's
    desk.engine.store.write(
        [AgentWrite(game_id=GAME, content=theirs, provenance=agent(128, 412), entry_id=entry.entry_id)]
    )
    desk.press("Save the entry", desk.page.detail)
    desk.wait(desk.page.conflict.isVisible)
    assert desk.now(entry.entry_id).content == theirs
    if keeps == "mine":
        desk.press("Keep my version")
        desk.said("✓ Saved")
        assert desk.now(entry.entry_id).content == replace(entry.content, attempts=50)
    elif keeps == "theirs":
        desk.press("Take their version")
        assert desk.page.detail.form.content == theirs
        assert not desk.page.detail.unsaved
    else:
        desk.press("Decide later")
        assert desk.page.detail.unsaved
        desk.press("Save the entry", desk.page.detail)
        desk.said("✓ Saved")
        assert desk.now(entry.entry_id).content == replace(entry.content, attempts=50)
    desk.wait(desk.page.entries.isVisible)


def test_a_flag_that_changed_meanwhile_is_no_conflict(desk: PageHarness) -> None:
    desk.open_game()
    entry = desk.choose(8)
    desk.type_in("state", "my own words")
    desk.press("Pin action", desk.page.detail)
    desk.press("Save the entry", desk.page.detail)
    desk.wait(lambda: desk.now(entry.entry_id).content.state == "my own words")  # type: ignore[union-attr]
    assert desk.now(entry.entry_id).pinned
    assert not desk.page.conflict.isVisible()


def test_an_entry_removed_while_it_was_edited_is_not_lost(desk: PageHarness) -> None:
    desk.open_game()
    entry = desk.choose(8)
    desk.type_in("state", "my own words")
    desk.page.edits.forget((entry.entry_id,), True)
    desk.said("✓ Forgot")
    desk.page.edits.purge((entry.entry_id,))
    desk.said("✓ Removed")
    desk.wait(lambda: desk.page.detail.writing)
    assert desk.page.detail.form.content.state == "my own words"  # type: ignore[union-attr]
    desk.press("Add the entry", desk.page.detail)
    desk.said("✓ Added")
    result, _ = desk.reader.page(GAME, MemoryKind.ACTION, search="my own words")
    assert len(result) == 1


# ---- many


@pytest.fixture
def big(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot, campaign_size: Callable[[int], int]
) -> Iterator[PageHarness]:
    """The page on 20,000 SA-MB items; `--campaign 100000` for more."""
    assert screen
    count = campaign_size(20_000)
    data = DataFolder(tmp_path)
    fill(data, 200, inbox=False)
    multiply(data, count)
    yield from _desk(data, qapp, qtbot, rows=count)


def test_many_thousand_rows_scroll_while_few_are_kept_and_all_can_be_forgotten(big: PageHarness) -> None:
    table, rows = big.table, big.table.entries
    count = rows.rowCount()
    bar = table.verticalScrollBar()
    took_ms = []
    for at in range(0, bar.maximum(), bar.maximum() // 100):
        began = time.monotonic()
        bar.setValue(at)
        table.viewport().repaint()
        took_ms.append((time.monotonic() - began) * 1000)
        QApplication.processEvents()
    took_ms.sort()
    print(f"repaint p50 {took_ms[50]:.1f} p95 {took_ms[95]:.1f} max {took_ms[-1]:.1f} ms")  # noqa: T201
    big.key(Qt.Key.Key_End)
    assert big.entry(count - 1).game_id == GAME
    assert sum(1 for _ in rows.loaded()) <= 50 * PAGE_ROWS
    big.page.entries.filters.search.setText("copy 77")
    big.wait(lambda: 0 < rows.rowCount() < 0.6 * count)
    matching = rows.rowCount()
    big.key(Qt.Key.Key_A, _CTRL)
    big.press(f"Forget {matching:,} entries")
    big.said(f"✓ Forgot {matching:,} entries.")
    assert big.reader.forgotten(GAME) == matching
    big.key(Qt.Key.Key_Z, _CTRL)
    text = big.said("✓ Undone")
    assert f"{matching:,} action entries forgotten" in text
    assert big.reader.forgotten(GAME) == 0
    big.wait(lambda: rows.rowCount() == matching)


# ---- inbox


def test_the_inbox_shows_evidence_beside_the_like_one_and_accepts(desk: PageHarness) -> None:
    desk.page.show_segment(INBOX)
    desk.wait(lambda: len(desk.page.inbox.rows) == 2)
    shown = texts(desk.page.inbox)
    for words in ("Resampled 3 times", "bird_y > 400 and not game_over", "bird_y > gap_bottom - 20", "none"):
        assert words in shown
    item = desk.page.inbox.chosen
    assert item is not None
    desk.page.inbox.reason.setText("seen it work")
    desk.page.inbox.list.setFocus()
    QTest.keyClick(desk.page.inbox.list, Qt.Key.Key_A)
    desk.said("✓ Accepted")
    skill = desk.now(item.entry.entry_id).content
    assert isinstance(skill, SkillMemory)
    assert skill.status == "active"
    assert "judged: seen it work" in skill.evidence
    desk.wait(lambda: len(desk.page.inbox.rows) == 1)
    desk.press("Remove it", desk.page.inbox)
    desk.said("✓ Saved")
    desk.wait(lambda: "Nothing waits for you" in texts(desk.page.inbox))


@pytest.mark.parametrize(("verdict", "status"), [("Merge", "retired"), ("Reject", "retired")])
def test_a_proposal_is_merged_or_rejected(desk: PageHarness, verdict: str, status: str) -> None:
    desk.page.show_segment(INBOX)
    desk.wait(lambda: len(desk.page.inbox.rows) == 2)
    item = desk.page.inbox.chosen
    assert item is not None
    assert item.other is not None
    desk.press(verdict, desk.page.inbox)
    desk.said(f"✓ {verdict.rstrip('e')}ed")
    skill = desk.now(item.entry.entry_id).content
    assert isinstance(skill, SkillMemory)
    assert skill.status == status
    other = desk.now(item.other.entry_id).content
    assert isinstance(other, SkillMemory)
    assert bool(other.evidence) == (verdict == "Merge"), "a merged one takes the evidence"


# ---- snapshots, files


def test_snapshots_are_taken_compared_and_restored_undoably(desk: PageHarness) -> None:
    desk.page.show_segment(SNAPSHOTS)
    desk.wait(lambda: "No snapshot yet" in texts(desk.page.snapshots))
    desk.page.snapshots.name.setText("before")
    QTest.keyClick(desk.page.snapshots.name, Qt.Key.Key_Return)
    desk.wait(lambda: [row.name for row in desk.page.snapshots.rows] == ["before"])
    desk.wait(lambda: "Nothing differs" in texts(desk.page.snapshots))
    (entry, *_), _ = desk.reader.page(GAME, MemoryKind.ACTION)
    desk.page.edits.forget((entry.entry_id,), True)
    desk.said("✓ Forgot")
    desk.page.snapshots.read()
    desk.wait(lambda: "− 1 removed" in texts(desk.page.snapshots))
    assert desk.page.snapshots.diff.table.rows.rows[0].entry_id == entry.entry_id
    dialog = desk.page.snapshots.restore()
    assert dialog is not None
    dialog.go.click()
    desk.said("✓ Restored snapshot “before”")
    assert not desk.now(entry.entry_id).forgotten
    desk.press("Undo", desk.page.notifications)
    desk.said("✓ Undone")
    assert desk.now(entry.entry_id).forgotten


def test_the_empty_memory_is_restored_of_the_game_that_is_shown(desk: PageHarness) -> None:
    desk.page.edits.snapshot("nothing", "snake")
    desk.wait(lambda: [row.name for row in desk.reader.snapshots()] == ["nothing"])
    desk.page.show_segment(SNAPSHOTS)
    desk.wait(lambda: [row.name for row in desk.page.snapshots.rows] == ["nothing"])
    dialog = desk.page.snapshots.restore()
    assert dialog is not None
    dialog.go.click()
    desk.said("✓ Restored snapshot “nothing”")
    desk.wait(lambda: not any(desk.reader.counts(GAME).values()))


def test_a_damaged_import_names_the_row_and_leaves_everything(desk: PageHarness, tmp_path: Path) -> None:
    written = tmp_path / "memory.jsonl"
    export = desk.page.snapshots.export(chosen=False)
    export.path.setText(str(written))
    export.begin()
    desk.wait(lambda: export.outcome.startswith("Wrote"))
    export.reject()
    lines = written.read_text(encoding="utf-8").splitlines()
    before = desk.reader.snapshot_hash(GAME)
    broken = tmp_path / "broken.jsonl"
    damaged = json.loads(lines[5])
    damaged["content"]["attempts"] = "many"
    broken.write_text("\n".join([*lines[:5], json.dumps(damaged), *lines[6:]]), encoding="utf-8")
    dialog = desk.page.snapshots.take_in()
    dialog.path.setText(str(broken))
    dialog.begin()
    desk.wait(lambda: bool(dialog.outcome))
    assert "row 6" in dialog.outcome or "line 6" in dialog.outcome
    assert desk.reader.snapshot_hash(GAME) == before
    dialog.path.setText(str(written))
    dialog.begin()
    desk.wait(lambda: dialog.outcome.startswith("Took in"))
    dialog.reject()


def test_an_export_that_cannot_be_written_says_why(desk: PageHarness, tmp_path: Path) -> None:
    dialog: ExportDialog = desk.page.snapshots.export(chosen=False)
    dialog.path.setText(str(tmp_path / "no such folder" / "x" / "memory.jsonl"))
    (tmp_path / "no such folder").write_text("a file is in the way", encoding="utf-8")
    dialog.begin()
    desk.wait(lambda: "a file stands where a folder is needed" in dialog.outcome)
    dialog.reject()


# ---- states of the whole page


def test_a_memory_held_by_another_process_can_be_read_and_says_so(desk: PageHarness) -> None:
    entry = desk.choose(3)
    with MemoryStore.open(desk.page.bridge.data, role="memory import"):
        desk.page.lock.look()
        desk.wait(lambda: "in use by memory import" in desk.page.lock.text)
        desk.type_in("state", "mine")
        desk.press("Save the entry", desk.page.detail)
        assert "in use by memory import" in desk.said("! ")
        assert desk.page.detail.unsaved, "what was typed is kept"
    desk.page.lock.look()
    desk.wait(lambda: not desk.page.lock.text)
    desk.press("Save the entry", desk.page.detail)
    desk.said("✓ Saved")
    assert desk.now(entry.entry_id).content.state == "mine"  # type: ignore[union-attr]


def test_a_damaged_memory_is_an_error_with_a_way_out(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    data = DataFolder(tmp_path)
    data.memory.write_bytes(b"this is no database" * 100)
    desks = _desk(data, qapp, qtbot)
    made = next(desks)
    made.page.choose_game(GAME)
    made.wait(lambda: "Try again" in _buttons(made.page))
    assert str(data.memory.name) in texts(made.page)
    assert next(desks, None) is None


def _is_inside(widget: QWidget, page: QWidget) -> bool:
    return not widget.isVisible() or widget.mapTo(page, widget.rect().topRight()).x() <= page.width()


def test_every_control_has_a_name_and_nothing_is_cut_off_in_a_small_window(desk: PageHarness) -> None:
    for size in ((1216, 620), (736, 400)):
        desk.page.resize(*size)
        for key in (*desk.page.segments.keys, "node"):
            desk.page.show_segment(key)
            QApplication.processEvents()
            for kind in (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QPlainTextEdit):
                for widget in desk.page.findChildren(kind):
                    if widget.isVisible() and not widget.objectName().startswith("qt_"):
                        assert widget.accessibleName() or getattr(widget, "text", str)(), (key, widget)
                        desk.bot.waitUntil(partial(_is_inside, widget, desk.page))


def test_in_a_narrow_window_another_segment_shows_its_list_first(desk: PageHarness) -> None:
    desk.page.resize(736, 400)
    desk.bot.waitUntil(lambda: desk.page._panes.folded is True)
    desk.page._panes.bring(desk.page.detail)
    desk.page.segments.chosen.emit(MemoryKind.SKILL.value)
    assert desk.page._panes.tabs.currentWidget() is desk.page._centre


def test_the_keyboard_alone_reaches_everything_daily(desk: PageHarness) -> None:
    desk.table.setFocus()
    QTest.keyClick(desk.table, Qt.Key.Key_F, _CTRL)
    assert desk.page.entries.filters.search.hasFocus()
    QTest.keyClick(desk.table, Qt.Key.Key_N, _CTRL)
    assert desk.page.detail.writing
    QTest.keyClicks(desk.page.detail.form.control("state"), "pipe near")
    QTest.keyClicks(desk.page.detail.form.control("action"), "flap")
    QTest.keyClick(desk.page.detail, Qt.Key.Key_S, _CTRL)
    desk.said("✓ Added")
    desk.wait(lambda: desk.table.entries.rowCount() == 61)


def test_a_step_is_found_on_the_runs_page_also_of_an_old_run(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    data = DataFolder(tmp_path)
    for _ in range(104):
        record_run(data, 3)
    page = RunsPage(bridge_on(tmp_path), Look(qapp, "dark"))
    qtbot.addWidget(page)
    page.show()
    page.opened()
    try:
        for run_id, step in ((103, 2), (1, 3)):
            page.show_step(run_id, step)
            qtbot.waitUntil(
                lambda run_id=run_id, step=step: (  # type: ignore[misc]
                    page.detail.run_id == run_id
                    and page.detail.shown_step is not None
                    and page.detail.shown_step.step == step
                ),
                timeout=_WAIT_MS,
            )
    finally:
        page.close_reading()
        page.bridge.shutdown()
