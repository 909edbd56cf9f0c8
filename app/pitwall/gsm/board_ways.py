"""Reads a board of cells as whoever stands in it acts on it: whither each of the four ways leads."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_DETOUR = 2.0
"""Cells more than the shortest way that halve how near a sign counts."""
Cell = tuple[int, int]
"""Column, row."""


def rows_of(text: object) -> list[str]:
    """Part a board's text into its rows, as long as each other; empty where it is no board."""
    rows = text.replace("\n", "/").strip("/").split("/") if isinstance(text, str) else []
    return rows if len(rows) > 1 and len(rows[0]) > 1 and len({*map(len, rows)}) == 1 else []


def sign_at(rows: Sequence[str], cell: Cell) -> str:
    """Return what stands in a cell; empty outside the board."""
    x, y = cell
    return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[y]) else ""


def names_of(goals: Sequence[str]) -> list[str]:
    """Name the numbers that `numbers_of` gives."""
    return [f"{way}:{what}" for way in WAYS for what in ("free", "room", *goals)]


def numbers_of(rows: Sequence[str], at: Cell, entered: str, goals: Sequence[str]) -> list[float]:
    """Say of each way out of a cell whether it is free, how much of the board it leaves in reach, and how
    near it leads to each goal; each as a share of the best way's.

    Args:
        entered: signs of the cells that can be entered.
    """
    free = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row) if sign in entered}
    free.pop(at, None)
    reach = {way: _distances(free, (at[0] + dx, at[1] + dy)) for way, (dx, dy) in WAYS.items()}
    most = max(map(len, reach.values())) or 1
    far = {way: _nearest(free, cells, goals) for way, cells in reach.items()}
    least = {goal: min((one[goal] for one in far.values() if goal in one), default=0) for goal in goals}
    numbers: list[float] = []
    for way, cells in reach.items():
        numbers += float(bool(cells)), len(cells) / most
        numbers += [1 / (1 + (far[way][g] - least[g]) / _DETOUR) if g in far[way] else 0.0 for g in goals]
    return numbers


def _distances(free: Mapping[Cell, str], start: Cell) -> dict[Cell, int]:
    """Count the steps to every cell that can be reached from there, the nearest first."""
    known = {start: 0} if start in free else {}
    queue = deque(known)
    while queue:
        x, y = here = queue.popleft()
        for there in ((x + dx, y + dy) for dx, dy in WAYS.values()):
            if there in free and there not in known:
                known[there] = known[here] + 1
                queue.append(there)
    return known


def _nearest(free: Mapping[Cell, str], cells: Mapping[Cell, int], goals: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for cell, steps in cells.items():
        if free[cell] in goals:
            found.setdefault(free[cell], steps)
    return found
