"""Look at the Memory page on a made memory, and keep a picture of each segment:

python -m tests.pitwall_memory_editor.console.look --theme light --shots FOLDER skill graph inbox why
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication
from tests.console.scripted_session import STATE, began, note, opened, state
from tests.pitwall_memory_editor.console.stores import GAME, StoreSession, fill
from tests.pitwall_memory_editor.console.why.retrieval_case import retrieval

from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import Retrieved
from pitwall_memory_editor.console.page import MemoryPage


def main() -> int:
    """Show the page, turn to each segment, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("segments", nargs="*", default=["action"])
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--size", default="1216x700")
    options.add_argument("--shots", type=Path, default=Path())
    arguments = options.parse_args()
    app = QApplication(sys.argv[:1])
    data = DataFolder(Path(tempfile.mkdtemp(prefix="pitwall-memory-")))
    fill(data)
    sessions: list[StoreSession] = []

    def opener(*asked: Any) -> StoreSession:
        sessions.append(StoreSession(*asked))
        return sessions[-1]

    bridge, look = Bridge(data, opener, lambda: ()), Look(app, arguments.theme)
    page = MemoryPage(bridge, look)
    bridge.changed.connect(page.refresh)
    page.resize(*(int(part) for part in arguments.size.split("x")))
    page.show()
    page.opened()
    bridge.open_game(GAME)
    _wait(app, 1.0)
    sessions[-1].tell(opened(), state(STATE.PLAYING), began(1), note(1), Retrieved(retrieval=retrieval(7)))
    for segment in arguments.segments:
        page.show_segment(segment)
        _wait(app, 2.0)
        page.grab().save(str(arguments.shots / f"{segment}-{arguments.theme}.png"))
    page.close_reading()
    bridge.shutdown()
    return 0


def _wait(app: QApplication, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        app.processEvents()
        time.sleep(0.01)


if __name__ == "__main__":
    sys.exit(main())
