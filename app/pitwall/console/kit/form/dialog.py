"""A dialog with a title, a sentence, its contents, and the order that it leads to."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.theme import PAD, WIDE

_WIDTH = 560


class OrderDialog(QDialog):
    """Subclasses add to `body`, and make `order` from what was entered.

    Args:
        title: title of the window, and heading. text: what the dialog is for.
        go: word of the button that orders. name: its accessible name. leave: word of the other one.

    Signals:
        ordered(order): the operator wants this; the dialog is closed then.
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
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setFixedWidth(width)
        self.body: QVBoxLayout = column(gap=PAD)
        self.go = PrimaryButton(go, self.take_order, name=name)
        self.go.setDefault(True)
        self._foot: QHBoxLayout = row(Label(note, "note"), None, Button(leave, self.reject), self.go)
        layout = column(Label(title, "title", wrap=True), gap=PAD)
        if text:
            layout.addWidget(Label(text, "dim", wrap=True))
        layout.addLayout(self.body)
        layout.addLayout(self._foot)
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(layout)

    @property
    def order(self) -> object:
        """The order as it stands in the dialog; None where it cannot be given."""
        raise NotImplementedError

    def take_order(self) -> None:
        """Order what stands in the dialog, and close it."""
        order = self.order
        if order is not None:
            self.ordered.emit(order)
            self.accept()
