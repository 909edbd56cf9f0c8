"""Counts the words that texts share with a question, for all texts at once.

Each text has a numbered slot. A frequent word has a bitmap with one bit for each slot. A rare word has a list
of its slots, which is converted to a bitmap for a question. The bitmaps of a question's words are added bit
by bit, 64 slots at a time, by full adders. The sum is a binary number for each slot; its digits are stored in
*planes* (plane 0 holds the ones, plane 1 the twos, …). "At least c" is a comparison of planes, again 64 slots
at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
"""One bit a slot: slot s is bit s % 64 of word s // 64."""
Slots = NDArray[np.int64]
Planes = Sequence[Bits]

_OFTEN, _SELDOM = 64, 256
"""A word in more than 1/64 of the slots gets a bitmap, and loses it below 1/256."""


class _Word:
    """Holds the slots of one word."""

    __slots__ = ("bits", "count", "slots")

    def __init__(self) -> None:
        self.slots = array("i")
        self.bits: Bits | None = None
        self.count = 0


class TokenIndex:
    """The slots of each word. Callers add and remove a slot's words, each word once."""

    def __init__(self, capacity: int) -> None:
        self._words: dict[str, _Word] = {}
        self._capacity = 0
        self.grow(capacity)

    def grow(self, capacity: int) -> None:
        """Make room. capacity: a multiple of 64."""
        self._capacity = capacity
        for word in self._words.values():
            if word.bits is not None:
                if word.count * _SELDOM < capacity:
                    word.slots, word.bits = array("i", slots_of(word.bits).tolist()), None
                else:
                    word.bits = np.concatenate([word.bits, _none(capacity - 64 * len(word.bits))])

    def add(self, slot: int, words: Iterable[str]) -> None:
        """Add a slot with its words."""
        for text in words:
            word = self._words.get(text)
            if word is None:
                word = self._words[text] = _Word()
            word.count += 1
            if word.bits is not None:
                set_bit(word.bits, slot)
            else:
                word.slots.append(slot)
                if word.count * _OFTEN > self._capacity:
                    word.bits, word.slots = self._bitmap(word), array("i")

    def discard(self, slot: int, words: Iterable[str]) -> None:
        """Take a slot's words away: the same that it was given."""
        for text in words:
            word = self._words[text]
            word.count -= 1
            if not word.count:
                del self._words[text]
            elif word.bits is not None:
                clear_bit(word.bits, slot)
            else:
                place = int(np.argmax(np.frombuffer(word.slots, np.int32) == slot))
                last = word.slots.pop()
                if place < len(word.slots):
                    word.slots[place] = last

    def __contains__(self, word: object) -> bool:
        return word in self._words

    def has(self, word: str) -> Bits | None:
        """Return the slots that contain a word; None without any. Callers must not change the result."""
        known = self._words.get(word)
        return None if known is None else self._bitmap(known)

    def overlaps(self, words: Iterable[str]) -> Planes:
        """Count how many of these words each slot holds, as planes; no plane if none holds any."""
        return _sum([bits for bits in map(self.has, words) if bits is not None])

    def _bitmap(self, word: _Word) -> Bits:
        if word.bits is not None:
            return word.bits
        return bits_of(np.frombuffer(word.slots, np.int32), self._capacity)


# ---- bitmaps


def _none(capacity: int) -> Bits:
    return np.zeros(capacity // 64, np.uint64)


def bits_of(slots: NDArray[np.int32] | Slots, capacity: int) -> Bits:
    """Return a bitmap of these slots."""
    bits = _none(capacity)
    np.bitwise_or.at(bits, slots >> 6, np.uint64(1) << (slots & 63).astype(np.uint64))
    return bits


def packed(truths: NDArray[np.bool_], capacity: int) -> Bits:
    """Return a bitmap of the true slots among the first `count`."""
    octets = np.zeros(capacity // 8, np.uint8)
    some = np.packbits(truths, bitorder="little")
    octets[: len(some)] = some
    return octets.view("<u8").astype(np.uint64, copy=False)


def set_bit(bits: Bits, slot: int) -> None:
    """Add a slot to a bitmap."""
    bits[slot >> 6] |= np.uint64(1 << (slot & 63))


def clear_bit(bits: Bits, slot: int) -> None:
    """Take a slot away."""
    bits[slot >> 6] &= np.uint64(~(1 << (slot & 63)) & 0xFFFF_FFFF_FFFF_FFFF)


def slots_of(bits: Bits) -> Slots:
    """Return the slots of a bitmap, ascending."""
    places = np.flatnonzero(bits)
    if 2 * len(places) > len(bits):
        return np.flatnonzero(_unpacked(bits))
    inside = np.flatnonzero(_unpacked(bits[places]))
    slots: Slots = places[inside >> 6] * 64 + (inside & 63)
    return slots


def held(bits: Bits, slots: Slots) -> NDArray[np.bool_]:
    """Return which of these slots are in a bitmap."""
    shifted: Bits = bits[slots >> 6] >> (slots & 63).astype(np.uint64)
    return (shifted & np.uint64(1)).astype(np.bool_)


def size_of(bits: Bits) -> int:
    """Count the slots that a bitmap holds."""
    return int(np.bitwise_count(bits).sum())


def _unpacked(bits: Bits) -> NDArray[np.bool_]:
    # Little-endian words, lowest bit first, whatever the machine's own order is.
    return np.unpackbits(bits.astype("<u8", copy=False).view(np.uint8), bitorder="little").view(np.bool_)


# ---- planes


def _sum(maps: list[Bits]) -> Planes:
    """Add bitmaps: full adders turn three of a weight into one and a carry, until one of each is left."""
    planes: list[Bits] = []
    level = maps
    while level:
        carries: list[Bits] = []
        while len(level) > 2:
            first, second, third = level.pop(), level.pop(), level.pop()
            either = first ^ second
            carry = first & second
            level.append(either ^ third)
            either &= third
            carry |= either
            carries.append(carry)
        if len(level) == 2:
            carries.append(level[0] & level[1])
            level = [level[0] ^ level[1]]
        planes.append(level[0])
        level = carries
    return planes


def at_least(planes: Planes, count: int, among: Bits) -> Bits:
    """Return the slots of `among` whose count is `count` or more."""
    if count <= 0:
        return among
    if count >> len(planes):
        return np.zeros_like(among)
    equal, more = among, np.zeros_like(among)
    for place in reversed(range(len(planes))):
        if count >> place & 1:
            equal = equal & planes[place]
        else:
            more |= equal & planes[place]
            equal = equal & ~planes[place]
    more |= equal
    return more


def greatest(planes: Planes, among: Bits) -> int:
    """Return the greatest count of the slots in `among`; 0 without slots."""
    count = 0
    for place in reversed(range(len(planes))):
        higher = among & planes[place]
        if higher.any():
            among = higher
            count |= 1 << place
    return count


def fewest(planes: Planes, among: Bits) -> int:
    """Return the least count of the slots in `among`, which must not be empty."""
    count = 0
    for place in reversed(range(len(planes))):
        lower = among & ~planes[place]
        if lower.any():
            among = lower
        else:
            count |= 1 << place
    return count


def counts_at(planes: Planes, slots: Slots) -> Slots:
    """Return the counts of these slots."""
    counts = np.zeros(len(slots), np.int64)
    if not planes:
        return counts
    words, shift = slots >> 6, (slots & 63).astype(np.uint64)
    for place, plane in enumerate(planes):
        counts |= (plane[words] >> shift & np.uint64(1)).astype(np.int64) << place
    return counts
