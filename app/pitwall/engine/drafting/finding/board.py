"""Finds a board: cells of one size in rows and columns at equal distances."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.finding.played_minute import PlayedMinute, rect_box
from pitwall.engine.drafting.finding.proposal import Proposal
from pitwall.games.schema.fields import ChangeField

_STILLS = 6
_COLOURS = 14
_LEAST_SIDE = 12
_MOST_SIDE = 0.34
"""Share of the screen's shorter side."""
_LEAST_CELLS = 6
_LEAST_FILLED = 0.6
_SAME = 0.12
"""Greatest relative difference of cells' sides and distances."""


def find_board(minute: PlayedMinute) -> Iterator[list[Proposal] | None]:
    """Find the board with most cells; yield None at each turn, then a list of one or none."""
    cells: list[Rect] = []
    stills = {round(at) for at in np.linspace(0, len(minute) - 1, _STILLS)} if len(minute) else set[int]()
    for at in sorted(stills):
        cells += _squares(minute.frame(at))
        yield None
    yield [board for board in [_lattice(minute, cells)] if board is not None]


def _squares(pixels: Pixels) -> list[Rect]:
    """Return filled patches of one colour, about as wide as high."""
    height, width = pixels.shape[:2]
    coarse = (pixels >> 4).astype(np.int32)
    keys = (coarse[..., 0] << 8) | (coarse[..., 1] << 4) | coarse[..., 2]
    values, counts = np.unique(keys, return_counts=True)
    squares = []
    for key in values[np.argsort(-counts)[:_COLOURS]]:
        filled = (keys == key).astype(np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(filled, connectivity=4)
        for x, y, w, h, area in stats[1:count].tolist():
            fits = min(w, h) >= _LEAST_SIDE and max(w, h) <= _MOST_SIDE * min(width, height)
            if fits and 0.6 <= w / h <= 1.7 and area >= 0.5 * w * h:
                squares.append(Rect(x, y, w, h))
    return squares


def _lattice(minute: PlayedMinute, cells: list[Rect]) -> Proposal | None:
    best: Proposal | None = None
    for side in sorted({(cell.width, cell.height) for cell in cells}, key=lambda s: -s[0] * s[1])[:60]:
        like = [
            cell
            for cell in cells
            if abs(cell.width - side[0]) <= max(2, _SAME * side[0])
            and abs(cell.height - side[1]) <= max(2, _SAME * side[1])
        ]
        if len(like) < _LEAST_CELLS:
            continue
        columns, rows = _even([cell.x for cell in like], side[0]), _even([cell.y for cell in like], side[1])
        if columns is None or rows is None or len(columns) < 2 or len(rows) < 2:
            continue
        slack = 0.15 * min(side)
        placed = {
            (c, r)
            for cell in like
            for c, x in enumerate(columns)
            for r, y in enumerate(rows)
            if abs(cell.x - x) <= slack and abs(cell.y - y) <= slack
        }
        of = len(columns) * len(rows)
        filled = len(placed) / of
        if (
            filled < _LEAST_FILLED
            or len(placed) < _LEAST_CELLS
            or (best and best.cells and of <= np.prod(best.cells))
        ):
            continue
        rect = minute.clipped(columns[0], rows[0], columns[-1] + side[0], rows[-1] + side[1])
        best = Proposal(
            role="board",
            name="board",
            box=rect_box(rect),
            confidence=min(0.95, filled * (0.7 + 0.02 * min(12, len(placed)))),
            why=f"{len(columns)} × {len(rows)} cells of {side[0]} × {side[1]} px at equal distances, "
            f"{len(placed)} of {of} seen as one colour.",
            field=ChangeField(
                kind="change",
                name="board",
                unit="%",
                box=rect_box(rect),
                description=f"Change of the board of {len(columns)} × {len(rows)} cells.",
            ),
            pictures={},
            cells=(len(columns), len(rows)),
        )
    return best


def _even(edges: list[int], side: int) -> list[float] | None:
    """Return the places of cells' edges if their distances are equal; else None."""
    groups: list[list[int]] = []
    for edge in sorted(edges):
        if groups and edge - groups[-1][-1] <= max(2, 0.12 * side):
            groups[-1].append(edge)
        else:
            groups.append([edge])
    places = [float(np.median(group)) for group in groups]
    if len(places) < 2:
        return None
    steps = np.diff(places)
    step = float(np.median(steps))
    if step < side or step > 1.6 * side:
        return None
    ratio = steps / step
    if np.abs(ratio - np.round(ratio)).max() > 0.15 or np.round(ratio).max() > 3:
        return None
    count = round((places[-1] - places[0]) / step) + 1
    return [places[0] + step * at for at in range(count)]
