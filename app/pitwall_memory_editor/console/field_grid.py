"""Fields of entries side by side: labels at the left, one column for each side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from pitwall.console.kit.elements import Label, clear_layout
from pitwall.console.kit.theme import GAP, PAD


class FieldGrid(QWidget):
    """Shows rows of fields under the heads of its sides."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(PAD)
        self._grid.setVerticalSpacing(GAP)
        self._line = 0

    def start(self, heads: Sequence[str]) -> None:
        """Empty the grid, and write other headings."""
        clear_layout(self._grid)
        for at in (1, 2):
            self._grid.setColumnStretch(at, int(at <= len(heads)))
        for at, text in enumerate(heads, 1):
            self._grid.addWidget(Label(text, "note"), 0, at)
        self._line = 1

    def add_field(self, label: str, *sides: QWidget) -> None:
        """Add a row for one field."""
        self._grid.addWidget(Label(label, "dim"), self._line, 0, Qt.AlignmentFlag.AlignTop)
        for at, side in enumerate(sides, 1):
            self._grid.addWidget(side, self._line, at, Qt.AlignmentFlag.AlignTop)
        self._line += 1
