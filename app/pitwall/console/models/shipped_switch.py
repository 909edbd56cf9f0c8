"""Who thinks for tiers without a chosen model: the shipped one, or skills and rules. One click."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.choice import Choice
from pitwall.console.kit.elements import Label, row
from pitwall.console.kit.theme import PAD
from pitwall.core.settings import Settings
from pitwall.models.shipped import NAME

_WHO = (
    ("shipped", "Shipped model", f"{NAME} plans and grounds each action where no model is chosen"),
    ("skills", "Skill planner", "Skills plan and rules ground each action where no model is chosen"),
)


class ShippedSwitch(QWidget):
    """The setting models.shipped, where it is felt.

    Signals:
        chosen(on): the operator wants the shipped model to stand in, or not.
    """

    chosen = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.choice = Choice("Where none is chosen", _WHO)
        self.choice.chosen.connect(lambda key: self.chosen.emit(key == "shipped"))
        self._note = Label("", "note")
        layout = row(Label("Where none is chosen", "dim"), self.choice, self._note, gap=PAD)
        layout.setStretch(2, 1)
        self.setLayout(layout)

    @property
    def note(self) -> str:
        return self._note.full_text()

    def show_settings(self, settings: Settings, standing_in: Mapping[str, str]) -> None:
        """Show what is set, and what comes of it.

        Args:
            standing_in: tier → the shipped model, for the tiers that it serves now.
        """
        self.choice.choose("shipped" if settings.models.shipped else "skills")
        self._note.set_text(_outcome(settings, standing_in))


def _outcome(settings: Settings, standing_in: Mapping[str, str]) -> str:
    planner = settings.control.planner
    if planner not in ("auto", "model"):
        return f"not asked: Settings choose the planner “{planner}”"
    if settings.models.strategic:
        return f"not asked: {settings.models.strategic} is chosen to plan"
    if "fast" in standing_in:
        return f"{NAME} plans and grounds"
    if standing_in:
        return f"{NAME} plans"
    return "skills plan, rules ground"
