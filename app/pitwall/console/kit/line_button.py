"""A button that reads as a line of text."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent

from pitwall.console.kit.elements import Button
from pitwall.console.kit.theme import STEP


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
        room = self.width() - 2 * STEP
        cut = self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, room)
        self.setText(cut.replace("&", "&&"))  # a lone one would underline what follows
