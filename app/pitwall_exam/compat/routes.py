"""Shortest ways over the published map, and their words in answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import groupby

from pitwall_exam.compat.episode import WALKABLE, Tile

Grid = tuple[tuple[int, ...], ...]
"""Terrain ids, grid[y][x]."""

_TURNS: tuple[tuple[str, Tile], ...] = (
    ("up", (0, -1)),
    ("down", (0, 1)),
    ("left", (-1, 0)),
    ("right", (1, 0)),
)
"""The order in which neighbours are visited; it decides which of several equal ways is answered."""


def nearest_ways(grid: Grid, start: Tile, target: int) -> list[str] | None:
    """List the ways to every nearest tile of a terrain, one per tile, as sorted texts without duplicates.

    Returns:
        None if no such tile can be reached; ["0"] if the start is one.
    """
    came: dict[Tile, tuple[str, Tile]] = {}
    far = {start: 0}
    queue, targets, best = deque([start]), [], -1
    while queue:
        tile = queue.popleft()
        if 0 <= best < far[tile]:
            break
        if grid[tile[1]][tile[0]] == target:
            best = far[tile]
            targets.append(tile)
            continue
        for turn, neighbour in _around(grid, tile):
            if neighbour not in far and _open(grid, neighbour, target):
                far[neighbour] = far[tile] + 1
                came[neighbour] = (turn, tile)
                queue.append(neighbour)
    if not targets:
        return None
    return sorted({way_text(_turns(came, tile)) for tile in targets})


def distances(grid: Grid, target: int) -> dict[Tile, int]:
    """Return the steps from each tile to the nearest tile of a terrain, without tiles that cannot reach one.

    One search from all targets at once gives the same as `nearest_ways` from each tile.
    """
    queue = deque((x, y) for y, row in enumerate(grid) for x, number in enumerate(row) if number == target)
    far = dict.fromkeys(queue, 0)
    while queue:
        tile = queue.popleft()
        if not _open(grid, tile, target):
            continue  # one may set out from such a tile, yet no way leads over it
        for _, neighbour in _around(grid, tile):
            if neighbour not in far:
                far[neighbour] = far[tile] + 1
                queue.append(neighbour)
    return far


def way_text(turns: list[str]) -> str:
    """Format a way: "2 steps down, 1 step left and 3 steps down"; "0" for an empty way."""
    runs = [leg_text(len(list(same)), turn) for turn, same in groupby(turns)]
    return joined(runs)


def leg_text(steps: int, turn: str) -> str:
    """Format one straight piece of a way."""
    return f"{steps} step{'' if steps == 1 else 's'} {turn}"


def joined(pieces: list[str]) -> str:
    """Join pieces of a way, with "and" before the last; "0" if there are none."""
    if len(pieces) < 2:
        return pieces[0] if pieces else "0"
    return f"{', '.join(pieces[:-1])} and {pieces[-1]}"


def _around(grid: Grid, tile: Tile) -> Iterator[tuple[str, Tile]]:
    for turn, (dx, dy) in _TURNS:
        x, y = tile[0] + dx, tile[1] + dy
        if 0 <= y < len(grid) and 0 <= x < len(grid[y]):
            yield turn, (x, y)


def _open(grid: Grid, tile: Tile, target: int) -> bool:
    number = grid[tile[1]][tile[0]]
    return number in WALKABLE or number == target


def _turns(came: dict[Tile, tuple[str, Tile]], tile: Tile) -> list[str]:
    turns = []
    while tile in came:
        turn, tile = came[tile]
        turns.append(turn)
    return turns[::-1]
