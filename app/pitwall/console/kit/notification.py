"""The bar over the foot of a page: outcomes with Undo and details, and running work.

It covers the page and does not move it.

page.notifications = NotificationBar(page)
page.notifications.notify(Notification("Saved.", offers="undo"))
job.failed.connect(lambda error: page.notifications.notify(Notification.of_error(error)))
queue.notified.connect(page.notifications.notify); queue.busy.connect(page.notifications.show_busy)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from pitwall.console.kit.dialogs import DetailsDialog, copy_text, details_text
from pitwall.console.kit.elements import Button, Card, Label, row, set_property
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE, Tone
from pitwall.core.errors import ChildDied, PitwallError

_KEPT_MS = 12_000
_BUSY_AFTER_MS = 400


def open_path(path: Path) -> None:
    """Open a file or a folder in the program that the desktop has for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


class NotificationBar(QFrame):
    """Shows the last notification; failures and written files stay until the bar is closed.

    Args:
        over: the page whose foot it covers; None: a layout gives it room.

    Signals:
        undo_wanted. redo_wanted.
    """

    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self, over: QWidget | None = None) -> None:
        super().__init__(over)
        self._over = over
        if over is not None:
            over.installEventFilter(self)
        self.setObjectName("sayLine")
        self._text = Label("", wrap=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(120)
        self._offer = Button("Undo", self._offered, kind="link")
        self._details = Button("Details", self._show_details, kind="quiet")
        self._copy = Button("Copy details", self._copy_details, kind="quiet", name="Copy the error's details")
        self._shown = Notification("")
        self._open = Button("Open", self._open_file, kind="link", name="Open the written file")
        self._folder = Button("Show folder", self._open_folder, kind="link", name="Show its folder")
        self._close = Button("Close", self.hide, kind="quiet", name="Close this line")
        self._kept = QTimer(self, singleShot=True, interval=_KEPT_MS)
        self._kept.timeout.connect(self.hide)
        self._busy_text = ""
        self._busy = QTimer(self, singleShot=True, interval=_BUSY_AFTER_MS)
        self._busy.timeout.connect(self._show_busy)
        parts = (self._offer, self._open, self._folder, self._details, self._copy, self._close)
        self._row = row(self._bar, self._text, *parts, gap=PAD, stretch=1, margins=(WIDE, STEP, GAP, STEP))
        self.setLayout(self._row)
        self.hide()

    @property
    def text(self) -> str:
        """Return the visible text; empty while the bar is hidden."""
        return self._text.full_text() if not self.isHidden() else ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def notify(self, notification: Notification) -> None:
        """Show a notification in place of the last one."""
        self._busy.stop()
        self._busy_text = ""
        self._fill(notification, "ok" if notification.done else "stop")
        if notification.done and not notification.files and not notification.stays:
            self._kept.start()
        else:
            self._kept.stop()

    def show_busy(self, text: str) -> None:
        """Show that something is being done, unless it ends within a moment; empty: it has ended."""
        self._busy_text = text
        if text:
            self._busy.start()
            return
        self._busy.stop()
        if not self._bar.isHidden():
            self.hide()

    def _show_busy(self) -> None:
        self._fill(Notification(self._busy_text), "neutral")
        self._bar.show()
        self._place()
        self._bar.setAccessibleName(self._busy_text)
        self._kept.stop()

    def _fill(self, shown: Notification, tone: str) -> None:
        self._shown = shown
        set_property(self, "tone", tone)
        sign = {"ok": "✓ ", "stop": "! "}.get(tone, "")
        self._text.set_text(f"{sign}{shown.text}")
        self.setAccessibleName(shown.text)
        self._bar.hide()
        self._details.setVisible(bool(shown.details))
        self._copy.setVisible(tone == "stop")
        self._offer.setText("Undo" if shown.offers == "undo" else "Redo")
        self._offer.setAccessibleName(self._offer.text())
        self._offer.setVisible(bool(shown.offers))
        self._open.setVisible(
            bool(shown.files) and (len(shown.files) == 1 or shown.files[0].suffix == ".html")
        )
        self._folder.setVisible(bool(shown.files))
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        if self._over is not None:
            width = self._over.width()
            height = self._row.totalHeightForWidth(width)
            self.setGeometry(0, self._over.height() - height, width, height)

    def _show_details(self) -> None:
        DetailsDialog("Details", self._text.full_text(), self._shown.details, self).open()

    def _copy_details(self) -> None:
        copy_text(details_text(self._shown.text, "", self._shown.details))

    def _open_file(self) -> None:
        open_path(self._shown.files[0])

    def _open_folder(self) -> None:
        open_path(self._shown.files[0].parent)

    def _offered(self) -> None:
        self.hide()
        (self.undo_wanted if self._shown.offers == "undo" else self.redo_wanted).emit()


@dataclass(frozen=True, slots=True)
class Notification:
    """The outcome of a command, as a sentence.

    Attributes:
        done: whether it succeeded. offers: what the bar's button does: undo it, redo it, or nothing.
        details: a log or a traceback, behind a button. files: written files; the bar opens them.
        stays: the bar stays until it is closed, as it does for failures and written files.
    """

    text: str
    done: bool = True
    offers: Literal["", "undo", "redo"] = ""
    details: str = ""
    files: Sequence[Path] = ()
    stays: bool = False

    @classmethod
    def of_error(cls, error: PitwallError) -> Notification:
        """Tell an error and how to mend it."""
        details = error.traceback if isinstance(error, ChildDied) else ""
        return cls(error_sentence(error), done=False, details=details)


class NoteCard(Card):
    """Shows a text that can be copied; the tone is a bar at its left edge."""

    def __init__(self, tone: Tone = "neutral") -> None:
        self._label = Label("", wrap=True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        super().__init__(self._label, tone=tone)
        self.hide()

    @property
    def text(self) -> str:
        """Return the visible text; empty while the card is hidden."""
        return self._label.full_text()

    def say(self, text: str, tone: Tone | None = None) -> None:
        """Show a text; empty hides the card. tone: another one than before."""
        self._label.set_text(text)
        if tone is not None:
            self.set_tone(tone)
        self.setVisible(bool(text))
