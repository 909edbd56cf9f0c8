"""Provides the parts of the steps of "Add a game": a panel, a list of additions, the row of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from pitwall.console.kit.elements import Button, Label, Part, SectionTitle, clear_layout, column, row
from pitwall.console.kit.form.inputs import Line
from pitwall.console.kit.page_head import PageHead
from pitwall.console.kit.theme import GAP, STEP
from pitwall.games.drafting.draft import Draft

T = TypeVar("T")
_NAME_WIDTH = 112


class StepPanel(QWidget):
    """Shows one step beside the picture.

    Signals:
        changed(Draft): the operator changed the draft.
    """

    changed = Signal(object)

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.setAccessibleName(title)
        self.draft: Draft | None = None
        self._head = column(Label(title, "title"), Label(text, "dim", wrap=True), margins=(0, 0, 0, GAP))

    def fill(self, *parts: Part) -> None:
        """Put the step's parts under its title."""
        self.setLayout(column(self._head, *parts, None))

    def show_draft(self, draft: Draft | None) -> None:
        """Show a draft; lists are rebuilt only where they changed."""
        self.draft = draft

    def entered(self) -> None:
        """Handle that the step came into view."""

    def edit(self, change: Callable[..., Draft], *arguments: object, **values: object) -> None:
        """Change the draft by a function of `draft_edits`, and emit it."""
        if self.draft is not None:
            self.changed.emit(change(self.draft, *arguments, **values))


class ListPanel(StepPanel):
    """A step that makes a list.

    Args:
        heading: title of the list, with the number of entries. none: text of the empty list.
    """

    def __init__(self, title: str, text: str, heading: str, none: str) -> None:
        super().__init__(title, text)
        self._heading, self._none = SectionTitle(heading), Label(none, "note", wrap=True)
        self._rows = column(gap=STEP)
        self._shown: Sequence[object] | None = None

    def lay_out(self, *above: QWidget, below: Sequence[QWidget] = ()) -> None:
        """Put widgets above the list and below it."""
        self.fill(*above, self._heading, self._none, self._rows, *below)

    def show_rows(self, shown: Sequence[T], row_of: Callable[[T], QWidget]) -> None:
        """Show a row for each entry; the rows are rebuilt only where the entries changed."""
        self._none.setVisible(not shown)
        self._heading.set_note(str(len(shown)) if shown else "")
        if shown == self._shown:
            return
        self._shown = shown
        self._end_typing()
        if self._shown is not shown:
            return  # accepting the name changed the draft and has shown its rows
        clear_layout(self._rows)
        for entry in shown:
            self._rows.addWidget(row_of(entry))

    def _end_typing(self) -> None:
        """Accept a name that is being typed in a row, before the row is removed."""
        typed_in = self.focusWidget()
        parent = typed_in.parentWidget() if typed_in is not None else None
        if typed_in is not None and parent is not None and self._rows.indexOf(parent) >= 0:
            typed_in.clearFocus()


class StepHeads(QWidget):
    """The steps by name: marks the step in view and those that are done; a click goes to a step.

    Signals:
        chosen(step): its number, from 0.
    """

    chosen = Signal(int)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self._done: Sequence[bool] = [False] * len(names)
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
        self._heads[step].setChecked(True)
        self._write()

    def set_short(self, short: bool) -> None:
        """Shorten the steps' names where room is scarce: only the step in view keeps its name."""
        if short != self._short:
            self._short = short
            self._write()

    def show_done(self, done: Sequence[bool], *, reachable: bool) -> None:
        """Mark the steps that are done; without a game only the first can be reached."""
        self._done = done
        for at, head in enumerate(self._heads):
            head.setEnabled(at == 0 or reachable)
        self._write()

    def _write(self) -> None:
        for at, head in enumerate(self._heads):
            sign = "✓" if self._done[at] else str(at + 1)
            head.setText(sign if self._short and not head.isChecked() else f"{sign}  {self._names[at]}")


class StepsHead(PageHead):
    """The page's head with its steps; where room is scarce it leaves out the title, then the steps' names."""

    def __init__(self, title: str, names: Sequence[str]) -> None:
        super().__init__(title)
        self._full_title = title
        self.steps = self.add_choice(StepHeads(names))

    def fit(self, width: int) -> None:
        """Choose the longest form that has room."""
        for title, short in ((self._full_title, False), ("", False), ("", True)):
            self.set_title(title)
            self.steps.set_short(short)
            if width >= self.sizeHint().width():
                return


def name_line(text: str, name: str, renamed: Callable[[str], object]) -> Line:
    """Return a line in which a name is edited in place."""
    line = Line(name, text=text)
    line.setFixedWidth(_NAME_WIDTH)
    line.editingFinished.connect(lambda: renamed(line.text()) if line.text() != text else None)
    return line


def drop_button(name: str, drop: Callable[[], object]) -> Button:
    """Return the button at the end of a row that removes the row."""
    return Button("×", drop, kind="quiet", name=name)
