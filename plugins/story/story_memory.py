"""Reads a story's memory by the Z-machine's standard: objects, their contents, the player's place.

Sources: the Z-Machine Standards Document 1.1, sections 6.2 (globals), 8.2 (status line), 11 (header),
12 (objects), 3 (text).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

_SELF = re.compile(r"\(?(?:self object|yourself|your ?self|you|cretin|me)\)?", re.IGNORECASE)
"""Short names of the player's object in known libraries and stories."""
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    " \n0123456789.,!?_#'\"/\\-:()",
)
_DEEPEST = 12


@dataclass(frozen=True)
class Thing:
    """An object: its number and those of its parent, sibling and child; 0: none."""

    number: int
    parent: int
    sibling: int
    child: int


class StoryMemory:
    """Reads one moment of a story.

    Args:
        memory: the story's memory, its changeable part as it is now, the rest from its file.
    """

    def __init__(self, memory: bytes) -> None:
        self._memory = memory
        self.version = memory[0]
        self._early = self.version <= 3
        self._objects = self.word(0x0A)
        self._globals = self.word(0x0C)
        self._size = 9 if self._early else 14
        self._first = self._objects + 2 * (31 if self._early else 63)

    def word(self, address: int) -> int:
        """Return two bytes, the higher one first."""
        return self._memory[address] << 8 | self._memory[address + 1]

    def variable(self, number: int) -> int:
        """Return a global variable, from 0, as a signed number."""
        value = self.word(self._globals + 2 * number)
        return value - 0x10000 if value & 0x8000 else value

    # ---- objects

    @cached_property
    def count(self) -> int:
        """How many objects there are: their table ends where the first one's properties begin."""
        nearest, number = len(self._memory), 0
        while self._first + (number + 1) * self._size <= nearest:
            number += 1
            nearest = min(nearest, self._properties(number))
        return number

    def thing(self, number: int) -> Thing:
        """Return an object by its number, from 1."""
        at = self._at(number)
        if self._early:
            return Thing(number, *self._memory[at + 4 : at + 7])
        return Thing(number, self.word(at + 6), self.word(at + 8), self.word(at + 10))

    def name(self, number: int) -> str:
        """Return an object's short name."""
        at = self._properties(number)
        return self._text(at + 1, self._memory[at])

    def inside(self, number: int) -> Iterator[int]:
        """Return the objects directly inside an object, in the tree's order."""
        inner, seen = self.thing(number).child, set[int]()
        while inner and inner not in seen:
            seen.add(inner)
            yield inner
            inner = self.thing(inner).sibling

    def within(self, number: int) -> Iterator[int]:
        """Return the objects inside an object, at any depth."""
        for thing in self.inside(number):
            yield thing
            yield from self.within(thing)

    def table(self) -> bytes:
        """Return every object's attributes and place in the tree, as it lies in memory."""
        return self._memory[self._first : self._first + self.count * self._size]

    # ---- the player

    @property
    def status(self) -> tuple[str, int, int] | None:
        """Return place, score and moves, the first three variables of stories up to version 3."""
        place = self.variable(0)
        if not self._early or not 0 < place <= self.count or self.word(0) & 2:
            return None
        return self.name(place), self.variable(1), self.variable(2)

    @cached_property
    def player(self) -> int:
        """The player's object; 0: it is not known."""
        for number in range(1, self.count + 1):
            if _SELF.fullmatch(self.name(number)) and self.thing(number).parent:
                return number
        return 0

    @property
    def room(self) -> int:
        """Return the room of the player's object, whatever it sits in; 0: it is not known."""
        number = self.player
        for _ in range(_DEEPEST):
            parent = self.thing(number).parent if number else 0
            if not parent:
                break
            number = parent
        return number if number != self.player else 0

    def _at(self, number: int) -> int:
        return self._first + (number - 1) * self._size

    def _properties(self, number: int) -> int:
        return self.word(self._at(number) + self._size - 2)

    # ---- text

    def _text(self, at: int, words: int) -> str:
        codes = _codes(self._memory[at : at + 2 * words])
        return "".join(self._characters(codes)).strip()

    def _characters(self, codes: list[int], *, short: bool = False) -> Iterator[str]:
        """Decode a text of five-bit codes (section 3.2) with abbreviations, but without own alphabets."""
        number = alphabet = 0
        while number < len(codes):
            code, now = codes[number], alphabet
            number, alphabet = number + 1, 0
            if code == 0:
                yield " "
            elif code in (4, 5):
                alphabet = code - 3
            elif code < 4:
                if number < len(codes) and not short:
                    yield from self._abbreviation(32 * (code - 1) + codes[number])
                number += 1
            elif now == 2 and code == 6:
                if number + 1 < len(codes):
                    yield chr(codes[number] << 5 | codes[number + 1])
                number += 2
            else:
                yield _ALPHABETS[now][code - 6]

    def _abbreviation(self, number: int) -> Iterator[str]:
        at = 2 * self.word(self.word(0x18) + 2 * number)
        end = at
        while not self._memory[end] & 0x80:
            end += 2
        yield from self._characters(_codes(self._memory[at : end + 2]), short=True)


@lru_cache(maxsize=4096)
def _unpacked(data: bytes) -> tuple[int, ...]:
    words = (data[at] << 8 | data[at + 1] for at in range(0, len(data) - 1, 2))
    return tuple(code for word in words for code in (word >> 10 & 31, word >> 5 & 31, word & 31))


def _codes(data: bytes) -> list[int]:
    return list(_unpacked(data))
