"""Asks whether a model is to be removed, and whether its file goes too; deletes the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QWidget

from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.format import byte_size
from pitwall.console.kit.theme import GAP, WIDE
from pitwall.console.models.format import TIERS, listed
from pitwall.console.models.view_model import ModelViewModel, Presence
from pitwall.core.errors import PitwallError

_WIDTH = 440


class RemoveDialog(QDialog):
    """Signals: confirmed(facts, delete_file)."""

    confirmed = Signal(object, bool)

    def __init__(self, facts: ModelViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Remove {facts.name}")
        self.setAccessibleName(f"Remove {facts.name}")
        self.setMinimumWidth(_WIDTH)
        self._facts = facts
        self.delete_file = QCheckBox(f"Delete its file too ({byte_size(facts.entry.size_bytes)})")
        self.delete_file.setToolTip(facts.entry.path)
        self.delete_file.setVisible(bool(facts.entry.path) and facts.presence is not Presence.GONE)
        self.keep = Button("Keep it", self.reject)
        self.remove = Button("Remove", self._confirm, kind="danger", name=f"Remove {facts.name}")
        layout = column(
            Label(f"Remove {facts.name}?", "title", wrap=True), Label(_what(facts), "dim", wrap=True), gap=GAP
        )
        layout.addWidget(self.delete_file)
        layout.addLayout(row(None, self.keep, self.remove))
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)
        self.keep.setDefault(True)
        self.keep.setFocus()

    def _confirm(self) -> None:
        self.confirmed.emit(self._facts, self.delete_file.isChecked())
        self.accept()


def _what(facts: ModelViewModel) -> str:
    parts = ["It is taken off the list with its options and what was measured of it."]
    if facts.entry.path:
        parts.append("Its file stays, unless you ask for more.")
    if facts.tiers:
        titles = listed(TIERS[tier].title.lower() for tier in facts.tiers)
        use = "tiers use" if len(facts.tiers) > 1 else "tier uses"
        parts.append(f"The {titles} {use} it, and will have none chosen then.")
    return " ".join(parts)


def delete_model_file(file: Path) -> None:
    """Delete the file of a model that was removed.

    Raises:
        PitwallError: it could not be deleted.
    """
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise PitwallError(
            f"The model was removed, but its file {file} could not be deleted: {error.strerror}."
        ) from error
