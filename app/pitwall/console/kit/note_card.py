"""A card with one text: an outcome, or what went wrong; it takes no room while it has none."""

from __future__ import annotations

from PySide6.QtCore import Qt

from pitwall.console.kit.elements import Card, Label
from pitwall.console.kit.theme import Tone


class NoteCard(Card):
    """Shows a text that can be copied; the tone is a bar at its left edge."""

    def __init__(self, tone: Tone = "neutral") -> None:
        self._label = Label("", wrap=True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        super().__init__(self._label, tone=tone)
        self.hide()

    @property
    def text(self) -> str:
        """The text in view; empty while the card is hidden."""
        return self._label.full_text()

    def say(self, text: str, tone: Tone | None = None) -> None:
        """Show a text; empty hides the card. tone: another one than before."""
        self._label.set_text(text)
        if tone is not None:
            self.set_tone(tone)
        self.setVisible(bool(text))
