"""Dialogs: questions before what cannot be undone, orders, and the whole text of an error."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from pitwall import __version__
from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.theme import GAP, PAD, WIDE, mono_font

_WIDTH = 560
_QUESTION_WIDTH = 480
_TAIL_BYTES = 64 * 1024


class Dialog(QDialog):
    """A dialog with a title, sentences and the widgets added to `lines`; it is deleted when it closes.

    Args:
        width: fixed, in pixels; 0 leaves the width to the contents.
    """

    def __init__(
        self,
        title: str,
        texts: Sequence[str] = (),
        parent: QWidget | None = None,
        *,
        width: int = _WIDTH,
        gap: int = PAD,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        if width:
            self.setFixedWidth(width)
        sentences = (Label(text, "dim", wrap=True) for text in texts if text)
        self.lines = column(Label(title, "title", wrap=True), *sentences, gap=gap, margins=WIDE)
        self.setLayout(self.lines)

    def event(self, event: QEvent) -> bool:
        """Grow where changed contents need more height, so that no line is cut."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            room = self.screen().availableGeometry().height()
            wanted = min(room, self.lines.totalHeightForWidth(self.width()))
            if wanted > self.height():
                self.resize(self.width(), wanted)
        return done


class Confirm(Dialog):
    """Asks before something that cannot be undone.

    Args:
        below: widget between the texts and the buttons.

    Signals: confirmed().
    """

    confirmed = Signal()

    def __init__(
        self,
        title: str,
        texts: Sequence[str],
        do: str,
        leave: str,
        parent: QWidget | None = None,
        *,
        below: QWidget | None = None,
    ) -> None:
        super().__init__(title, texts, parent, width=_QUESTION_WIDTH, gap=GAP)
        if below is not None:
            self.lines.addWidget(below)
        self.go = Button(do, self._confirm, kind="danger")
        stay = Button(leave, self.reject)
        stay.setDefault(True)
        self.lines.addLayout(row(None, stay, self.go))
        stay.setFocus()

    def _confirm(self) -> None:
        self.confirmed.emit()
        self.accept()


class OrderDialog(Dialog):
    """Takes an order. Subclasses add widgets to `body` and return the order from `order`.

    Args:
        text: the sentence under the title.
        go: word of the button that orders. name: its accessible name. leave: word of the other button.

    Signals:
        ordered(order): the operator gave the order; the dialog then closes.
    """

    ordered = Signal(object)

    def __init__(
        self,
        title: str,
        text: str = "",
        *,
        go: str,
        name: str = "",
        note: str = "",
        leave: str = "Cancel",
        width: int = _WIDTH,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(title, [text], parent, width=width)
        self.body = column(gap=PAD)
        self.go = PrimaryButton(go, self.take_order, name=name)
        self.go.setDefault(True)
        self.lines.addLayout(self.body)
        self.lines.addLayout(row(Label(note, "note"), None, Button(leave, self.reject), self.go))

    @property
    def order(self) -> object:
        """Return the order that the dialog holds; None where it cannot be given."""
        raise NotImplementedError

    def take_order(self) -> None:
        """Give the order and close the dialog."""
        order = self.order
        if order is not None:
            self.ordered.emit(order)
            self.accept()


class DetailsDialog(Dialog):
    """Shows a text that is too long for a line: an error with its traceback, the log of a job."""

    def __init__(self, title: str, sentence: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(title, [sentence], parent, width=0, gap=GAP)
        self.resize(760, 420)
        text = QPlainTextEdit(details)
        text.setReadOnly(True)
        text.setFont(mono_font())
        text.setAccessibleName("Details")
        whole = "\n".join(filter(None, (title, sentence, details)))
        copy = Button("Copy details", lambda: copy_text(details_text(whole)), kind="quiet")
        self.lines.addWidget(text, 1)
        self.lines.addLayout(row(copy, None, Button("Close", self.accept)))


def details_text(message: str, fix: str = "", more: str = "") -> str:
    """Put an error, its remedy and its traceback into one text, with the versions of Pitwall and Python."""
    system = f"Pitwall {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return "\n".join(part for part in (message, fix, more.rstrip(), system) if part)


def copy_text(text: str) -> None:
    """Copy a text to the clipboard."""
    QGuiApplication.clipboard().setText(text)


def newest_log(folder: Path) -> Path | None:
    """Return the log file that was written last; None where there is none."""
    logs = [file for file in folder.glob("*.log") if file.is_file() and file.stat().st_size]
    return max(logs, key=lambda file: file.stat().st_mtime, default=None)


def log_end(file: Path) -> str:
    """Return the last 64 KiB of a log; a sentence where the file cannot be read."""
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, file.stat().st_size - _TAIL_BYTES))
            return stream.read().decode("utf-8", errors="replace")
    except OSError as error:
        return f"{file} cannot be read: {error.strerror or error}."
