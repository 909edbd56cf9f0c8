"""Reads the page's words as fields, and the next command of a patient player."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .characters import CharacterReader
from .explorer import Explorer
from .page import Page, read_page

Value = bool | int | float | str | None

_LISTED = "; "
_WAY_TO_SAY = "say(text={})"


class Eyes:
    """Reads the story's window; it remembers the places and the commands tried there.

    Args:
        folder: with the font.
    """

    def __init__(self, folder: Path) -> None:
        self._characters = CharacterReader(folder)
        self._explorer = Explorer()
        self._page: Page | None = None
        self._next: list[str] = []
        self._kind = ""
        self._did = False

    def read(self, pixels: NDArray[np.uint8]) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        page = read_page(self._characters.read(pixels))
        answered = not page.typed and (page.ended or page.possible is not None)
        if answered:
            self._follow(page)
        return {
            "location": page.place or None,
            "score": page.score,
            "moves": page.moves,
            "command": page.command or None,
            "observation": page.answer or None,
            "inventory": _joined(page.carried),
            "possible": _joined(page.possible),
            "typed": page.typed or None,
            "ended": page.ended,
            "did": self._did and answered,
            "next_try": _LISTED.join(map(_WAY_TO_SAY.format, self._next)) or None,
            "next_kind": self._kind or None,
            "places_seen": self._explorer.places,
        }

    def _follow(self, page: Page) -> None:
        """Learn from a page once; a story that begins again is forgotten."""
        if page == self._page:
            return
        last = self._page
        again = last is not None and (page.moves or 0) < (last.moves or 0)
        self._did = last is None or _world(page) != _world(last)
        if page.ended or again:
            self._explorer = Explorer()
        self._page = page
        self._next, self._kind = [], ""
        if not page.ended:
            self._explorer.take(page, "" if again else page.command)
            self._next = self._explorer.next(page)
            self._kind = self._explorer.kind(page, self._next)


def _world(page: Page) -> tuple[object, ...]:
    """Return the parts of a page that a command may change."""
    return page.place, page.score, page.carried, page.possible, page.ended


def _joined(names: tuple[str, ...] | None) -> str | None:
    return _LISTED.join(names) if names is not None else None
