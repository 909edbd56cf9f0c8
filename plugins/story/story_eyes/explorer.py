"""Chooses the next command as a patient player works through a story.

It takes new things, then tries commands that were not tried here, then goes to places with untried commands,
and comes back to known places when it carries something new.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .page import Page

DIRECTIONS = frozenset(
    (
        "north",
        "south",
        "east",
        "west",
        "northeast",
        "northwest",
        "southeast",
        "southwest",
        "up",
        "down",
        "in",
        "out",
    )
)
_BACK = {
    "north": "south",
    "east": "west",
    "northeast": "southwest",
    "northwest": "southeast",
    "up": "down",
    "in": "out",
}
_BACK |= {back: way for way, back in _BACK.items()}
_UNDOING = ("drop ", "close ", "lock ", "turn off ", "switch off ", "take off ", "eat ", "throw ", "leave ")
_PLACING = re.compile(
    r"(?P<verb>put|pour|give|insert|tie) (?P<thing>.+?) (?P<where>in|on|to|into|onto) (?P<at>.+)"
)
_TAKE = "take "
_MOST_TAKES = 3
"""Most times that one thing is taken at one place, because some things come back."""


@dataclass
class _Place:
    """A place as it was last seen."""

    possible: frozenset[str] = frozenset()
    tried: dict[str, int] = field(default_factory=dict)
    ways: dict[str, str] = field(default_factory=dict)
    seen_with: int = -1


_Wanted = Callable[[_Place], bool]


class Explorer:
    """Follows the pages of a story and chooses the next command."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}
        self._had: set[str] = set()
        self._placed: set[str] = set()
        self._settled: set[str] = set()
        self._last: Page | None = None

    @property
    def places(self) -> int:
        """Number of places seen."""
        return len(self._places)

    def take(self, page: Page, command: str) -> None:
        """Learn from the page that followed a command; empty: no command was seen."""
        place = self._places.setdefault(page.place, _Place())
        if self._last is not None and command:
            self._learn(self._last, page, command)
        place.possible = frozenset(page.possible or ())
        self._had |= set(page.carried or ())
        place.seen_with = self._gain(page)
        self._last = page

    def _learn(self, last: Page, page: Page, command: str) -> None:
        before = self._places[last.place]
        before.tried[command] = before.tried.get(command, 0) + 1
        placing = _PLACING.fullmatch(command)
        if placing is not None:
            self._placed.add(command)
            if (page.score or 0) > (last.score or 0):
                self._settled.add(placing["thing"])
        if page.place != last.place:
            before.ways[command] = page.place
            back = _BACK.get(command, "")
            if back in (page.possible or ()):
                self._places[page.place].ways.setdefault(back, last.place)

    def next(self, page: Page) -> list[str]:
        """Return what to type: one command, or a known way; empty: nothing is left to try."""
        here = self._places.get(page.place)
        if here is None:
            return []
        for fresh in (self._takes, self._acts, self._moves):
            if commands := sorted(fresh(here)):
                return commands[:1]
        return self._way(page, self._left) or self._stale(page) or self._place(page)

    def kind(self, page: Page, commands: Sequence[str]) -> str:
        """Return the purpose of these commands: take, use, explore or return; empty for none."""
        if not commands:
            return ""
        first, here = commands[0], self._places[page.place]
        if first in here.ways:
            return "return"
        if first in DIRECTIONS:
            return "explore"
        return "take" if first.startswith(_TAKE) else "use"

    def _gain(self, page: Page) -> int:
        return len(self._had) * 1_000 + (page.score or 0)

    def _takes(self, place: _Place) -> Iterable[str]:
        return (
            command
            for command in place.possible
            if command.startswith(_TAKE)
            and command[len(_TAKE) :] not in self._settled
            and place.tried.get(command, 0) < _MOST_TAKES
        )

    def _acts(self, place: _Place) -> Iterable[str]:
        choosy = self._choosy(place)
        for command in place.possible - place.tried.keys():
            placing = _PLACING.fullmatch(command)
            if placing is not None:
                if placing["at"] in choosy:
                    yield command
            elif command not in DIRECTIONS and not command.startswith((*_UNDOING, _TAKE)):
                yield command

    @staticmethod
    def _choosy(place: _Place) -> set[str]:
        """Return the containers that accept only one or two of several carried things."""
        takes: dict[str, set[str]] = {}
        for placing in filter(None, map(_PLACING.fullmatch, place.possible)):
            takes.setdefault(placing["at"], set()).add(f"{placing['verb']} {placing['thing']}")
        carried = sum(command.startswith("drop ") for command in place.possible)
        return {at for at, things in takes.items() if carried > len(things) <= 2}

    def _moves(self, place: _Place) -> Iterable[str]:
        return (
            direction
            for direction in place.possible & DIRECTIONS
            if direction not in place.ways and direction not in place.tried
        )

    def _left(self, place: _Place) -> bool:
        return any(True for fresh in (self._takes, self._acts, self._moves) for _ in fresh(place))

    def _stale(self, page: Page) -> list[str]:
        """Return the way to the nearest place that was last seen with fewer things or a lower score."""
        now = self._gain(page)
        return self._way(page, lambda place: place.seen_with < now)

    def _place(self, page: Page) -> list[str]:
        """Return a command that puts something somewhere, here or after the way to such a place."""
        here = self._places[page.place]
        if commands := sorted(self._placings(here)):
            return commands[:1]
        return self._way(page, lambda place: any(True for _ in self._placings(place)))

    def _placings(self, place: _Place) -> Iterable[str]:
        return (
            command
            for command in place.possible
            if _PLACING.fullmatch(command) and command not in self._placed
        )

    def _way(self, page: Page, wanted: _Wanted) -> list[str]:
        """Return the commands of the shortest known way to a place of a kind; empty: there is none."""
        queue: deque[tuple[str, list[str]]] = deque([(page.place, [])])
        known = {page.place}
        while queue:
            name, way = queue.popleft()
            place = self._places.get(name)
            if place is None:
                continue
            if way and wanted(place):
                return way
            for command, to in sorted(place.ways.items()):
                if to not in known:
                    known.add(to)
                    queue.append((to, [*way, command]))
        return []
