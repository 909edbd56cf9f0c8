"""Commands in real processes: answer, progress, the command's own error, cancelling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import record_run

from pitwall.console.kit.theme import Look
from pitwall.console.run_view.export_dialog import ExportDialog
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder

_LONG_MS = 90_000


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def dialog(screen: str, data: DataFolder, qtbot: QtBot, qapp: QApplication) -> Iterator[ExportDialog]:
    assert screen
    assert Look(qapp, "dark").palette
    widget = ExportDialog(data, record_run(data, 30, frames=2))
    qtbot.addWidget(widget)
    widget.show()
    yield widget
    widget.job.cancel()
    qtbot.waitUntil(lambda: not widget.job.running, timeout=_LONG_MS)


def test_a_run_is_exported_with_progress(dialog: ExportDialog, tmp_path: Path, qtbot: QtBot) -> None:
    progress: list[tuple[int, int]] = []
    dialog.job.progressed.connect(lambda done, total: progress.append((done, total)))
    dialog.form.enter({"kind": "export", "folder": str(tmp_path / "out"), "formats": ["jsonl", "csv"]})
    with qtbot.waitSignal(dialog.job.answered, timeout=_LONG_MS):
        dialog.start()
    assert progress and progress[-1][0] == progress[-1][1]
    assert "written" in dialog.outcome
    lines = (tmp_path / "out" / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 30
    assert all(json.loads(line) for line in lines)
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_the_commands_own_error_is_shown_with_its_fix(
    dialog: ExportDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "something.txt").write_text("mine", encoding="utf-8")
    dialog.form.enter({"kind": "export", "folder": str(taken)})
    with qtbot.waitSignal(dialog.job.failed, timeout=_LONG_MS) as failed:
        dialog.start()
    error = failed.args[0]
    assert isinstance(error, PitwallError)
    assert error.fix
    assert str(taken) in dialog.outcome
    assert error.fix in dialog.outcome
    assert (taken / "something.txt").read_text(encoding="utf-8") == "mine"


def test_a_run_is_bundled_by_default_and_its_file_can_be_opened(
    dialog: ExportDialog, data: DataFolder, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(dialog.job.answered, timeout=_LONG_MS):
        dialog.start()
    assert "Written: run-1.pitwall" in dialog.outcome
    assert (data.run(1) / "run-1.pitwall").is_file()


def test_nothing_chosen_starts_nothing(dialog: ExportDialog) -> None:
    dialog.form.enter({"kind": "export", "formats": []})
    dialog.start()
    assert not dialog.job.running


def test_an_export_is_cancelled(dialog: ExportDialog, tmp_path: Path, qtbot: QtBot) -> None:
    dialog.form.enter({"kind": "export", "folder": str(tmp_path / "out")})
    dialog.start()
    with qtbot.waitSignal(dialog.job.cancelled, timeout=_LONG_MS):
        dialog.job.cancel()
    assert "Cancelled" in dialog.outcome
    assert not (tmp_path / "out").exists()


def test_an_unknown_command_is_an_error(screen: str, qtbot: QtBot) -> None:
    assert screen
    job = Job()
    with qtbot.waitSignal(job.failed, timeout=_LONG_MS) as failed:
        job.start(["no-such-command"])
    assert "pitwall no-such-command" in failed.args[0].what
