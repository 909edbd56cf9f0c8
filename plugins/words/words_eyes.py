"""Reads the word game from pixels alone: the guesses, their marks, and a word that fits all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green, red."""

_SIZE = (440, 620)
_LEFT, _TOP, _STEP, _ROWS, _LETTERS = 49, 62, 70, 6, 5
_DOTS, _DOT = (16, 10), 6
"""Offset of a letter in its cell, and the side of a dot, in pixels."""
_FACE = (31, 5)
"""Place in a cell that no letter covers."""
_INK: Colour = (236, 245, 247)
_MARKS: dict[str, Colour] = {
    "+": (107, 174, 63),
    "?": (38, 154, 217),
    "-": (104, 74, 67),
    "t": (96, 53, 44),
    " ": (56, 32, 26),
}
"""In its place, elsewhere in the word, not in it; typed only; empty."""
_TOLERANCE = 14
_JUDGED = frozenset("+?-")


@dataclass(frozen=True)
class Row:
    """A guess and its marks, a sign for each letter."""

    guess: str
    marks: str


def reader(folder: Path) -> Eyes:
    """Return a new reader; it knows the game's letters and words."""
    letters = re.findall(r'([A-Z]): "([01 ]+)"', (folder / "page" / "letters.js").read_text(encoding="utf-8"))
    text = (folder / "page" / "words.js").read_text(encoding="utf-8")
    lines = re.findall(r'"((?:[a-z]{5} ?)+)"', text)
    words = [word for line in lines for word in line.split()]
    return Eyes({shape.replace(" ", ""): letter.lower() for letter, shape in letters}, words)


class Eyes:
    """Reads the word game's window, each frame on its own."""

    def __init__(self, letters: Mapping[str, str], words: Sequence[str]) -> None:
        self._letters = letters
        self._words = words

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame; none while a row is lit up."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        rows = [self._row(pixels, number) for number in range(_ROWS)]
        if any(row is None for row in rows):
            return {}
        seen = [row for row in rows if row is not None]
        done = [row for row in seen if set(row.marks) <= _JUDGED]
        typed = next((row.guess for row in seen if "t" in row.marks), "")
        solved = bool(done) and done[-1].marks == "+" * _LETTERS
        past = [] if solved else done
        left = [word for word in self._words if all(judge(row.guess, word) == row.marks for row in past)]
        return {
            "guesses": "; ".join(f"{row.guess} {row.marks}" for row in done),
            "typed": typed,
            "solved": solved,
            "fitting": len(left),
            "guess": f"guess(word={best(left)})" if left else None,
        }

    def _row(self, pixels: Pixels, row: int) -> Row | None:
        cells = [self._cell(pixels, row, column) for column in range(_LETTERS)]
        if any(mark is None for _, mark in cells):
            return None
        marks = "".join(mark or "" for _, mark in cells)
        judged = [mark in _JUDGED for mark in marks]
        return None if any(judged) and not all(judged) else Row("".join(letter for letter, _ in cells), marks)

    def _cell(self, pixels: Pixels, row: int, column: int) -> tuple[str, str | None]:
        """Return a cell's letter and its mark; no mark while it turns."""
        x, y = _LEFT + column * _STEP, _TOP + row * _STEP
        face = pixels[y + _FACE[1], x + _FACE[0], :3].astype(int)
        off = {mark: int(np.abs(face - colour).max()) for mark, colour in _MARKS.items()}
        mark = min(off, key=lambda sign: off[sign])
        if off[mark] > _TOLERANCE:
            return "", None
        left, top = x + _DOTS[0] + _DOT // 2, y + _DOTS[1] + _DOT // 2
        dots = pixels[top : top + 7 * _DOT : _DOT, left : left + 5 * _DOT : _DOT, :3].astype(int)
        inked = np.abs(dots - _INK).max(-1) < 2 * _TOLERANCE
        shape = "".join("1" if dot else "0" for dot in inked.ravel())
        return self._letters.get(shape, ""), mark


def judge(guess: str, word: str) -> str:
    """Return the marks that a guess would have."""
    left = Counter(letter for letter, other in zip(word, guess, strict=True) if letter != other)
    marks = ""
    for letter, other in zip(guess, word, strict=True):
        if letter == other:
            marks += "+"
        elif left[letter]:
            left[letter] -= 1
            marks += "?"
        else:
            marks += "-"
    return marks


def best(words: Sequence[str]) -> str:
    """Return the word whose letters most of the others have."""
    counts = Counter(letter for word in words for letter in set(word))
    return max(words, key=lambda word: sum(counts[letter] for letter in set(word)))
