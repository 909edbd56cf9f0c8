"""The protocol by which a page's items are found from the command palette (`Place.search`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import SignalInstance

from pitwall.core.paths import DataFolder


class PageSearch(Protocol):
    """Searches a page's items beside the window.

    Attributes:
        answered: signal(words, commands): the commands that lead to the items that hold the words.
    """

    answered: SignalInstance

    def __init__(self, data: DataFolder, show: Callable[[int], object]) -> None:
        """Search a data folder; `show` brings the item with an id into view."""

    def ask(self, words: str, most: int) -> None:
        """Search for at most so many items that hold every word."""

    def close(self) -> None:
        """Read no more."""
