"""The line that tells what became of a deed, with the one thing to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QProgressBar

from pitwall.console.kit.elements import Button, Label, row, set_property
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE

_KEPT_MS = 12_000
_BUSY_AFTER_MS = 400


class NotificationBar(QFrame):
    """Hidden while there is nothing to tell; a refusal stays until it is closed.

    Signals:
        undo_wanted. redo_wanted.
    """

    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("sayLine")
        self._text = Label("", wrap=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(120)
        self._offer = Button("Undo", self._offered, kind="link")
        self._close = Button("Close", self.hide, kind="quiet", name="Close this line")
        self._offers = ""
        self._kept = QTimer(self, singleShot=True, interval=_KEPT_MS)
        self._kept.timeout.connect(self.hide)
        self._busy_words = ""
        self._busy = QTimer(self, singleShot=True, interval=_BUSY_AFTER_MS)
        self._busy.timeout.connect(self._show_busy)
        layout = row(self._bar, self._text, self._offer, self._close, gap=PAD)
        layout.setStretch(1, 1)
        layout.setContentsMargins(WIDE, STEP, GAP, STEP)
        self.setLayout(layout)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while it is hidden."""
        return self._text.full_text() if not self.isHidden() else ""

    def notify(self, notification: Notification) -> None:
        """Say what became of a deed."""
        self._busy.stop()
        self._busy_words = ""
        self._fill(notification.text, "ok" if notification.done else "stop", notification.offers)
        if notification.done:
            self._kept.start()
        else:
            self._kept.stop()

    def show_busy(self, text: str) -> None:
        """Something is being done, and soon it takes longer than a moment; empty: it is done."""
        self._busy_words = text
        if text:
            self._busy.start()
            return
        self._busy.stop()
        if not self._bar.isHidden():
            self.hide()

    def _show_busy(self) -> None:
        self._fill(self._busy_words, "neutral", "")
        self._bar.show()
        self._bar.setAccessibleName(self._busy_words)
        self._kept.stop()

    def _fill(self, text: str, tone: str, offers: str) -> None:
        set_property(self, "tone", tone)
        sign = {"ok": "✓ ", "stop": "! "}.get(tone, "")
        self._text.set_text(f"{sign}{text}")
        self.setAccessibleName(text)
        self._bar.hide()
        self._offers = offers
        self._offer.setText("Undo" if offers == "undo" else "Redo")
        self._offer.setAccessibleName(self._offer.text())
        self._offer.setVisible(bool(offers))
        self.show()

    def _offered(self) -> None:
        self.hide()
        (self.undo_wanted if self._offers == "undo" else self.redo_wanted).emit()


@dataclass(frozen=True, slots=True)
class Notification:
    """What became of a deed, as a line.

    Attributes:
        offers: what the line's button does: undo it, redo it, or nothing.
    """

    text: str
    done: bool = True
    offers: Literal["", "undo", "redo"] = ""
