"""The palette has every command and every button in view, and buttons tell their keys."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QApplication
from tests.console.conftest import ConsoleHarness

from pitwall.console.shell.command_palette import buttons_in_view
from pitwall.core.telemetry import Fault

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
