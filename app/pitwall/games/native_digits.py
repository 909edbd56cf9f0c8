"""Reads a number on an old console's screen: a shape a digit, one colour, empty columns between digits.

A game's own reader may import it: `from pitwall.games.native_digits import Digits, WithNumbers`. The shapes
are drawn in a text file: a line with the digit, then its rows of `#` and `.`, without empty rows above and
below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PluginFailed
from pitwall.core.observations import Value
from pitwall.games.native_picture import Native, Pixels, among, native


class Reader(Protocol):
    """Reads a game's fields, as its own file does."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]: ...


_DRAWN = str.maketrans("#.", "10")


class Digits:
    """Reads one number of a picture, and remembers the answer for unchanged pixels.

    Args:
        file: the shapes. box: left, top, right and bottom (both exclusive) of the number's area.
        colours: the number's colours.

    Raises:
        PluginFailed: the file is no drawing of digits.
    """

    def __init__(self, file: Path, box: tuple[int, int, int, int], *colours: int) -> None:
        self._shapes = _shapes(file)
        self._box, self._colours = box, colours
        self._seen: tuple[bytes, float | None] = (b"", None)

    def read(self, picture: Native) -> float | None:
        """Return the number; None where there is none, or where a shape is no digit."""
        left, top, right, bottom = self._box
        mask = among(picture[top:bottom, left:right], self._colours)
        pixels = mask.tobytes()
        if pixels != self._seen[0]:
            self._seen = pixels, self._number(mask)
        return self._seen[1]

    def _number(self, mask: NDArray[np.bool_]) -> float | None:
        wide = np.concatenate([[False], mask.any(axis=0), [False]])
        ends = np.flatnonzero(wide[1:] != wide[:-1])
        digits = [self._shapes.get(_key(mask[:, a:b])) for a, b in zip(ends[::2], ends[1::2], strict=True)]
        if not digits or None in digits:
            return None
        return float("".join(map(str, digits)))


class WithNumbers:
    """Adds numbers, one field each, to the fields of another reader."""

    def __init__(self, reader: Reader, **numbers: Digits) -> None:
        self._reader, self._numbers = reader, numbers

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        picture = native(pixels)
        values = {name: digits.read(picture) for name, digits in self._numbers.items()}
        return {**self._reader.read(pixels), **values}


def _key(shape: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return a shape's rows of 1 and 0, without empty rows above and below."""
    rows = np.flatnonzero(shape.any(axis=1))
    drawn: Sequence[Sequence[bool]] = shape[rows[0] : rows[-1] + 1].tolist()
    return tuple("".join("1" if dot else "0" for dot in row) for row in drawn)


def _shapes(file: Path) -> dict[tuple[str, ...], int]:
    drawings: dict[int, list[str]] = {}
    digit = None
    for number, line in enumerate(file.read_text(encoding="utf-8").split(), start=1):
        if line.isdigit():
            digit = int(line)
            drawings[digit] = []
        elif digit is None or set(line) - {"#", "."}:
            raise PluginFailed(f"{file}, line {number}: {line!r:.40}.", "Write a digit, then rows of # and .")
        else:
            drawings[digit].append(line.translate(_DRAWN))
    if len(drawings) != 10:
        raise PluginFailed(f"{file}: {len(drawings)} digits are drawn.", "Draw all ten.")
    return {tuple(rows): digit for digit, rows in drawings.items()}
