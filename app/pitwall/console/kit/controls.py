"""Controls that Qt does not have: segments, a toggle, a search field, a line to press, a bar of a share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QWidget

from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.theme import STEP, Look

TOOL_PX = 28
"""Height of every switch."""
_RESTED_MS = 180
_CLEAR_WIDTH = 28
"""Pixels of a search field beside its hint, and of its button that empties it."""


class Choice(QWidget):
    """A choice of a few words side by side; arrows move between them.

    Signals:
        chosen(key): another one was taken by the operator.
    """

    chosen = Signal(str)

    def __init__(self, name: str, options: Sequence[tuple[str, str, str]]) -> None:
        """Take the options as key, word and tip; the first one is chosen."""
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: dict[str, Button] = {}
        for key, word, tip in options:
            button = Button(word, kind="segment", name=f"{name}: {word}", tip=tip)
            button.setCheckable(True)
            button.clicked.connect(lambda *_, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self._buttons[key] = button
        for end, key in (("first", options[0][0]), ("last", options[-1][0])):
            self._buttons[key].setProperty("end", end)
        self.setFixedHeight(TOOL_PX)
        self.setLayout(row(*self._buttons.values(), gap=0))
        self.choose(options[0][0])

    @property
    def current(self) -> str:
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def choose(self, key: str) -> None:
        """Take an option without telling it."""
        self._buttons[key].setChecked(True)


class Toggle(Button):
    """On or off."""

    def __init__(self, word: str, tip: str) -> None:
        super().__init__(word, kind="toggle", tip=tip)
        self.setCheckable(True)
        self.setFixedHeight(TOOL_PX)


class SearchField(QLineEdit):
    """A search field; Esc empties it.

    Args:
        hint: shown while it is empty. name: accessible name.

    Signals:
        searched(words): the typed words, once typing pauses.
    """

    searched = Signal(str)

    def __init__(self, hint: str, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(name)
        self.setToolTip("Esc empties it")
        rested = QTimer(self, singleShot=True, interval=_RESTED_MS)
        rested.timeout.connect(lambda: self.searched.emit(self.text()))
        self.textChanged.connect(rested.start)

    def sizeHint(self) -> QSize:
        usual, hint = super().sizeHint(), self.fontMetrics().horizontalAdvance(self.placeholderText())
        sides = _CLEAR_WIDTH * (1 + self.isClearButtonEnabled())
        return QSize(max(usual.width(), hint + sides), usual.height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            event.accept()
        else:
            super().keyPressEvent(event)


class LineButton(Button):
    """Shows a text as a line that can be pressed, cut with "…" where it does not fit."""

    def __init__(self, text: str, pressed: Callable[[], object], *, name: str = "", tip: str = "") -> None:
        super().__init__(text, pressed, kind="line", name=name, tip=tip)
        self._full = text
        self.setMinimumWidth(40)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Ignored)
        self.setSizePolicy(policy)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.renew_texts()

    def renew_texts(self) -> None:
        """Show as much of the text as fits, in the language in use."""
        room = self.width() - 2 * STEP
        cut = self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, room)
        self.setText(cut.replace("&", "&&"))  # a single & would underline the next letter


class ShareBar(QWidget):
    """A bar that is filled by a share.

    Args:
        colour: of the palette. alpha: how opaque, 0 to 255. height: pixels.
    """

    def __init__(self, look: Look, colour: str, *, alpha: int = 255, height: int = 5) -> None:
        super().__init__()
        self._look, self._colour, self._alpha, self._share = look, colour, alpha, 0.0
        self.setFixedHeight(height)
        self.setMinimumWidth(40)
        look.changed.connect(self.update)

    def show_share(self, share: float, colour: str = "") -> None:
        """Fill the bar by a share between 0 and 1. colour: another one than before."""
        shown = min(1.0, max(0.0, share)), colour or self._colour
        if shown != (self._share, self._colour):
            self._share, self._colour = shown
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.colour("line"))
        inside, corner = self.rect(), self.height() / 2
        painter.drawRoundedRect(inside, corner, corner)
        if self._share > 0:
            inside.setWidth(max(inside.height(), round(self.width() * self._share)))
            painter.setBrush(self._look.colour(self._colour, self._alpha))
            painter.drawRoundedRect(inside, corner, corner)
