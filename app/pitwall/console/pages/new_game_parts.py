"""What the steps of "Add a game" are made of: a panel, rows that scroll, names that are edited."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QScrollArea, QVBoxLayout, QWidget

from pitwall.console.theme import GAP, STEP
from pitwall.console.widgets.panels import Label, clear_layout, column, row
from pitwall.games.draft import Draft

_NAME_WIDTH = 124


class StepPanel(QWidget):
    """One step beside the picture.

    Signals:
        changed(Draft): what the operator made of it.
    """

    changed = Signal(object)

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.setAccessibleName(title)
        self.draft: Draft | None = None
        self.title = Label(title, "title")
        self.text = Label(text, "dim", wrap=True)
        self.body: QVBoxLayout = column(self.title, self.text, gap=GAP)
        self.setLayout(self.body)

    def show_draft(self, draft: Draft | None) -> None:
        """Show a draft; lists are laid out anew only where they changed."""
        self.draft = draft

    def entered(self) -> None:
        """The step came into view."""

    def tell(self, draft: Draft) -> None:
        """Say what became of the draft."""
        self.changed.emit(draft)


class RowList(QScrollArea):
    """Rows that scroll where there are many."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        self._rows = column(gap=STEP)
        outer = column(gap=0)
        outer.addLayout(self._rows)
        outer.addStretch(1)
        inside.setLayout(outer)
        self.setWidget(inside)

    def fill(self, rows: Sequence[QWidget]) -> None:
        """Show these rows in place of those before."""
        clear_layout(self._rows)
        for one in rows:
            self._rows.addWidget(one)


def name_line(text: str, name: str) -> QLineEdit:
    """A name that is edited in place."""
    line = QLineEdit(text)
    line.setFixedWidth(_NAME_WIDTH)
    line.setAccessibleName(name)
    return line


def beside(*widgets: QWidget | None) -> QWidget:
    """Widgets side by side, as one; None is a stretch."""
    holder = QWidget()
    holder.setLayout(row(*widgets))
    return holder


def stacked(*widgets: QWidget | None) -> QWidget:
    """Widgets one under another, as one."""
    holder = QWidget()
    holder.setLayout(column(*widgets, gap=STEP))
    return holder
