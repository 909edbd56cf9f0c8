"""The trust card: who drives now and why, the results of each driver so far, and the operator's pin."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.elements import Card, KeyValue, Label, SectionTitle, column
from pitwall.console.kit.theme import STEP, Look, Tone
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part
from pitwall.core import quantities
from pitwall.core.confidence_intervals import wilson
from pitwall.core.model_telemetry import Driver, Tally
from pitwall.core.quantities import counted
from pitwall.core.telemetry import TrustNote

_DRIVERS: dict[Driver, tuple[str, str, Tone]] = {
    "model": ("Model alone", "What the model chose otherwise than the skills would", "strategic"),
    "both": ("Model as skills", "What the model chose, and the skills would have done too", "human"),
    "skills": ("Skills", "What the skills did without asking the model", "reactive"),
}
"""What each driver is called, what that means, its colour."""
_PINS = (
    ("earned", "Earned", "The model drives where it does no worse than the skills"),
    ("model", "Model", "The model always drives"),
    ("skills", "Skills", "The skills always drive, and no model is asked for a plan"),
)


class _DriverLine(QWidget):
    """One driver: its share of the decisions, and how many of its steps brought progress."""

    def __init__(self, look: Look, driver: Driver) -> None:
        super().__init__()
        name, tip, colour = _DRIVERS[driver]
        self._line = KeyValue(name)
        self._bar = IntervalBar(look, colour)
        self.setToolTip(tip)
        self.setLayout(column(self._line, self._bar, gap=STEP))

    def show_tallies(self, tallies: Iterable[Tally], decisions: int) -> None:
        """Show the sum over all kinds of situations; `decisions`: of all drivers."""
        own = list(tallies)
        made = sum(tally.decisions for tally in own)
        progressed, steps = sum(tally.progressed for tally in own), sum(tally.steps for tally in own)
        share = quantities.share(made / decisions) if decisions else "no decision yet"
        brought = f" · {quantities.share(progressed / steps)} of {counted(steps, 'step')}" if steps else ""
        self._line.set_value(share + brought)
        self._bar.show_interval((progressed / steps, *wilson(progressed, steps)) if steps else None)
        self._bar.setAccessibleName(f"Progress in {progressed:,} of {steps:,} steps")


class TrustCard(QWidget):
    """Shows who has the trust, where a model is chosen."""

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self._title = SectionTitle("Trust")
        self._why = Label("", wrap=True)
        self._lines = {driver: _DriverLine(look, driver) for driver in _DRIVERS}
        self._pin = Choice("Who drives", _PINS)
        self._pin.chosen.connect(self._choose)
        note = Label(
            "Shares of the decisions, and of their steps with progress, in all runs with this model.",
            "note",
            wrap=True,
        )
        self._card = Card(self._why, *self._lines.values(), note, self._pin, gap=STEP + 2)
        self.setLayout(column(self._title, self._card))
        self._shown: TrustNote | None = None
        bridge.settings_changed.connect(lambda *_: self._show_pin())
        self._show_pin()
        self.hide()

    def refresh(self, changed: Part) -> None:
        if not changed & (Part.MIND | Part.PHASE | Part.PROPOSAL):
            return
        state = self._bridge.state
        note = state.trust
        chosen = state.mind is not None and any(state.mind.tiers.values())
        self.setVisible(note is not None and chosen and state.phase in IN_VIEW)
        if note is None or note is self._shown:
            return
        self._shown = note
        name, _, colour = _DRIVERS[note.driver]
        self._title.set_note(f"now: {name.lower()}")
        self._card.set_tone(colour)
        self._why.show_text(note.why)
        decisions = sum(tally.decisions for tally in note.tallies)
        for driver, line in self._lines.items():
            line.show_tallies((tally for tally in note.tallies if tally.driver == driver), decisions)

    def _choose(self, pin: str) -> None:
        self._bridge.save_settings(self._bridge.settings.with_value("control", "trust", pin))

    def _show_pin(self) -> None:
        self._pin.choose(self._bridge.settings.control.trust)


_HEIGHT = 7


class IntervalBar(QWidget):
    """A share between 0 and 1 as a mark, with its interval as a band."""

    def __init__(self, look: Look, colour: str) -> None:
        super().__init__()
        self._look, self._colour = look, colour
        self._shown: tuple[float, float, float] | None = None
        self.setFixedHeight(_HEIGHT)
        look.changed.connect(self.update)

    def show_interval(self, shown: tuple[float, float, float] | None) -> None:
        """Show a share, its low and its high; None: nothing."""
        if shown != self._shown:
            self._shown = shown
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.colour("line"))
        painter.drawRoundedRect(QRectF(0, 2, self.width(), _HEIGHT - 4), 1.5, 1.5)
        if self._shown is None:
            return
        share, low, high = (share * (self.width() - 3) for share in self._shown)
        painter.setBrush(self._look.colour(self._colour, 110))
        painter.drawRoundedRect(QRectF(low, 1, high - low + 3, _HEIGHT - 2), 2, 2)
        painter.setBrush(self._look.colour(self._colour))
        painter.drawRect(QRectF(share, 0, 3, _HEIGHT))
