"""Lists the five stops of the console's tour."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.console.kit.elements import key_words
from pitwall.console.kit.page import Page
from pitwall.console.kit.places import MEMORY
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.rail import Rail
from pitwall.console.shell.top_bar import TopBar
from pitwall.console.shell.tour import TourStep
from pitwall.console.state.view_state import IN_VIEW, RUNNING


def console_tour(bridge: Bridge, page: Page, top: TopBar, rail: Rail) -> Sequence[TourStep]:
    """Return the stops, each with the part of the window that it points at; `page` is the first."""
    state, keys = bridge.state, bridge.settings.hotkeys
    start, stop = key_words(keys.start), key_words(keys.stop)
    return (
        TourStep(
            page.middle,
            "Choose a game",
            "Click the card of a game. It opens in a window of its own, beside this one.",
            done=lambda: state.phase in IN_VIEW,
        ),
        TourStep(
            top.start,
            "Start",
            f"Click here or press {start}, also in the game, and the agent plays.",
            done=lambda: state.phase in RUNNING,
        ),
        TourStep(
            page.middle,
            "Watch it play",
            "Here is the game's picture, with what the agent reads and which keys it presses.",
        ),
        TourStep(
            rail.button(MEMORY.key),
            "See what it remembers",
            "Here is what the agent has learned. Change an entry, and it plays by that.",
        ),
        TourStep(
            top.emergency,
            "Stop it at once",
            f"This button, or the {stop} key in the game, lifts every key and stops the agent.",
        ),
    )
