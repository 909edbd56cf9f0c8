"""The palette has every command and every button in view, and buttons tell their keys."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QListWidget
from tests.console.conftest import ConsoleHarness
from tests.console.kit.language.shown_texts import shown_texts
from tests.console.recorded_runs import record_run

from pitwall.console.shell.command_palette import CommandPalette, buttons_in_view
from pitwall.core.memories import Provenance
from pitwall.core.memory_kinds import GlobalNote
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import Fault
from pitwall.memory.database.agent_writes import AgentWrite
from pitwall.memory.store import MemoryStore

PAGES = (
    "live",
    "memory",
    "lab",
    "runs",
    "evaluate",
    "exam",
    "models",
    "demonstrations",
    "settings",
    "new-game",
)


def _plain(name: str) -> str:
    return name.replace("&", "").strip(" …").casefold()


def test_every_page_and_every_button_in_view_is_in_the_palette(room: ConsoleHarness) -> None:
    window = room.console.window
    room.play()
    seen = 0
    for key in PAGES:
        window.show_page(key)
        QApplication.processEvents()
        commands = window.palette_commands()
        names = [_plain(command.name) for command in commands]
        assert len(set(names)) == len(names), key
        assert "emergency stop" in names and "emergency stop (scroll lock)" not in names
        buttons = [*buttons_in_view(window.page)]
        seen += len(buttons)
        for button in buttons:
            name = _plain(button.accessibleName() or button.text())
            assert any(known_name == name or known_name.startswith(f"{name}:") for known_name in names), (
                key,
                name,
            )
        for command in window.page.commands():
            for button in window.page.findChildren(QAbstractButton):
                if command.keys and _plain(button.accessibleName()) == _plain(command.name):
                    assert command.keys in button.toolTip(), (key, command.name)
    assert seen > 60
    pages = {command.name for command in window.palette_commands() if command.name.startswith("Go to ")}
    assert len(pages) >= len(PAGES) - 1


def test_an_error_is_copied_whole_and_its_log_opened(room: ConsoleHarness) -> None:
    window = room.console.window
    logs = room.console.bridge.data.logs
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "engine.log").write_text("the last line of the engine", encoding="utf-8")
    room.console.bridge.report(
        Fault(what="the window is gone.", fix="Open it again.", traceback="Traceback: x")
    )
    room.bot.waitUntil(lambda: window._faults.isVisible())
    room.button("Copy the error's details").click()
    copied = QApplication.clipboard().text()
    assert all(
        part in copied for part in ("the window is gone.", "Open it again.", "Traceback: x", "Pitwall ")
    )
    room.button("Open the log").click()
    dialog = QApplication.activeModalWidget()
    assert dialog is not None and "engine.log" in dialog.windowTitle()
    dialog.close()


@pytest.fixture
def recorded(screen: str, tmp_path: Path) -> None:
    """A run and a memory entry in the data folder."""
    assert screen
    data = DataFolder(tmp_path)
    record_run(data, 8, frames=2)
    with MemoryStore.open(data, role="test") as store:
        note = GlobalNote(about="progress", text="Mind the heron.")
        store.write([AgentWrite(game_id="flappy", content=note, provenance=Provenance(author="agent"))])


@pytest.mark.usefixtures("recorded")
def test_the_palette_finds_settings_runs_and_memory_and_says_when_nothing_fits(room: ConsoleHarness) -> None:
    window = room.console.window
    window.show_palette()
    palette = window.findChild(CommandPalette)
    assert palette is not None
    field, rows = palette.findChild(QLineEdit), palette.findChild(QListWidget)
    assert field is not None and rows is not None

    def shows(beginning: str) -> bool:
        return any(rows.item(at).text().startswith(beginning) for at in range(rows.count()))

    for words, beginning in (("emergency", "Setting · Emergency"), ("finished flappy", "Run 1 · ")):
        field.setText(words)
        room.bot.waitUntil(partial(shows, beginning))
    field.setText("xyzzy plugh")
    assert rows.count() == 0
    assert any(text.startswith("Nothing fits.") for text in shown_texts(palette))
    field.setText("heron")
    room.bot.waitUntil(lambda: shows("Memory · note"))
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.page.place.key == "memory"
