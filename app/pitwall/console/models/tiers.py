"""Assigns models to tiers, and shows who thinks where no model is chosen; saved in the settings at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.elements import Card, Label, SectionTitle, column, holder, row
from pitwall.console.kit.form.fields import Option
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.theme import GAP, PAD, STEP
from pitwall.console.models.format import TIERS
from pitwall.console.models.view_model import ModelViewModel, Presence
from pitwall.console.services.bridge import Bridge
from pitwall.core.calls import Tier
from pitwall.core.errors import SettingsError
from pitwall.core.quantities import byte_size
from pitwall.core.settings import Settings
from pitwall.models.shipped import NAME, shipped_model_serves

_NARROW = 760
"""Width below which the tiers are shown two in a row."""
_WHO = (
    ("shipped", "Shipped model", f"{NAME} plans and reacts where no model is chosen"),
    ("skills", "Skill planner", "Skills plan and rules react where no model is chosen"),
)


class TierBox(Card):
    """Shows one tier: its task, and the model that serves it.

    Attributes:
        model: the choice; its value is a name in the registry, empty for none.
    """

    def __init__(self, tier: Tier) -> None:
        words = self._words = TIERS[tier]
        self.model = Combo(f"Model of the {words.title.lower()} tier", letters=10, width=96)
        self.model.setAccessibleDescription(words.does)
        self._note = Label("", "note")
        title, does = Label(words.title, "strong", tone=words.tone), Label(words.does, "note")
        super().__init__(title, does, self.model, self._note, tone=words.tone, gap=STEP)

    def show_choice(
        self, names: Sequence[str], chosen: str, note: str, *, trouble: bool, standing_in: str = ""
    ) -> None:
        """Offer the models, with the chosen one, which may be gone, and the tier's present state.

        Args:
            standing_in: the shipped model where it serves the tier while none is chosen; empty where it does
                not.
        """
        none = Option("", self._words.without, self._words.without)
        if standing_in:
            none = Option("", standing_in, f"None chosen: {standing_in} (shipped) thinks")
        gone = [Option(chosen, f"{chosen} (gone)")] if chosen and chosen not in names else []
        options = [none, *(Option(name, name, name) for name in names), *gone]
        self.model.offer(options, chosen)
        self.model.setToolTip(
            next(option.help or option.word for option in options if option.value == chosen)
        )
        self._note.set_text(note)
        self._note.set_tone("stop" if trouble else "neutral")


class TiersPanel(QWidget):
    """The four tiers in one row or in two, and who thinks where no model is chosen.

    A choice is saved as on the Settings page: it applies at once, even in a running engine.
    """

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self.boxes = {tier: TierBox(tier) for tier in TIERS}
        for tier, box in self.boxes.items():
            box.model.chosen.connect(partial(self._change, tier.value))
        self._who = Choice("Where none is chosen", _WHO)
        self._who.chosen.connect(lambda key: self._change("shipped", key == "shipped"))
        self._outcome = Label("", "note")
        about = Label("Where none is chosen", "dim")
        self.switch = holder(row(about, self._who, self._outcome, gap=PAD, stretch=2))
        self.switch.hide()
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP)
        self._columns = 0
        self._trouble = Label("", "error", wrap=True)
        self._trouble.hide()
        title = SectionTitle("Tiers", "a change applies from the next step")
        self.setLayout(column(title, self.switch, self._grid, self._trouble, None))
        self._arrange(len(self.boxes))

    def show_tiers(self, rows: Sequence[ModelViewModel], *, ships: bool) -> None:
        """Show the model of each tier.

        Args:
            rows: the models. ships: whether the shipped model is among them.
        """
        settings = self._bridge.settings
        names, known = [row.name for row in rows if row.entry.writes_text], {row.name: row for row in rows}
        chosen, stands = tier_choices(settings), shipped_model_serves(settings)
        for tier, box in self.boxes.items():
            standing_in = stands.get(tier.value, "")
            serves = chosen[tier] or standing_in
            note, trouble = tier_note(tier, known.get(serves), serves, settings)
            if standing_in and not trouble:
                note = f"shipped · {note}"
            box.show_choice(names, chosen[tier], note, trouble=trouble, standing_in=standing_in)
        self.switch.setVisible(ships)
        self._who.choose("shipped" if settings.models.shipped else "skills")
        self._outcome.set_text(_outcome(settings, stands))

    def save(self, settings: Settings) -> None:
        """Apply settings, and show an error where they could not be saved."""
        self._trouble.show_text("")
        try:
            self._bridge.save_settings(settings)
        except SettingsError as error:
            self._trouble.show_text(f"Applied until the console closes, but not saved: {error}")

    def _change(self, name: str, value: object) -> None:
        self.save(self._bridge.settings.with_value("models", name, value))

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
    """Return the name of each tier's chosen model; empty for none."""
    return {tier: str(getattr(settings.models, tier.value)) for tier in TIERS}


def tier_uses(settings: Settings) -> dict[Tier, str]:
    """Return the name of the model that serves each tier, chosen or shipped; empty for none."""
    stands = shipped_model_serves(settings)
    return {tier: name or stands.get(tier.value, "") for tier, name in tier_choices(settings).items()}


def tier_note(tier: Tier, facts: ModelViewModel | None, name: str, settings: Settings) -> tuple[str, bool]:
    """Return a tier's present state, and whether it is an error."""
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
        return "not used, by the Settings", False
    if facts.short and facts.held is None:
        return f"! {byte_size(facts.short)} too little", True
    return " ".join(filter(None, facts.state_lines)), False


def _outcome(settings: Settings, standing_in: Mapping[str, str]) -> str:
    """Return who thinks where no model is chosen.

    Args:
        standing_in: tier → the shipped model, for the tiers that it serves now.
    """
    planner = settings.control.planner
    if planner not in ("auto", "model"):
        return f"not used: Settings choose the planner “{planner}”"
    if settings.models.strategic:
        return f"not used: {settings.models.strategic} is chosen to plan"
    if "fast" in standing_in:
        return f"{NAME} plans and reacts"
    return f"{NAME} plans" if standing_in else "skills plan, rules react"
