"""Which tier uses which model: a box for each tier, saved with the settings at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QVBoxLayout, QWidget

from pitwall.console.pages.models_facts import Facts, Presence
from pitwall.console.pages.models_words import TIERS, size
from pitwall.console.pages.settings_editors import scroll_past
from pitwall.console.theme import GAP, STEP
from pitwall.console.widgets.panels import Card, Label, SectionTitle
from pitwall.core.calls import Tier
from pitwall.core.settings import Settings

_NARROW = 640
"""Narrower than this, the tiers stand two in a line."""


class TierBox(Card):
    """One tier: what it does, and which model serves it.

    Signals:
        chosen(model): a name in the registry; empty for none.
    """

    chosen = Signal(str)

    def __init__(self, tier: Tier) -> None:
        words = TIERS[tier]
        super().__init__(tone=words.tone, gap=STEP)
        self._words = words
        self.box = QComboBox()
        self.box.setAccessibleName(f"Model of the {words.title.lower()} tier")
        self.box.setAccessibleDescription(words.does)
        self.box.setMinimumWidth(96)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        scroll_past(self.box)
        self.box.activated.connect(self._activated)
        self._note = Label("", "note")
        self.body.addWidget(Label(words.title, "strong", tone=words.tone))
        self.body.addWidget(Label(words.does, "note"))
        self.body.addWidget(self.box)
        self.body.addWidget(self._note)

    @property
    def note(self) -> str:
        return self._note.full_text()

    def show_choice(self, names: Sequence[str], chosen: str, note: str, *, trouble: bool) -> None:
        """Offer these models, with this one chosen (which may be gone), and say what holds now."""
        items = [(self._words.without, ""), *((name, name) for name in names)]
        if chosen and chosen not in names:
            items.append((f"{chosen} (gone)", chosen))
        shown = [(self.box.itemText(at), self.box.itemData(at)) for at in range(self.box.count())]
        if shown != items:
            self.box.clear()
            for text, name in items:
                self.box.addItem(text, name)
                self.box.setItemData(self.box.count() - 1, text, Qt.ItemDataRole.ToolTipRole)
        self.box.setCurrentIndex(self.box.findData(chosen))
        self.box.setToolTip(self.box.currentText())
        self._note.set_text(note)
        self._note.set_tone("stop" if trouble else "neutral")

    def _activated(self, at: int) -> None:
        self.chosen.emit(self.box.itemData(at))


class TiersPanel(QWidget):
    """The four tiers side by side, or two by two.

    Signals:
        chosen(tier, model): the operator gave a tier to a model; empty for none.
    """

    chosen = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self.boxes = {tier: TierBox(tier) for tier in TIERS}
        for tier, box in self.boxes.items():
            box.chosen.connect(partial(self.chosen.emit, tier))
        self._title = SectionTitle("Tiers", "a running agent changes between two steps")
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP)
        self._columns = 0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addLayout(self._grid)
        self._trouble = Label("", "error", wrap=True)
        self._trouble.hide()
        layout.addWidget(self._trouble)
        self._arrange(len(self.boxes))

    def show_tiers(
        self, names: Sequence[str], chosen: Mapping[Tier, str], notes: Mapping[Tier, tuple[str, bool]]
    ) -> None:
        """Show what each tier uses.

        Args:
            names: models that can be chosen.
            chosen: tier → model, empty for none.
            notes: tier → what holds now, and whether that is trouble.
        """
        for tier, box in self.boxes.items():
            note, trouble = notes.get(tier, ("", False))
            box.show_choice(names, chosen.get(tier, ""), note, trouble=trouble)

    def show_trouble(self, text: str) -> None:
        """Say why a choice could not be kept; empty where it was."""
        self._trouble.set_text(text)
        self._trouble.setVisible(bool(text))

    @property
    def trouble(self) -> str:
        return self._trouble.full_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(2 if self.width() < _NARROW else len(self.boxes))

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for at, box in enumerate(self.boxes.values()):
            self._grid.addWidget(box, at // columns, at % columns)
        for at in range(len(self.boxes)):
            self._grid.setColumnStretch(at, 1 if at < columns else 0)


def tier_choices(settings: Settings) -> dict[Tier, str]:
    """Tier → name of its model, empty for none."""
    return {tier: str(getattr(settings.models, tier.value)) for tier in TIERS}


def tier_note(tier: Tier, facts: Facts | None, name: str, settings: Settings) -> tuple[str, bool]:
    """What holds for a tier now, and whether that is trouble."""
    if not name:
        return "", False
    if facts is None:
        return "! not in the list any more", True
    if facts.presence is Presence.GONE:
        return "! its file is gone", True
    ruled = (tier is Tier.STRATEGIC and settings.control.planner == "skills") or (
        tier is Tier.FAST and settings.control.reactive == "rules"
    )
    if ruled:
        return "not asked: Settings say so", False
    if facts.short and facts.held is None:
        return f"! {size(facts.short)} too little", True
    return " ".join(filter(None, facts.state_lines)), False
