"""Chooses the place of a block by trying every rotation and column.

The resulting stack is judged by six features, with the weights of Dellacherie's hand-tuned
player in the form that Thiery and Scherrer published (2009). A row is a number whose bit x is column x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .shapes import COLUMNS, DISTINCT, HOME, ROWS, Cells, left_in_square

Rows = tuple[int, ...]

_FULL = (1 << COLUMNS) - 1


@dataclass(frozen=True, slots=True)
class Place:
    """A rotation and the column of its leftmost cell."""

    rotation: int
    column: int


def best_place(rows: Rows, kind: str) -> Place | None:
    """Return the best place for a block; None where it fits nowhere."""
    best = max(_tries(rows, kind), key=lambda tried: tried[0], default=None)
    return best[1] if best is not None else None


def way_to(place: Place, kind: str, rotation: int, column: int) -> list[str]:
    """Return the actions to a block's place: turns, then steps aside; "drop" only over its place."""
    quarters = (place.rotation - rotation) % 4
    turns = ["rotate_back"] if quarters == 3 else ["rotate"] * quarters
    column += left_in_square(kind, place.rotation) - left_in_square(kind, rotation)
    aside = place.column - column
    steps = ["left" if aside < 0 else "right"] * abs(aside)
    return [*turns, *steps] or ["drop"]


def holes(rows: Rows) -> int:
    """Return the free cells with something above them."""
    covered, count = 0, 0
    for row in rows:
        count += (covered & ~row).bit_count()
        covered |= row
    return count


def _tries(rows: Rows, kind: str) -> Iterator[tuple[float, Place]]:
    for rotation in DISTINCT[kind]:
        cells = HOME[kind][rotation]
        width = 1 + max(x for x, _ in cells)
        for column in range(COLUMNS - width + 1):
            worth = _dropped(rows, cells, column)
            if worth is not None:
                yield worth, Place(rotation, column)


def _dropped(rows: Rows, cells: Cells, column: int) -> float | None:
    """Return the worth of a drop; None where the block has no room at the top."""
    masks = [0] * (1 + max(y for _, y in cells))
    for x, y in cells:
        masks[y] |= 1 << (x + column)
    tall = len(masks)
    first = next((y for y, row in enumerate(rows) if row), ROWS)
    if any(rows[y] & mask for y, mask in enumerate(masks)):
        return None
    top = max(0, first - tall)
    while top + tall < ROWS and not any(rows[top + 1 + y] & mask for y, mask in enumerate(masks)):
        top += 1
    after = list(rows)
    eroded = 0
    for y, mask in enumerate(masks):
        after[top + y] |= mask
        if after[top + y] == _FULL:
            eroded += mask.bit_count()
    kept = [row for row in after if row != _FULL]
    filled = ROWS - len(kept)
    left = (*(0,) * filled, *kept)
    height = ROWS - top - (tall - 1) / 2
    return _worth(left) - 4.5 * height + 3.42 * filled * eroded / 4


def _worth(rows: Rows) -> float:
    sides, upright, hollow, wells = 0, 0, 0, 0
    covered, above = 0, 0
    shafts: list[int] = []
    for row in rows:
        if not row and not above:
            continue
        sides += _SIDES[row] if row else 0
        upright += (row ^ above).bit_count()
        hollow += (covered & ~row).bit_count()
        covered |= row
        above = row
        shaft = _SHAFTS[row] & ~covered
        shafts = (
            [shaft, *(open_shaft & shaft for open_shaft in shafts if open_shaft & shaft)] if shaft else []
        )
        wells += sum(map(int.bit_count, shafts))
    upright += (above ^ _FULL).bit_count()
    return -3.22 * sides - 9.35 * upright - 7.9 * hollow - 3.39 * wells


def _walled(row: int) -> int:
    """Return a row between the well's walls."""
    return (row << 1) | 1 | (1 << (COLUMNS + 1))


_SIDES = [((_walled(row) ^ (_walled(row) >> 1)) & (2 * _FULL + 1)).bit_count() for row in range(_FULL + 1)]
"""Number of changes in a row between free and taken from left to right, with walls as taken."""
_SHAFTS = [_walled(row) & (_walled(row) >> 2) & ~row & _FULL for row in range(_FULL + 1)]
"""Free cells of a row that are taken on both sides. Downwards, a shaft of depth n counts 1 + … + n."""
