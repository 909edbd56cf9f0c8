"""Reads Maze from pixels alone: the places of things, and the steps to the next goal."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Cell = tuple[int, int]
"""Column, row."""

SIDE = 15
_SIZE = (480, 520)
_CELL, _TOP = 32, 40
_COLOURS = {
    "#": (107, 66, 57),
    ".": (46, 28, 23),
    "?": (12, 7, 6),
    "@": (192, 240, 111),
    "*": (255, 242, 242),
    "r": (107, 107, 255),
    "b": (255, 166, 88),
    "y": (77, 216, 255),
    "R": (63, 53, 176),
    "B": (176, 95, 42),
    "Y": (30, 127, 168),
}
"""Sign → blue, green, red of a cell's middle: wall, floor, unseen, walker, exit, keys, doors."""
_KEYS_AT = {"r": (20, 241), "b": (20, 275), "y": (20, 309)}
"""Pixel that shows a carried key: row and column of the frame."""
_LAMP = (slice(13, 27), slice(376, 468))
_LAMP_COLOUR = (71, 179, 255)
_NAMES = {"r": "red", "b": "blue", "y": "yellow"}
_STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_MOST_STEPS = 12


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Maze's window; it remembers the walker's place in the frame before."""

    def __init__(self) -> None:
        self._before: Cell | None = None

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        signs = _signs(pixels)
        walker = next((cell for cell, sign in signs.items() if sign == "@"), None)
        if walker is None:
            return {}
        carried = [key for key, (y, x) in _KEYS_AT.items() if _near(pixels[y, x], _COLOURS[key])]
        lamp = cv2.inRange(np.ascontiguousarray(pixels[(*_LAMP, slice(3))]), *_bounds(_LAMP_COLOUR))
        goal, steps = next_steps(signs, walker, "".join(carried))
        moved, self._before = self._before is not None and walker != self._before, walker
        return {
            "view": _picture(signs),
            "x": walker[0],
            "y": walker[1],
            "moved": moved,
            "keys": " ".join(_NAMES[key] for key in carried) or "no key",
            "lamp": round(100 * float(np.count_nonzero(lamp)) / lamp.size),
            "goal": goal or None,
            "steps_to_goal": len(steps) or None,
            "way": "; ".join(_actions(steps[:_MOST_STEPS])) or None,
        }


def next_steps(signs: Mapping[Cell, str], walker: Cell, carried: str) -> tuple[str, list[str]]:
    """Return the next goal and its steps: the exit, a key, a door whose key is carried, or an unseen cell."""
    doors = carried.upper()
    opened = {cell for cell, sign in signs.items() if sign in ".@*rby" or sign in doors}
    before = _reach(opened, walker)
    wishes: list[tuple[str, Callable[[Cell], bool]]] = [
        ("exit", lambda cell: signs[cell] == "*"),
        ("key", lambda cell: signs[cell] in "rby"),
        ("door", lambda cell: signs[cell] in doors),
        ("unseen", lambda cell: any(signs.get(near) == "?" for near in _around(cell))),
    ]
    for name, wanted in wishes:
        goal = next((cell for cell in before if cell != walker and wanted(cell)), None)
        if goal is not None:
            return name, _steps(before, walker, goal)
    return "", []


def _actions(steps: list[str]) -> list[str]:
    """Return the steps as actions, two equal steps in one."""
    actions: list[str] = []
    for step in steps:
        if actions and actions[-1] == f"step_{step}":
            actions[-1] = f"go_{step}"
        else:
            actions.append(f"step_{step}")
    return actions


def _signs(pixels: Pixels) -> dict[Cell, str]:
    middles = pixels[_TOP + _CELL // 2 :: _CELL, _CELL // 2 :: _CELL, :3][:SIDE, :SIDE].astype(int)
    errors = np.stack([np.abs(middles - colour).max(2) for colour in _COLOURS.values()])
    names = list(_COLOURS)
    return {(x, y): names[number] for (y, x), number in np.ndenumerate(errors.argmin(0))}


def _picture(signs: Mapping[Cell, str]) -> str:
    return "/".join("".join(signs[(x, y)] for x in range(SIDE)) for y in range(SIDE))


def _bounds(colour: tuple[int, int, int]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    return np.clip(np.array(colour) - 20, 0, 255), np.clip(np.array(colour) + 20, 0, 255)


def _near(pixel: Pixels, colour: tuple[int, int, int]) -> bool:
    return bool(np.abs(pixel[:3].astype(int) - colour).max() < 24)


def _around(cell: Cell) -> list[Cell]:
    return [(cell[0] + dx, cell[1] + dy) for dx, dy in _STEPS.values()]


def _reach(opened: set[Cell], start: Cell) -> dict[Cell, Cell]:
    """Return every cell that can be reached, nearest first → the one before it."""
    before = {start: start}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for cell in _around(here):
            if cell in opened and cell not in before:
                before[cell] = here
                queue.append(cell)
    return before


def _steps(before: Mapping[Cell, Cell], start: Cell, goal: Cell) -> list[str]:
    names = {step: name for name, step in _STEPS.items()}
    steps = []
    while goal != start:
        last = before[goal]
        steps.append(names[(goal[0] - last[0], goal[1] - last[1])])
        goal = last
    return steps[::-1]
