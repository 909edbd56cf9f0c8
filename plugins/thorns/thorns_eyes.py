"""Reads a room from pixels alone: the imp, the ground, thorns, gates, and what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green, red."""

_SIZE = (640, 424)
_BAR, _TILE, _COLUMNS, _ROWS = 40, 32, 20, 12
_IMP: Colour = (255, 211, 111)
_TOP: Colour = (184, 115, 125)
_GATE: Colour = (63, 59, 12)
_LAMP: Colour = (138, 224, 63)
_THORN: Colour = (122, 72, 242)
_WAX: Colour = (215, 234, 243)
_TOLERANCE = 12
_WIDTH, _FEET = 20, 25
"""The imp's body; from its top to the feet."""
_LAMP_PX_S = 40.0
_CANDLE = slice(470, 620)
_CANDLE_S = 240.0 / 150.0
_LOW_ROWS = 4
_REACH = 8
"""Pixels of a thing that the imp may have passed while the thing still counts as ahead."""


@dataclass(frozen=True)
class Column:
    """A column of the room: the ground's top (window's pixels), and what is on it or hangs above it."""

    left: int
    top: int
    gate: bool
    thorns: bool
    low: bool


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the rooms' window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame. Distances are from the imp's right side."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        view = np.ascontiguousarray(pixels[..., :3])
        candle = np.count_nonzero(_like(view[21, _CANDLE], _WAX)) * _CANDLE_S
        imp = _imp(view)
        if imp is None:
            return {"candle": round(candle)}
        left, feet = imp
        room = [column for at in range(_COLUMNS) if (column := _column(view, at)) is not None]
        under = [column for column in room if left - _TILE < column.left < left + _WIDTH]
        return {
            "candle": round(candle),
            "x": left + _WIDTH // 2,
            "y": feet,
            "standing": any(abs(column.top - feet) <= 2 for column in under),
            **_ahead(view, room, left + _WIDTH, feet),
        }


def _like(line: Pixels, colour: Colour) -> NDArray[np.bool_]:
    """Return which pixels have a colour."""
    return np.asarray((np.abs(line.astype(int) - np.array(colour)) <= _TOLERANCE).all(-1))


def _imp(view: Pixels) -> tuple[int, int] | None:
    """Return the imp's left side and its feet; what bursts in its colour is smaller."""
    low, high = np.array(_IMP) - _TOLERANCE, np.minimum(255, np.array(_IMP) + _TOLERANCE)
    count, _, stats, _ = cv2.connectedComponentsWithStats(cv2.inRange(view[_BAR:], low, high))
    if count < 2:
        return None
    left, top, width, _, area = (int(value) for value in max(stats[1:], key=lambda patch: patch[4]))
    return (left + (width - _WIDTH) // 2, top + _BAR + _FEET) if area > 150 else None


def _column(view: Pixels, at: int) -> Column | None:
    """Return a column by the stripe that marks the top of its ground, or the gate that covers it."""
    left = at * _TILE
    for row in range(4, _ROWS):
        top = _BAR + row * _TILE
        edge = view[top + 2, left + 4 : left + 29 : 6]
        gate = int(_like(edge, _GATE).sum()) >= 3
        if not gate and int(_like(edge, _TOP).sum()) < 3:
            continue
        thorns = _like(view[top - 6, left + 4 : left + 29], _THORN).sum() >= 6
        hanging = _like(view[top - _LOW_ROWS * _TILE + 6, left + 4 : left + 29], _THORN).sum() >= 6
        return Column(left, top, gate, bool(thorns), bool(hanging))
    return None


def _ahead(view: Pixels, room: list[Column], right: int, feet: int) -> dict[str, Value]:
    """Return what comes next: thorns or a pit, a step up, a gate."""
    ahead = [column for column in room if column.left >= right - _REACH]
    fields: dict[str, Value] = {}
    prickly = next((at for at, each in enumerate(ahead) if each.thorns and not each.gate), None)
    if prickly is not None:
        patch = list(takewhile(lambda each: each.thorns and not each.gate, ahead[prickly:]))
        fields |= {
            "thorn_ahead": patch[0].left - right,
            "thorn_wide": _TILE * len(patch),
            "low": patch[0].low,
        }
    wall = next((column for column in ahead if column.top < feet - 4), None)
    if wall is not None:
        fields |= {"wall_ahead": wall.left - right, "wall_high": feet - wall.top}
    gate = next(_gates(room, right), None)
    if gate is not None:
        lamp = _like(view[gate[0].top + 7, gate[0].left : gate[-1].left + _TILE], _LAMP)
        fields |= {
            "gate_ahead": gate[0].left - right,
            "gate_s": round(int(lamp.sum()) / _LAMP_PX_S, 2),
        }
    return fields


def _gates(room: list[Column], right: int) -> Iterator[list[Column]]:
    """Yield the columns of each gate that lies wholly ahead."""
    at = 0
    while at < len(room):
        gate = list(takewhile(lambda each: each.gate, room[at:]))
        if gate and gate[0].left >= right:
            yield gate
        at += max(1, len(gate))
