"""The dialog that tidies up: it names what would go, moves it, and moves it back; the list follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import bridge_on, record_run

from pitwall.console.kit.theme import Look
from pitwall.console.runs.page import RunsPage
from pitwall.core.paths import DataFolder
from pitwall_exchange.console.tidy_dialog import TidyDialog


@pytest.fixture
def page(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[RunsPage]:
    assert screen
    data = DataFolder(tmp_path)
    for _ in range(4):
        record_run(data, 3, frames=2)
    opened = RunsPage(bridge_on(data.root), Look(qapp, "dark"))
    qtbot.addWidget(opened)
    opened.resize(1220, 640)
    opened.show()
    opened.opened()
    qtbot.waitUntil(lambda: len(opened.list.rows) == 4)
    yield opened
    opened.close_reading()
    opened.bridge.shutdown()


def _go(dialog: TidyDialog, qtbot: QtBot, what: str) -> str:
    dialog.form.enter({"what": what})
    with qtbot.waitSignal(dialog.job.answered, timeout=60_000):
        dialog.start()
    return dialog.outcome


def test_runs_go_after_a_preview_and_come_back(page: RunsPage, qtbot: QtBot) -> None:
    dialog = page.open_part(TidyDialog)
    assert isinstance(dialog, TidyDialog)
    dialog.form.enter({"keep_best": 0, "keep_newest": 1})
    assert "3 runs would go" in _go(dialog, qtbot, "preview")
    assert len(page.list.rows) == 4
    assert "3 runs moved into the archive" in _go(dialog, qtbot, "go")
    qtbot.waitUntil(lambda: [row.run_id for row in page.list.rows] == [4])
    assert "3 runs came back" in _go(dialog, qtbot, "undo")
    qtbot.waitUntil(lambda: len(page.list.rows) == 4)
