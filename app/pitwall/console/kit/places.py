"""Tells what the window must know of each page before the page's code is loaded: name, icon, keys, module.

The rail, the palette and the help show this; a page's module is imported when the page first comes into
view, which is what keeps the window's start short.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

Keys = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Names a page of the window.

    Attributes:
        key: short stable name. title: what stands in the rail. icon: QtAwesome name.
        page: the class, as `module:name` below `pitwall.console`.
        keys: its keys, for the window's help. keys_title: what stands above them there.
        at_bottom: whether the rail shows it at its lower end (Settings).
        in_rail: whether the rail shows it at all; others lead to one that it does not.
    """

    key: str
    title: str
    icon: str
    page: str
    keys: Keys = ()
    keys_title: str = ""
    at_bottom: bool = False
    in_rail: bool = True

    def load(self) -> Any:
        """Import the page's module, where it was not yet; returns the page's class."""
        module, name = self.page.split(":")
        return getattr(importlib.import_module(f"pitwall.console.{module}"), name)


LIVE = Place(
    "live",
    "Live",
    "mdi6.monitor-eye",
    "live.page:LivePage",
)
MEMORY = Place(
    "memory",
    "Memory",
    "mdi6.graph-outline",
    "memory.page:MemoryPage",
    keys=(
        ("Ctrl+Z", "Undo the last edit; Ctrl+Shift+Z does it again"),
        ("Ctrl+F", "Search"),
        ("F2, Enter", "Edit the cell; Ctrl+S saves the form beside"),
        ("Ctrl+N", "Add an entry"),
        ("Delete", "Forget what is selected"),
        ("A, M, R", "In the inbox: accept, merge, reject"),
    ),
    keys_title="On the Memory page",
)
LAB = Place(
    "lab",
    "GSM lab",
    "mdi6.chart-bell-curve-cumulative",
    "lab.page:LabPage",
    keys=(
        ("Ctrl+T", "New training"),
        ("Ctrl+Enter", "Check the reward function or the rules"),
        ("Ctrl+D", "Compare the version with the one it was made from"),
        ("Esc", "Leave the code editor"),
    ),
    keys_title="In the GSM lab",
)
RUNS = Place(
    "runs",
    "Runs",
    "mdi6.history",
    "runs.page:RunsPage",
)
EVALUATE = Place(
    "evaluate",
    "Evaluate",
    "mdi6.podium",
    "evaluate.page:EvaluatePage",
    keys=(
        ("Ctrl+Enter", "Start the suite, or resume it"),
        ("Ctrl+S", "Save the suite as your own"),
        ("Ctrl+E", "Write the report"),
        ("Esc", "From a cell's runs back to the results"),
    ),
    keys_title="On the Evaluate page",
)
EXAM = Place(
    "exam",
    "Exam",
    "mdi6.head-question-outline",
    "exam.page:ExamPage",
    keys=(
        ("Ctrl+N", "New exam"),
        ("Ctrl+Enter", "Have the exam answered"),
        ("Ctrl+T", "Take the exam yourself"),
        ("Ctrl+F", "Search the questions"),
        ("Ctrl+R", "Show the evidence step in the replay"),
        ("Alt+Y, Alt+C", "While you sit: not answerable, cannot remember"),
        ("Esc", "Leave the sitting; it goes on later where it was"),
    ),
    keys_title="On the Exam page",
)
MODELS = Place(
    "models",
    "Models",
    "mdi6.chip",
    "models.page:ModelsPage",
)
DEMONSTRATIONS = Place(
    "demonstrations",
    "Demos",
    "mdi6.school-outline",
    "demonstrations.page:DemonstrationsPage",
)
SETTINGS = Place(
    "settings",
    "Settings",
    "mdi6.cog-outline",
    "settings.page:SettingsPage",
    at_bottom=True,
)
NEW_GAME = Place(
    "new-game",
    "Add a game",
    "mdi6.plus-box-outline",
    "new_game.page:NewGamePage",
    in_rail=False,
)
