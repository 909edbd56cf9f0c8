"""Places labels without overlap: important ones first, those without room are left out. No Qt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pitwall_memory_editor.console.graph.layout.forces import Points
from pitwall_memory_editor.console.graph.model import Floats, Ints

Box = tuple[float, float, float, float]
"""left, top, right, bottom"""
Measure = Callable[[int], tuple[str, float]]
"""Gives the label of a state or line by its number, and the label's width in pixels."""

_CELL = 96.0
_ALONG = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)
"""Places along a line that its words may take."""


@dataclass(frozen=True, slots=True)
class Label:
    """Words of a state or a line, and the box they take."""

    number: int
    text: str
    box: Box


class LabelSpace:
    """Boxes that are taken; nothing is free outside `within`."""

    def __init__(self, taken: Iterable[Box] = (), within: Box | None = None) -> None:
        self._within = within
        self._cells: dict[tuple[int, int], list[Box]] = defaultdict(list)
        for box in taken:
            self.take(box)

    def take(self, box: Box) -> None:
        for cell in _cells(box):
            self._cells[cell].append(box)

    def free(self, box: Box) -> bool:
        """Return whether a box overlaps none of the occupied ones."""
        left, top, right, bottom = box
        if self._within is not None:
            low_x, low_y, high_x, high_y = self._within
            if left < low_x or top < low_y or right > high_x or bottom > high_y:
                return False
        return not any(
            left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
            for cell in _cells(box)
            for other in self._cells.get(cell, ())
        )


def state_labels(
    numbers: Ints,
    at: Points,
    worth: Floats,
    radius: Floats,
    measure: Measure,
    room: LabelSpace,
    *,
    height: float,
    cell: tuple[float, float] | None = None,
) -> list[Label]:
    """Place words under (else over, right or left of) the states.

    Args:
        numbers: states that get words. at: (k, 2) in pixels.
        worth: (k,) greater values are placed first. radius: (k,) of the drawn states.
        cell: at most one state's words for each such box of the picture; None: all that fit.
    """
    order = numbers[np.argsort(-worth[numbers], kind="stable")]
    if cell is not None:
        spots = np.floor(at[order] / cell).astype(np.int64)
        _, first = np.unique(spots, axis=0, return_index=True)
        order = order[np.sort(first)]
    placed = []
    for number in order.tolist():
        text, width = measure(number)
        x, y, r = float(at[number, 0]), float(at[number, 1]), float(radius[number]) + 3
        half = width / 2
        tops: Sequence[Box] = (
            (x - half, y + r, x + half, y + r + height),
            (x - half, y - r - height, x + half, y - r),
            (x + r, y - height / 2, x + r + width, y + height / 2),
            (x - r - width, y - height / 2, x - r, y + height / 2),
        )
        for box in tops:
            if room.free(box):
                room.take(box)
                placed.append(Label(number, text, box))
                break
    return placed


def line_labels(
    ends: Points, order: Ints, measure: Measure, room: LabelSpace, *, height: float
) -> list[Label]:
    """Return the words on lines, as near to their middles as there is room.

    Args:
        ends: (b, 4) in pixels. order: numbers of the lines, the most important first.
    """
    placed = []
    for number in order.tolist():
        text, width = measure(number)
        x0, y0, x1, y1 = (float(part) for part in ends[number])
        if np.hypot(x1 - x0, y1 - y0) < 0.6 * width:
            continue
        for share in _ALONG:
            x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
            box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            if room.free(box):
                room.take(box)
                placed.append(Label(number, text, box))
                break
    return placed


def _cells(box: Box) -> list[tuple[int, int]]:
    left, top, right, bottom = (int(part // _CELL) for part in box)
    return [(column, row) for column in range(left, right + 1) for row in range(top, bottom + 1)]
