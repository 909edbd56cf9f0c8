"""Asks whether to remove a model, and its file with it; deletes the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QWidget

from pitwall.console.kit.dialogs import Confirm
from pitwall.console.models.format import TIERS, listed
from pitwall.console.models.view_model import ModelViewModel, Presence
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import byte_size


class RemoveDialog(Confirm):
    """Attributes: delete_file: ticked to delete the file, too."""

    def __init__(self, facts: ModelViewModel, parent: QWidget | None = None) -> None:
        self.delete_file = QCheckBox(f"Delete its file too ({byte_size(facts.entry.size_bytes)})")
        self.delete_file.setToolTip(facts.entry.path)
        title = f"Remove {facts.name}?"
        super().__init__(title, [_consequences(facts)], "Remove", "Keep it", parent, below=self.delete_file)
        self.delete_file.setVisible(bool(facts.entry.path) and facts.presence is not Presence.GONE)


def _consequences(facts: ModelViewModel) -> str:
    parts = ["It is removed from the list, with its options and measurements."]
    if facts.entry.path:
        parts.append("Its file stays unless you tick the box.")
    if facts.tiers:
        titles = listed(TIERS[tier].title.lower() for tier in facts.tiers)
        use = "tiers use" if len(facts.tiers) > 1 else "tier uses"
        parts.append(f"The {titles} {use} it, and will then have no model.")
    return " ".join(parts)


def delete_model_file(file: Path) -> None:
    """Delete the file of a removed model.

    Raises:
        PitwallError: it could not be deleted.
    """
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise PitwallError(
            f"The model was removed, but its file {file} could not be deleted: {error.strerror}."
        ) from error
