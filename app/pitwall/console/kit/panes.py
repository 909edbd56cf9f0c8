"""Panes beside one another, which fold into tabs where room is short; splitters, stacks, scrolled panes.

panes = Panes(Pane("Exams", exam_list, width=280), Pane("Chosen", exam), front=exam)
layout.addWidget(panes)
panes.bring(exam)  # to the front, where the panes are tabs
tables = split(graph, entries, sizes=(460, 300), vertical=True)  # two that never fold
stack = ReadStack("Reading the exams …", empty, panes, again=self.read)  # and stack.show_error(error)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSplitter, QStackedWidget, QTabWidget, QWidget

from pitwall.console.kit.elements import Button, EmptyState, column
from pitwall.console.kit.theme import COMPACT_WIDTH, RAIL_WIDTH
from pitwall.core.errors import PitwallError

KEPT = "kept"
"""Property of a splitter: the name under which `KeptPanes` keeps its panes' places and sizes."""
USUAL = "usual"
"""Property of a splitter: the pixels that each pane has as delivered; 0 takes the remaining room."""
_LEAST = 400
"""Pixels that the pane without a width has at least when they are laid out."""


def split(
    *widgets: QWidget, sizes: Sequence[int] = (), stretch: int = 0, vertical: bool = False, keep: str = ""
) -> QSplitter:
    """Return the widgets with movable borders between them, none of which can be dragged away.

    Args:
        sizes: widths, or heights, in pixels. stretch: index of the widget that takes new room.
        keep: name under which `KeptPanes` keeps places and sizes; empty: they are not kept.
    """
    splitter = QSplitter(Qt.Orientation.Vertical if vertical else Qt.Orientation.Horizontal)
    splitter.setProperty(KEPT, keep)
    splitter.setProperty(USUAL, [0 if at == stretch else size for at, size in enumerate(sizes)])
    splitter.setChildrenCollapsible(False)
    for widget in widgets:
        splitter.addWidget(widget)
    splitter.setStretchFactor(stretch, 1)
    if sizes:
        splitter.setSizes(sizes)
    return splitter


def plain_tabs(name: str) -> QTabWidget:
    """Return the tabs without a frame.

    Args:
        name: what assistive programs call them.
    """
    tabs = QTabWidget()
    tabs.setDocumentMode(True)
    tabs.tabBar().setDrawBase(False)
    tabs.setAccessibleName(name)
    return tabs


def stacked(*widgets: QWidget) -> QStackedWidget:
    """Return the widgets in one place, of which one is shown; the first, to begin with."""
    stack = QStackedWidget()
    for widget in widgets:
        stack.addWidget(widget)
    return stack


class ScrollPane(QScrollArea):
    """Scrolls its widget (`setWidget`) vertically where the window is too low for it.

    Args:
        name: accessible name.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)


class ReadStack(QStackedWidget):
    """Shows one of several widgets, and a note while their contents are being read.

    Args:
        reading: like "Reading the models …". again: called to read once more after an error.
    """

    def __init__(self, reading: str, *widgets: QWidget, again: Callable[[], object]) -> None:
        super().__init__()
        self._reading, self._again = EmptyState(reading, ""), again
        self._error = EmptyState("", "", Button("Try again", self._try_again))
        for widget in (self._reading, self._error, *widgets):
            self.addWidget(widget)

    def show_error(self, error: PitwallError) -> None:
        """Say why it could not be read, and offer to try again."""
        self._error.say(error.what[:1].upper() + error.what[1:], error.fix)
        self.setCurrentWidget(self._error)

    def show_reading(self) -> None:
        """Say that it is being read."""
        self.setCurrentWidget(self._reading)

    def _try_again(self) -> None:
        self.show_reading()
        self._again()


def scrolled(widget: QWidget, name: str) -> QScrollArea:
    """Put a widget into a `ScrollPane` with this name."""
    area = ScrollPane(name)
    area.setWidget(widget)
    return area


@dataclass(frozen=True, slots=True)
class Pane:
    """Describes one of several panes.

    Attributes:
        title: of its tab. width: pixels; 0 takes the remaining room.
        under: the pane above it where the panes are not tabs.
    """

    title: str
    widget: QWidget
    width: int = 0
    under: QWidget | None = None


class Panes(QWidget):
    """Lays out panes side by side, or as tabs in a narrow window.

    Args:
        front: the pane that is in front where they are tabs; by default the first.
        fold_below: width in pixels below which they become tabs; by default that of a narrow window.
        keep: name under which `KeptPanes` keeps their places and sizes; empty: they are not kept.

    Signals:
        refolded(folded): they became tabs, or are tabs no more.

    Attributes:
        splitter, tabs: the visible one holds the panes.
        folded: whether they are tabs.
    """

    refolded = Signal(bool)

    def __init__(
        self,
        *panes: Pane,
        front: QWidget | None = None,
        fold_below: int = COMPACT_WIDTH - RAIL_WIDTH,
        keep: str = "",
    ) -> None:
        super().__init__()
        self._panes = panes
        self._front = front or panes[0].widget
        self._fold_below = fold_below
        self._hidden: set[QWidget] = set()
        self.folded: bool | None = None
        stretched = next((at for at, pane in enumerate(panes) if not pane.width), 0)
        self._columns = {pane.widget: _StackedPanes() for pane in panes if pane.under is None}
        self.splitter = split(stretch=stretched, keep=keep)
        self.splitter.setProperty(USUAL, [pane.width for pane in panes if pane.under is None])
        self.tabs = plain_tabs(", ".join(pane.title for pane in panes))
        layout = column(self.splitter, self.tabs, gap=0)
        for at in (0, 1):
            layout.setStretch(at, 1)
        self.setLayout(layout)
        self.tabs.hide()
        self._lay_side_by_side()

    def bring(self, widget: QWidget) -> None:
        """Bring a pane to the front where they are tabs."""
        if self.folded:
            self.tabs.setCurrentWidget(widget)

    def show_pane(self, widget: QWidget, shown: bool) -> None:
        """Show or hide a pane; this survives a change between tabs and columns."""
        self._hidden.discard(widget)
        if not shown:
            self._hidden.add(widget)
        self._show_panes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        folded = self.width() < self._fold_below
        if folded == self.folded:
            return
        self.folded = folded
        self.splitter.setVisible(not folded)
        self.tabs.setVisible(folded)
        if folded:
            for pane in self._panes:
                self.tabs.addTab(pane.widget, pane.title)
            self.tabs.setCurrentWidget(self._front)
        else:
            self._lay_side_by_side()
        self._show_panes()
        self.refolded.emit(folded)

    def _lay_side_by_side(self) -> None:
        for pane in self._panes:
            place = self._columns[pane.under or pane.widget]
            place.lines.addWidget(pane.widget, 0 if pane.under else 1)
            if pane.under is None:
                self.splitter.addWidget(place)
        fixed = [pane.width for pane in self._panes if pane.under is None]
        rest = max(_LEAST, self.width() - sum(fixed))
        self.splitter.setSizes([width or rest for width in fixed])

    def _show_panes(self) -> None:
        for at, pane in enumerate(self._panes):
            shown = pane.widget not in self._hidden
            if self.folded:
                self.tabs.setTabVisible(at, shown)
            else:
                pane.widget.setVisible(shown)
                if pane.under is None:
                    self._columns[pane.widget].setVisible(shown)
        self.tabs.tabBar().setVisible(len(self._panes) - len(self._hidden) > 1)


class _StackedPanes(QWidget):
    """A column of the splitter: a pane, and the panes under it."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = column(gap=0)
        self.setLayout(self.lines)
