"""Reads the well, the falling block, the next block and the numbers; page/paint.js has their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from pitwall.games.dot_numbers import Colour, Pixels, read_number

from .placing import Place, Rows, best_place, holes, way_to
from .shapes import COLUMNS, HOME, ROWS, Cells, moved_home

Value = bool | int | float | str | None

WIDTH, HEIGHT = 480, 600
_INK = (244, 241, 232)
_WELL_AT, _CELL = 20, 28
_NEXT_AT, _NEXT_CELL = (342, 58), 25
_FREE = (25, 30, 42)
_FALLING: dict[str, Colour] = {
    "I": (77, 208, 225), "O": (255, 213, 79), "T": (186, 104, 200), "S": (129, 199, 132),
    "Z": (229, 115, 115), "J": (100, 160, 246), "L": (255, 153, 80),
}  # fmt: skip
_LYING: dict[str, Colour] = {
    "I": (42, 135, 148), "O": (176, 143, 36), "T": (122, 63, 134), "S": (63, 138, 78), "Z": (163, 63, 79),
    "J": (55, 99, 171), "L": (181, 100, 42), "G": (108, 116, 132),
}  # fmt: skip
_SIGNS = [".", *_LYING, *(kind.lower() for kind in _FALLING)]
_COLOURS = np.array([_FREE, *_LYING.values(), *_FALLING.values()], np.int16)
_NEAR = 24
_PANEL, _PAUSED = (240, 230, 210), (207, 216, 234)
_PANEL_AT = ((226, 60), (226, 260), (364, 60), (364, 260))


@dataclass(frozen=True, slots=True)
class Block:
    """The falling block.

    Attributes:
        rotation: the first that looks like it. column, row: of its leftmost and topmost cell.
    """

    kind: str
    rotation: int
    column: int
    row: int


class Eyes:
    """Reads one frame after another; the place of a block is computed once, when it appears."""

    def __init__(self) -> None:
        self._block: Block | None = None
        self._lying: Rows | None = None
        self._place: Place | None = None
        self._placed: tuple[Rows, str] | None = None

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame; those of the well are none while a panel covers it."""
        if pixels.shape[:2] != (HEIGHT, WIDTH):
            pixels = np.asarray(cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
        covered, paused = _panel(pixels, _PANEL), _panel(pixels, _PAUSED)
        signs = None if covered or paused else read_well(pixels)
        values: dict[str, Value] = {
            "panel": covered,
            "paused": paused,
            "fallen": covered and not _has_block(pixels),
            "score": read_number(pixels, 446, 172, 3, _INK),
            "lines": read_number(pixels, 446, 252, 3, _INK, most=3),
            "level": read_number(pixels, 446, 332, 3, _INK, most=2),
            "next": read_next(pixels),
        }
        if signs is None:
            return values
        lying, block = _lying(signs), _falling(signs)
        values |= {
            "well": "/".join("".join(sign if sign.isupper() else "." for sign in row) for row in signs),
            "height": sum(1 for row in lying if row),
            "holes": holes(lying),
        }
        return {**values, **self._of(block, lying)}

    def _of(self, block: Block | None, lying: Rows) -> dict[str, Value]:
        before, self._block = self._block, block
        landed = self._lying is not None and lying != self._lying
        self._lying = lying
        if block is None:
            return {"landed": landed}
        same = before is not None and before.kind == block.kind and not landed
        values: dict[str, Value] = {
            "landed": landed,
            "block": block.kind,
            "rotation": block.rotation,
            "column": block.column,
            "row": block.row,
            "turned": same and before is not None and before.rotation != block.rotation,
            "moved": _side(before, block) if same and before is not None else None,
        }
        return values | {"way": self._way(block, lying)}

    def _way(self, block: Block, lying: Rows) -> str:
        """Return the actions that bring the block over its place, or drop it there."""
        if (lying, block.kind) != self._placed:
            self._placed, self._place = (lying, block.kind), best_place(lying, block.kind)
        if self._place is None:
            return "drop"
        return "; ".join(way_to(self._place, block.kind, block.rotation, block.column))


def read_well(pixels: Pixels) -> list[list[str]] | None:
    """Return twenty rows of ten signs: . free, capital: lies, small letter: falls; None where unclear."""
    middles = _WELL_AT + _CELL // 2 + _CELL * np.arange(ROWS)
    seen = pixels[np.ix_(middles, middles[:COLUMNS])][..., 2::-1].astype(np.int16)
    away = np.abs(seen[..., None, :] - _COLOURS).sum(axis=-1)
    if (away.min(axis=-1) > _NEAR).any():
        return None
    return [[_SIGNS[index] for index in row] for row in away.argmin(axis=-1)]


def read_next(pixels: Pixels) -> str | None:
    """Return the kind of the next block, by its colour."""
    left, top = _NEXT_AT
    row = top + _NEXT_CELL + _NEXT_CELL // 2
    for column in range(1, 3):
        pixel = pixels[row, left + column * _NEXT_CELL + _NEXT_CELL // 2]
        for kind, colour in _FALLING.items():
            if _like(pixel, colour):
                return kind
    return None


def _lying(signs: list[list[str]]) -> Rows:
    """Return each row as a number, its bit x set where column x is taken."""
    return tuple(sum(1 << x for x, sign in enumerate(row) if sign.isupper()) for row in signs)


def _falling(signs: list[list[str]]) -> Block | None:
    """Return the falling block; None while it is not wholly in the well."""
    cells: Cells = frozenset(
        (x, y) for y, row in enumerate(signs) for x, sign in enumerate(row) if sign.islower()
    )
    if len(cells) != 4:
        return None
    x, y = next(iter(cells))
    kind = signs[y][x].upper()
    home = moved_home(cells)
    if home not in HOME[kind]:
        return None
    return Block(kind, HOME[kind].index(home), min(x for x, _ in cells), min(y for _, y in cells))


def _side(before: Block, now: Block) -> str | None:
    if before.column == now.column or before.rotation != now.rotation:
        return None
    return "left" if now.column < before.column else "right"


def _panel(pixels: Pixels, colour: Colour) -> bool:
    return all(_like(pixels[y, x], colour) for y, x in _PANEL_AT)


def _has_block(pixels: Pixels) -> bool:
    """Return whether a block is at the top: there is one before the first game, but none after a game."""
    first = _WELL_AT + _CELL // 2
    seen = pixels[first : first + 2 * _CELL : _CELL, first : first + COLUMNS * _CELL : _CELL, 2::-1]
    away = np.abs(seen[..., None, :].astype(np.int16) - _COLOURS[-len(_FALLING) :]).sum(axis=-1)
    return bool((away <= _NEAR).any())


def _like(pixel: Pixels, colour: Colour) -> bool:
    return int(np.abs(pixel[2::-1].astype(np.int16) - np.array(colour, np.int16)).sum()) <= _NEAR
