"""Reads Snake from pixels alone: the board, and the next turn of a way that is no trap."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Cell = tuple[int, int]
"""Column, row."""

SIDE = 16
_SIZE = (480, 520)
_CELL, _TOP = 30, 40
_COLOURS = {
    "H": (91, 237, 217),
    "B": (121, 183, 53),
    "b": (103, 156, 44),
    "T": (92, 122, 31),
    "F": (95, 90, 255),
    "#": (184, 147, 138),
}
"""Sign → blue, green, red of a cell's middle: head, body, body, tail, fruit, wall."""
_EYE = (42, 32, 20)
_MOST_ERROR = 24
_STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Snake's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        signs = _signs(pixels)
        picture = ["".join(row) for row in signs]
        head, fruit, tail = (_find(signs, sign) for sign in "HFT")
        values: dict[str, Value] = {"board": "/".join(picture)}
        if head is None:
            return values
        values |= {
            "head_x": head[0],
            "head_y": head[1],
            "length": sum(row.count(s) for row in picture for s in "HBbT"),
        }
        if fruit is not None:
            values |= {"fruit_dx": fruit[0] - head[0], "fruit_dy": fruit[1] - head[1]}
        facing = _facing(pixels, head)
        wanted = next_turn(frozenset(_free(signs)), head, fruit, tail)
        turn = f"turn_{wanted}" if wanted and wanted != facing else None
        return values | {"facing": facing or None, "turn": turn}


def _signs(pixels: Pixels) -> list[list[str]]:
    middles = pixels[_TOP + _CELL // 2 :: _CELL, _CELL // 2 :: _CELL, :3][:SIDE, :SIDE].astype(int)
    names = [".", *_COLOURS]
    errors = np.stack([np.abs(middles - colour).max(2) for colour in _COLOURS.values()])
    best = np.where(errors.min(0) < _MOST_ERROR, errors.argmin(0) + 1, 0)
    return [[names[number] for number in row] for row in best]


def _facing(pixels: Pixels, head: Cell) -> str:
    """Return the side of the head where both eyes are; empty where none is seen."""
    x, y = head[0] * _CELL + _CELL // 2, _TOP + head[1] * _CELL + _CELL // 2
    for name, (dx, dy) in _STEPS.items():
        eyes = [pixels[y + 7 * dy + side * 6 * dx, x + 7 * dx + side * 6 * dy, :3] for side in (-1, 1)]
        if all(np.abs(eye.astype(int) - _EYE).max() < _MOST_ERROR for eye in eyes):
            return name
    return ""


def _find(signs: list[list[str]], sign: str) -> Cell | None:
    return next(((x, y) for y, row in enumerate(signs) for x, cell in enumerate(row) if cell == sign), None)


def _free(signs: list[list[str]]) -> list[Cell]:
    return [(x, y) for y, row in enumerate(signs) for x, sign in enumerate(row) if sign in ".F"]


def next_turn(free: frozenset[Cell], head: Cell, fruit: Cell | None, tail: Cell | None) -> str:
    """Return the next direction: to the fruit, if the tail can be followed from there; else after the tail.

    Args:
        free: cells that can be entered, including the fruit's.
    """
    open_tail = free | {tail} if tail is not None else free
    to_fruit = _way(free, head, fruit) if fruit is not None else []
    if to_fruit and (tail is None or _way(open_tail - set(to_fruit[:-1]), to_fruit[-1], tail)):
        return _name(head, to_fruit[0])
    near = [cell for cell in _around(head) if cell in open_tail]
    far = {cell: len(_way(open_tail, cell, tail)) if tail is not None else 0 for cell in near}
    room = {cell: len(_reach(free, cell)) for cell in near}
    best = max(near, key=lambda cell: (far[cell] > 0 or cell == tail, far[cell], room[cell]), default=None)
    return _name(head, best) if best is not None else ""


def _around(cell: Cell) -> list[Cell]:
    return [(cell[0] + dx, cell[1] + dy) for dx, dy in _STEPS.values()]


def _name(head: Cell, to: Cell) -> str:
    return next(name for name, step in _STEPS.items() if (head[0] + step[0], head[1] + step[1]) == to)


def _reach(free: frozenset[Cell], start: Cell) -> dict[Cell, Cell]:
    """Return every cell that can be reached → the one before it on a shortest way."""
    before = {start: start}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for cell in _around(here):
            if cell in free and cell not in before:
                before[cell] = here
                queue.append(cell)
    return before


def _way(free: frozenset[Cell], start: Cell, goal: Cell) -> list[Cell]:
    """Return a shortest way without its start; empty where there is none."""
    before = _reach(free | {goal}, start)
    way = []
    while goal in before and goal != start:
        way.append(goal)
        goal = before[goal]
    return way[::-1]
