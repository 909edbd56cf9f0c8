"""Which tier uses which model: a box for each tier, saved with the settings at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QVBoxLayout, QWidget

from pitwall.console.kit.elements import Card, Label, SectionTitle
from pitwall.console.kit.form.inputs import scroll_past
from pitwall.console.kit.format import byte_size
from pitwall.console.kit.theme import GAP, STEP
from pitwall.console.models.format import TIERS
from pitwall.console.models.shipped_switch import ShippedSwitch
from pitwall.console.models.view_model import ModelViewModel, Presence
from pitwall.core.calls import Tier
from pitwall.core.settings import Settings
from pitwall.models.shipped import shipped_model_serves

_NARROW = 760
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

    def show_choice(
        self, names: Sequence[str], chosen: str, note: str, *, trouble: bool, standing_in: str = ""
    ) -> None:
        """Offer these models, with this one chosen (which may be gone), and say what holds now.

        Args:
            standing_in: the shipped model where it thinks while none is chosen; empty where it does not.
        """
        without = f"none: {standing_in}" if standing_in else self._words.without
        items = [(without, ""), *((name, name) for name in names)]
        if chosen and chosen not in names:
            items.append((f"{chosen} (gone)", chosen))
        shown = [(self.box.itemText(at), self.box.itemData(at)) for at in range(self.box.count())]
        if shown != items:
            self.box.clear()
            for text, name in items:
                self.box.addItem(text, name)
                whole = text if name or not standing_in else f"None chosen: {standing_in} (shipped) thinks"
                self.box.setItemData(self.box.count() - 1, whole, Qt.ItemDataRole.ToolTipRole)
        self.box.setCurrentIndex(self.box.findData(chosen))
        self.box.setToolTip(self.box.currentData(Qt.ItemDataRole.ToolTipRole))
        self._note.set_text(note)
        self._note.set_tone("stop" if trouble else "neutral")

    def _activated(self, at: int) -> None:
        self.chosen.emit(self.box.itemData(at))


class TiersPanel(QWidget):
    """The four tiers side by side, or two by two.

    Signals:
        chosen(tier, model): the operator gave a tier to a model; empty for none.
        shipped_wanted(on): the operator wants the shipped model where none is chosen, or not.
    """

    chosen = Signal(object, str)
    shipped_wanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.boxes = {tier: TierBox(tier) for tier in TIERS}
        for tier, box in self.boxes.items():
            box.chosen.connect(partial(self.chosen.emit, tier))
        self._title = SectionTitle("Tiers", "a running agent changes between two steps")
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP)
        self._columns = 0
        self.switch = ShippedSwitch()
        self.switch.chosen.connect(self.shipped_wanted.emit)
        self.switch.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addWidget(self.switch)
        layout.addLayout(self._grid)
        self._trouble = Label("", "error", wrap=True)
        self._trouble.hide()
        layout.addWidget(self._trouble)
        layout.addStretch(1)
        self._arrange(len(self.boxes))

    def show_tiers(self, rows: Sequence[ModelViewModel], settings: Settings, *, ships: bool) -> None:
        """Show what each tier uses.

        Args:
            rows: the models. ships: whether the shipped one is among them.
        """
        names, known = [row.name for row in rows if row.answers], {row.name: row for row in rows}
        chosen, stands = tier_choices(settings), shipped_model_serves(settings)
        for tier, box in self.boxes.items():
            standing_in = stands.get(tier.value, "")
            serves = chosen[tier] or standing_in
            note, trouble = tier_note(tier, known.get(serves), serves, settings)
            if standing_in and not trouble:
                note = f"shipped · {note}"
            box.show_choice(names, chosen[tier], note, trouble=trouble, standing_in=standing_in)
        self.switch.setVisible(ships)
        self.switch.show_settings(settings, stands)

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


def tier_uses(settings: Settings) -> dict[Tier, str]:
    """Tier → name of the model that serves it, chosen or standing in; empty for none."""
    stands = shipped_model_serves(settings)
    return {tier: name or stands.get(tier.value, "") for tier, name in tier_choices(settings).items()}


def tier_note(tier: Tier, facts: ModelViewModel | None, name: str, settings: Settings) -> tuple[str, bool]:
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
        return f"! {byte_size(facts.short)} too little", True
    return " ".join(filter(None, facts.state_lines)), False
