"""What the steps of "Add a game" are made of: a panel, rows that scroll, names that are edited."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from pitwall.console.kit.elements import Button, Label, clear_layout, column, row
from pitwall.console.kit.theme import GAP, STEP
from pitwall.games.drafting.draft import Draft

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


class StepHeads(QWidget):
    """The steps by name: which one is in view, which are done, and a click to each.

    Signals:
        chosen(step): its number, from 0.
    """

    chosen = Signal(int)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._signs = [str(at) for at in range(1, len(self._names) + 1)]
        self._short = False
        self._heads: list[Button] = []
        group = QButtonGroup(self)
        for at, name in enumerate(names):
            head = Button(name, partial(self.chosen.emit, at), kind="quiet", name=f"Step {at + 1}: {name}")
            head.setCheckable(True)
            group.addButton(head)
            self._heads.append(head)
        self.setLayout(row(*self._heads, gap=STEP))

    def show_step(self, step: int) -> None:
        """Mark the step in view."""
        self._heads[step].setChecked(True)
        self._write()

    def set_short(self, short: bool) -> None:
        """Where there is little room, only the step in view goes by its name."""
        if short != self._short:
            self._short = short
            self._write()

    def show_done(self, done: Sequence[bool], *, reachable: bool) -> None:
        """Mark the steps that are done; all but the first may be out of reach yet."""
        for at, head in enumerate(self._heads):
            head.setEnabled(at == 0 or reachable)
            self._signs[at] = "✓" if done[at] else str(at + 1)
        self._write()

    def _write(self) -> None:
        for sign, name, head in zip(self._signs, self._names, self._heads, strict=True):
            head.setText(sign if self._short and not head.isChecked() else f"{sign}  {name}")


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


def scrolled(panel: QWidget) -> QScrollArea:
    """A panel that scrolls where the window is too low for it."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(panel)
    return area


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
