"""The dialog that gives a game another name."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.form.inputs import Line


class RenameGame(OrderDialog):
    """Asks for a game's name; its order is the name, empty for the game's own."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        text = "The name stands in lists and on the page. The game's folder stays as it is."
        super().__init__(f"Rename {name}", text, go="Rename", parent=parent)
        self.name = Line("Name of the game", "Empty: the game's own name", name)
        self.name.selectAll()
        self.body.addWidget(self.name)
        self.name.setFocus()

    @property
    def order(self) -> str:
        return self.name.text().strip()
