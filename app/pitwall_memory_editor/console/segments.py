"""The memory page's segments: which kind of entries is in view, and how many there are of each."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QWidget

from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.theme import STEP, TEXT_PX, ui_font

_MORE_WIDTH = 136
_SIDES = 20
"""Pixels of a button that are not for its text."""


class Segments(QWidget):
    """Shows one segment at a time; arrows move between them. A choice at the line's end holds the rest.

    Signals:
        chosen(key).
    """

    chosen = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self._buttons: dict[str, Button] = {}
        self._titles: dict[str, str] = {}
        self._notes: dict[str, str] = {}
        self._line = row(gap=STEP)
        self._more = Combo(f"More: {name}", width=_MORE_WIDTH)
        self._more.setPlaceholderText("More")
        self._more.activated.connect(lambda _: self.chosen.emit(self._more.current))
        self.setLayout(row(self._line, self._more, None, gap=STEP))
        self._more.hide()
        self.setAccessibleName(name)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Ignored)
        self.setSizePolicy(policy)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._buttons)

    @property
    def current(self) -> str:
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def add(self, key: str, title: str, tip: str = "") -> None:
        """Add a segment at the end."""
        button = self._buttons[key] = Button(title, lambda: self.chosen.emit(key), kind="tab", tip=tip)
        self._titles[key] = title
        button.setCheckable(True)
        self._group.addButton(button)
        self._line.addWidget(button)
        self.show_note(key, "")

    def choose(self, key: str) -> None:
        """Mark a segment as chosen, without a signal."""
        self._buttons[key].setChecked(True)
        for other, button in self._buttons.items():
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if other == key else Qt.FocusPolicy.ClickFocus)
        self._fit()

    def show_note(self, key: str, note: str) -> None:
        """Set the count beside a title."""
        button, title = self._buttons[key], self._titles[key]
        self._notes[key] = note
        button.setText(f"{title}  {note}".strip())
        button.setAccessibleName(f"{title}, {note}" if note else title)
        bold = QFontMetrics(ui_font(TEXT_PX, bold=True))  # as wide when it is chosen
        button.setFixedWidth(bold.horizontalAdvance(button.text()) + _SIDES)
        self._fit()

    def renew_texts(self) -> None:
        """Set the widths for the titles in the language in use."""
        for key, note in self._notes.items():
            self.show_note(key, note)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(_MORE_WIDTH, super().minimumSizeHint().height())

    def _fit(self) -> None:
        widths = [button.width() + STEP for button in self._buttons.values()]
        room = self.width() + STEP
        if sum(widths) > room:
            room -= _MORE_WIDTH + STEP
        rest = []
        for (key, button), width in zip(self._buttons.items(), widths, strict=True):
            room -= width
            button.setVisible(room >= 0)
            if room < 0:
                rest.append((key, button.text()))
        self._more.offer(rest)
        self._more.setCurrentIndex(next((at for at, (key, _) in enumerate(rest) if key == self.current), -1))
        self._more.setVisible(bool(rest))
