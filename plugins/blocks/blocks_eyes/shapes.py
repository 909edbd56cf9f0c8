"""The seven blocks in their four rotations, as the page turns them (page/rules.js)."""

from __future__ import annotations

COLUMNS, ROWS = 10, 20

Cell = tuple[int, int]
"""Column and row."""
Cells = frozenset[Cell]

_FIRST = {
    "I": ("....", "####", "....", "...."), "O": ("##", "##"), "T": (".#.", "###", "..."),
    "S": (".##", "##.", "..."), "Z": ("##.", ".##", "..."), "J": ("#..", "###", "..."),
    "L": ("..#", "###", "..."),
}  # fmt: skip


def _rotations(shape: tuple[str, ...]) -> tuple[Cells, ...]:
    rotations = []
    for _ in range(4):
        cells = ((x, y) for y, row in enumerate(shape) for x, sign in enumerate(row) if sign == "#")
        rotations.append(frozenset(cells))
        shape = tuple("".join(column)[::-1] for column in zip(*shape, strict=True))
    return tuple(rotations)


def moved_home(cells: Cells) -> Cells:
    """Return the same shape, moved so that its leftmost column and topmost row are 0."""
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - top) for x, y in cells)


IN_SQUARE: dict[str, tuple[Cells, ...]] = {kind: _rotations(shape) for kind, shape in _FIRST.items()}
"""Cells of each rotation (quarter turns clockwise) inside the block's own square."""
HOME: dict[str, tuple[Cells, ...]] = {
    kind: tuple(moved_home(cells) for cells in rotations) for kind, rotations in IN_SQUARE.items()
}
DISTINCT: dict[str, tuple[int, ...]] = {
    kind: tuple(i for i, cells in enumerate(rotations) if cells not in rotations[:i])
    for kind, rotations in HOME.items()
}
"""Rotations that look different."""


def left_in_square(kind: str, rotation: int) -> int:
    """Return the leftmost column of a rotation inside the block's square."""
    return min(x for x, _ in IN_SQUARE[kind][rotation])
