"""Declares the pages of the window: title, icon, keys and module of each, before its code is loaded.

A page's module is imported when the page first comes into view, which keeps the window's start short.
Packages beside the core declare their pages by entry points (`core/rail.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pitwall.core import rail

Keys = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Declares a page of the window.

    Attributes:
        key: short stable name.
        title: text of its entry in the navigation.
        icon: QtAwesome name.
        page: the class, as `module:name`.
        order: position in the navigation; smaller numbers come first.
        keys: keyboard shortcuts with their meaning, for the window's help.
        keys_title: heading above them.
        run_command: name of the command by which the Runs page hands a run to `Page.take_run`; empty: none.
        search: class that finds the page's items by words (`page_search.py`), as `module:name`; empty: none.
        at_bottom: show it at the lower end of the navigation.
        in_rail: show it in the navigation at all; other pages lead to a page that is not shown there.
    """

    key: str
    title: str
    icon: str
    page: str
    order: int
    keys: Keys = ()
    keys_title: str = ""
    run_command: str = ""
    search: str = ""
    at_bottom: bool = False
    in_rail: bool = True

    def load(self) -> Any:
        """Import the page's module and return the page's class."""
        return rail.resolve(self.page)

    def load_search(self) -> Any:
        """Import the class that searches the page's items."""
        return rail.resolve(self.search)


LEARNING_PAGE = "lab"
"""Key of the page that shows trainings, where a package brings one."""
MEMORY_PAGE = "memory"
"""Key of the page that shows what the agent remembers, where a package brings one."""

LIVE = Place(
    key="live",
    title="Live",
    icon="mdi6.monitor-eye",
    page="pitwall.console.live.page:LivePage",
    order=10,
)
RUNS = Place(
    key="runs",
    title="Runs",
    icon="mdi6.history",
    page="pitwall.console.runs.page:RunsPage",
    order=40,
)
MODELS = Place(
    key="models",
    title="Models",
    icon="mdi6.chip",
    page="pitwall.console.models.page:ModelsPage",
    order=70,
)
DEMONSTRATIONS = Place(
    key="demonstrations",
    title="Demos",
    icon="mdi6.school-outline",
    page="pitwall.console.demonstrations.page:DemonstrationsPage",
    order=80,
)
SETTINGS = Place(
    key="settings",
    title="Settings",
    icon="mdi6.cog-outline",
    page="pitwall.console.settings.page:SettingsPage",
    order=90,
    at_bottom=True,
)
NEW_GAME = Place(
    key="new-game",
    title="Add a game",
    icon="mdi6.plus-box-outline",
    page="pitwall.console.new_game.page:NewGamePage",
    order=100,
    in_rail=False,
)
CORE = (LIVE, RUNS, MODELS, DEMONSTRATIONS, SETTINGS, NEW_GAME)


def all_places() -> tuple[Place, ...]:
    """Return the places of the core and of every package beside it, in the order of the navigation."""
    return tuple(sorted((*CORE, *rail.load_all(rail.PAGES).values()), key=lambda place: place.order))


def brought(key: str) -> bool:
    """Return whether an installed package brings the page with this key."""
    return key in rail.contributions(rail.PAGES)
