"""Lists every key of the console, as the help shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pitwall.console.inspector.panel import INSPECT_KEYS, KEYS
from pitwall.console.kit.places import Place
from pitwall.console.shell.top_bar import STOP_KEYS
from pitwall.core.input_settings import HotkeySettings

_IN_THE_WINDOW = (
    (STOP_KEYS, "Stop the run"),
    ("Ctrl+1", "First page; Ctrl+2, Ctrl+3 … the next ones"),
    (INSPECT_KEYS, "Inspect the decision: what models were asked, and what they answered"),
    ("Ctrl+P", "Find a command"),
    ("Ctrl+,", "Settings"),
    ("F11", "Full screen"),
    ("F1", "The manual, at the page in view"),
    ("?", "These keys"),
    ("Ctrl+Q", "Close the console; the run ends and keys come up"),
)


def key_sections(
    hotkeys: HotkeySettings, places: Iterable[Place]
) -> list[tuple[str, Sequence[tuple[str, str]]]]:
    """Return titles with keys and what each of them does, those of the pages last."""
    anywhere = (
        (hotkeys.stop, "Emergency stop, whatever else is held"),
        (hotkeys.pause, "Pause or resume the agent, and the game where it can be held"),
        (hotkeys.start, "Start, or resume"),
        (hotkeys.overlay, "Show or hide the overlay on the game"),
    )
    return [
        ("Anywhere, also in the game", anywhere),
        ("In this window", _IN_THE_WINDOW),
        ("In the decision inspector", KEYS),
        *((place.keys_title, place.keys) for place in places if place.keys),
    ]
