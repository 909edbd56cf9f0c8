"""The base class of pages. A page draws the bridge's state and sends commands through the bridge.

To add a page: declare its `Place` (in `kit.places`, or in a package beside the core as an entry point of
`pitwall.pages`), subclass `Page` with it, build widgets in `__init__`, and redraw in `refresh`. The window
imports and makes the page when it first comes into view. A page that keeps something of a game or of a run
overrides `use_subject`.
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
from pitwall.console.state.subject import Subject
from pitwall.console.state.view_state import Part


class Page(QWidget):
    """A room of the window.

    Class attributes:
        place: its key, title, icon and keys.

    Attributes:
        middle: its main part, which the tour points at.

    Signals:
        page_wanted(key): show another page.
        step_wanted(run_id, step): show this step on the Runs page; step 0: the run.
        inspect_wanted(run_id, step): open the whole decision of this step; run_id 0: the run being played.
        why_wanted(run_id, step): show what the memory answered for this step.
        run_wanted(key, run_id): show another page and hand it a run (`take_run`).
    """

    place: ClassVar[Place]

    page_wanted = Signal(str)
    step_wanted = Signal(int, int)
    inspect_wanted = Signal(int, int)
    why_wanted = Signal(int, int)
    run_wanted = Signal(str, int)

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self.bridge = bridge
        self.look = look
        self.middle: QWidget = self
        self.setObjectName("page")
        self.setAccessibleName(self.place.title)
        look.dress(self)
        bridge.subject_changed.connect(self.use_subject)

    def opened(self) -> None:
        """Read what may have changed (files, the run list): the page comes into view."""

    def closed(self) -> None:
        """React to the page going out of view."""

    def use_subject(self, subject: Subject) -> None:
        """Show what belongs to this game and run, and drop what belongs to the former ones.

        Called when the page was made and at each change, whether or not the page is in view.
        """

    def refresh(self, changed: Part) -> None:
        """Redraw these parts. Called at most once a live frame, and only while the page is in view;
        with `Part.ALL` when it comes into view."""

    def ready_to_close(self, go_on: Callable[[], object]) -> bool:  # noqa: ARG002
        """Return whether the window may close now; else ask the operator, and call `go_on` once it may."""
        return True

    def take_run(self, run_id: int) -> None:
        """Work on a run that the operator handed over from the Runs page (`Place.run_command`)."""

    def show_item(self, item_id: int) -> None:
        """Bring an item of the page into view, such as a memory entry (`Place.search`)."""

    def show_why(self, run_id: int, step: int) -> None:
        """Show what the memory answered for a step (`places.MEMORY_PAGE`); run_id 0: the run being played."""

    def close_reading(self) -> None:
        """Stop readers and jobs, before the data folder goes away."""

    def icon_label(self, name: str = "") -> QLabel:
        """Return a label with the page's icon, or another, large and faint, for an empty state."""
        label = QLabel()

        def paint() -> None:
            label.setPixmap(self.look.icon(name or self.place.icon, "faint").pixmap(40, 40))

        paint()
        self.look.changed.connect(paint)
        return label

    def commands(self) -> Sequence[Command]:
        """Return the commands of this page for the command palette."""
        return ()
