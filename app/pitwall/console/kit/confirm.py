"""Questions before something that cannot be taken back, or that the evidence speaks against."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.theme import GAP, WIDE

_WIDTH = 480


class Question(QDialog):
    def __init__(self, title: str, texts: Sequence[str], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setFixedWidth(_WIDTH)
        self._lines = column(Label(title, "title", wrap=True), gap=GAP)
        for text in texts:
            self._lines.addWidget(Label(text, "dim", wrap=True))
        self._lines.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(self._lines)


class Confirm(Question):
    """Asks before one thing that cannot be undone.

    Args:
        below: stands between the texts and the buttons.

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
        super().__init__(title, texts, parent)
        if below is not None:
            self._lines.addWidget(below)
        self.go = Button(do, self._confirm, kind="danger")
        stay = Button(leave, self.reject)
        stay.setDefault(True)
        self._lines.addLayout(row(None, stay, self.go))
        stay.setFocus()

    def _confirm(self) -> None:
        self.confirmed.emit()
        self.accept()
