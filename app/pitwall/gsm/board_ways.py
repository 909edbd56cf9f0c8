"""Describes a board of cells for a player who stands on it: where each of the four directions leads."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_DETOUR = 2.0
"""Detour, in cells beyond the shortest way, that halves the nearness of a sign."""
Cell = tuple[int, int]
"""Column, row."""


def rows_of(text: object) -> list[str]:
    """Split a board's text into rows of equal length; empty where it is no board."""
    rows = text.replace("\n", "/").strip("/").split("/") if isinstance(text, str) else []
    return rows if len(rows) > 1 and len(rows[0]) > 1 and len({*map(len, rows)}) == 1 else []


def sign_at(rows: Sequence[str], cell: Cell) -> str:
    """Return the sign in a cell; empty outside the board."""
    x, y = cell
    return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[y]) else ""


def names_of(goals: Sequence[str]) -> list[str]:
    """Return the names of the numbers that `numbers_of` returns."""
    return [f"{way}:{entry}" for way in WAYS for entry in ("free", "room", *goals)]


def numbers_of(rows: Sequence[str], at: Cell, entered: str, goals: Sequence[str]) -> list[float]:
    """Return for each direction whether it is free, and its reach and nearness to each goal.

    Reach is the part of the board that stays reachable; both are relative to the best direction.

    Args:
        entered: signs of the cells that can be entered.
    """
    free = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row) if sign in entered}
    free.pop(at, None)
    reach = {way: _distances(free, (at[0] + dx, at[1] + dy)) for way, (dx, dy) in WAYS.items()}
    most = max(map(len, reach.values())) or 1
    far = {way: _nearest(free, cells, goals) for way, cells in reach.items()}
    least = {goal: min((steps[goal] for steps in far.values() if goal in steps), default=0) for goal in goals}
    numbers: list[float] = []
    for way, cells in reach.items():
        numbers += float(bool(cells)), len(cells) / most
        numbers += [1 / (1 + (far[way][g] - least[g]) / _DETOUR) if g in far[way] else 0.0 for g in goals]
    return numbers


def _distances(free: Mapping[Cell, str], start: Cell) -> dict[Cell, int]:
    """Return the steps to every cell that can be reached from a cell, nearest first."""
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
    nearest: dict[str, int] = {}
    for cell, steps in cells.items():
        if free[cell] in goals:
            nearest.setdefault(free[cell], steps)
    return nearest
