"""What the Evaluate page shows before any suite was run: what will appear, and a suite to begin with."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLabel

from pitwall.console.kit.elements import EmptyState, PrimaryButton
from pitwall.console.kit.theme import Look

_ICON_PX = 40


class NoSuites(EmptyState):
    """Offers the smoke suite, where it is there."""

    def __init__(self, look: Look, icon: str, run_smoke: Callable[[], object]) -> None:
        picture = QLabel()
        run = PrimaryButton("Run the smoke suite", run_smoke)
        super().__init__(
            "No suite was run here yet",
            "A suite plays tasks of several games by several agents, each in a session of its own. Its live "
            "sessions, results with intervals, and comparisons appear here.",
            run,
            icon=picture,
        )
        self._run = run

        def paint() -> None:
            picture.setPixmap(look.icon(icon, "faint").pixmap(_ICON_PX, _ICON_PX))

        paint()
        look.changed.connect(paint)

    def offer(self, there: bool) -> None:
        """Whether the smoke suite can be run."""
        self._run.setVisible(there)
