"""Choices as segments side by side, and a toggle button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from pitwall.console.kit.elements import Button, row

TOOL_PX = 28
"""Height of every switch."""


class Choice(QWidget):
    """A choice of a few words side by side; arrows move between them.

    Signals:
        chosen(key): another one was taken by the operator.
    """

    chosen = Signal(str)

    def __init__(self, name: str, options: Sequence[tuple[str, str, str]]) -> None:
        """Args: options: (key, word, tip) each; the first is taken."""
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
