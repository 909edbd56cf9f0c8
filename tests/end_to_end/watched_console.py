"""A real console as a program that says where its buttons stand, for a person outside who clicks them.

Run as a program: `python watched_console.py ARGUMENTS OF pitwall console`. Each line of its input is answered
by one line of JSON. Nothing is pressed from here.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QPushButton

from pitwall.__main__ import main
from pitwall.console.kit.screen_places import point_to_pixels, screen_places
from pitwall.console.shell.window import MainWindow


class Watcher(QObject):
    """Answers each line of the input on Qt's own thread."""

    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.asked.connect(self.answer, Qt.ConnectionType.QueuedConnection)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for _ in sys.stdin:
            self.asked.emit()

    def answer(self) -> None:
        windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
        print(json.dumps(_seen(windows[0]) if windows else {"buttons": {}}), flush=True)  # noqa: T201


def _seen(window: MainWindow) -> dict[str, Any]:
    state = window._bridge.state
    note = state.shadow.note
    return {
        "buttons": {
            button.text(): point_to_pixels(button.mapToGlobal(button.rect().center()), screen_places())
            for button in window.findChildren(QPushButton)
            if button.isEnabled() and _in_view(button)
        },
        "phase": state.phase.value,
        "focus": window.isActiveWindow(),
        "recorded_s": state.taught.seconds if state.taught is not None else 0.0,
        "compared": note.agreement.decisions if note is not None else 0,
        "person": state.run is not None and state.run.manifest.planner == "person",
        "drives": {module.name: module.version for module in state.modules.values()},
        "routes": [step.route.value for step in state.steps],
        "faults": [fault.what for fault in state.faults],
    }


def _in_view(button: QPushButton) -> bool:
    """Return whether a click on its middle would reach it."""
    return button.isVisible() and QApplication.widgetAt(button.mapToGlobal(button.rect().center())) is button


if __name__ == "__main__":
    watcher = Watcher()
    sys.argv[:1] = ["pitwall", "console"]
    sys.exit(main())
