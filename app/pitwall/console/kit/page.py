"""The base class of pages. A page draws the bridge's state and sends commands through the bridge.

To add a page: give it a `Place` in `kit.places`, subclass `Page` with it, build widgets in `__init__`, redraw
in `refresh`, and make it in `shell.application`. The window gives it the whole room between rail, top bar and
bottom bar, and has it imported and made when it first comes into view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from pitwall.console.kit.command import Command
from pitwall.console.kit.places import Place
from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part


class Page(QWidget):
    """A room of the window.

    Class attributes:
        place: its key, title, icon and keys.

    Attributes:
        middle: its main part, which the tour points at.

    Signals:
        page_wanted(key): the operator wants to go on at another page.
    """

    place: ClassVar[Place]

    page_wanted = Signal(str)

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self.bridge = bridge
        self.look = look
        self.middle: QWidget = self
        self.setObjectName("page")
        self.setAccessibleName(self.place.title)
        look.dress(self)

    def opened(self) -> None:
        """The page came into view: read again what may have changed (files, the run list)."""

    def closed(self) -> None:
        """The page went out of view."""

    def refresh(self, changed: Part) -> None:
        """Redraw these parts. Called at most once a live frame, and only while the page is in view;
        with `Part.ALL` when it comes into view."""

    def ready_to_close(self, go_on: Callable[[], object]) -> bool:  # noqa: ARG002
        """Whether the window may close now; where the page must ask first, it does, and calls `go_on`
        once it may."""
        return True

    def icon_label(self, name: str = "") -> QLabel:
        """The page's icon, or another, large and faint, for its empty state."""
        label = QLabel()

        def paint() -> None:
            label.setPixmap(self.look.icon(name or self.place.icon, "faint").pixmap(40, 40))

        paint()
        self.look.changed.connect(paint)
        return label

    def commands(self) -> Sequence[Command]:
        """Commands of this page for the command palette."""
        return ()
