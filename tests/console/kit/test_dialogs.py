"""A dialog grows with its contents, and cuts no line."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pitwall.console.kit.elements import Label
from pitwall.console.kit.theme import Look
from pitwall.console.run_view.export_dialog import ExportDialog
from pitwall.core.paths import DataFolder


def test_the_export_dialog_cuts_no_hint(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    dialog = ExportDialog(DataFolder(tmp_path), 12)
    Look(qapp, "dark").dress(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)

    def cut() -> list[str]:
        labels = [label for label in dialog.findChildren(Label) if label.isVisible() and label.wordWrap()]
        return [label.full_text() for label in labels if label.height() < label.heightForWidth(label.width())]

    for kind in ("bundle", "report", "export"):
        dialog.form.enter({"kind": kind})
        qtbot.waitUntil(lambda: not cut(), timeout=20_000)
    dialog.close()
