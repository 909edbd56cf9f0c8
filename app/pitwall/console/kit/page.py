"""The base class of pages. A page draws the bridge's state and sends commands through the bridge.

To add a page: subclass `Page`, set `key`, `title` and `icon`, build widgets in `__init__`, redraw in
`refresh`, and add it to the places in `shell.application`. The window gives it the whole room between rail,
top bar and bottom bar, and has it made when it first comes into view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from pitwall.console.kit.command import Command
from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part

LIVE_PAGE = "live"
"""Key of the page where games are played."""
MODELS_PAGE = "models"
"""Key of the page where models are added: others lead there."""
NEW_GAME_PAGE = "new-game"
"""Key of the page where games are added."""


class Page(QWidget):
    """A room of the window.

    Class attributes:
        key: short stable name. title: what stands in the rail. icon: QtAwesome name.
        at_bottom: whether the rail shows it at its lower end (Settings).
        in_rail: whether the rail shows it at all; others lead to one that it does not.

    Attributes:
        middle: its main part, which the tour points at.

    Signals:
        page_wanted(key): the operator wants to go on at another page.
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    at_bottom: ClassVar[bool] = False
    in_rail: ClassVar[bool] = True

    page_wanted = Signal(str)

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self.bridge = bridge
        self.look = look
        self.middle: QWidget = self
        self.setObjectName("page")
        self.setAccessibleName(self.title)
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
            label.setPixmap(self.look.icon(name or self.icon, "faint").pixmap(40, 40))

        paint()
        self.look.changed.connect(paint)
        return label

    def commands(self) -> Sequence[Command]:
        """Commands of this page for the command palette."""
        return ()


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page's place in the window, before the page is there.

    Attributes:
        kind: whose key, title and icon the window shows.
        page: gives the page, always the same one; asked when it first comes into view.
    """

    kind: type[Page]
    page: Callable[[], Page]
