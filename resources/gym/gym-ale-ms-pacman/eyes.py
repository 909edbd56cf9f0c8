"""Ms. Pac-Man's state reader: from pixels alone, the maze, the ghosts, and the next turn to a pellet."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Patch, Pixels, among, native, patches, patches_of

_OWN = 0xD2A44A
_GHOSTS = (0x54B899, 0xB47A30, 0xC659B3, 0xC84848)
_MAZE_ROWS, _LIVES = 172, (172, 184)
_XS = np.array([8 + 8 * i for i in range(9)] + [84 + 8 * i for i in range(9)])
_YS = np.array([8 + 12 * i for i in range(14)])
"""Upper left corners of where a pellet can lie."""
_WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_FEAR, _FEAR_REACH, _PREY = 60.0, 6, 12.0
"""What a step beside a ghost costs in steps, how far that reaches, and what a frightened one is worth."""
_SHOWN_FRAMES = 4
"""The game draws its ghosts in turns."""
Node = tuple[int, int]


class Maze(NamedTuple):
    """Which nodes (row, column) are open, which hold a pellet, and where ways lead right and down."""

    open: np.ndarray
    pellets: np.ndarray
    right: np.ndarray
    down: np.ndarray


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (60, 185, 105, 200), 0xC3903D),
    )


class Eyes:
    """Reads Ms. Pac-Man's window; it remembers the ghosts of the last frames and the way it is on."""

    def __init__(self) -> None:
        self._seen: list[tuple[list[Node], list[Node]]] = []
        self._own: Node | None = None
        self._for: object = None
        self._move: str | None = None

    def read(self, pixels: Pixels) -> Mapping[str, float | str | None]:
        """The fields of a frame."""
        picture = native(pixels)
        maze = _maze(picture)
        own = next(iter(patches(picture, _OWN, box=(0, 0, 160, _MAZE_ROWS))), None)
        self._seen = [*self._seen[1 - _SHOWN_FRAMES :], (_ghosts(picture), _prey(picture))]
        told = {
            "pellets": float(maze.pellets.sum()),
            "lives": float(len(patches_of(picture[slice(*_LIVES), :80] != 0))),
        }
        if own is None:
            return told
        node = _node(own)
        ghosts = {one for seen, _ in self._seen for one in seen}
        prey = {one for _, seen in self._seen for one in seen}
        about = node, frozenset(ghosts), frozenset(prey), told["pellets"]
        if about != self._for:
            self._for = about
            self._move = _turn(maze, node, ghosts, prey)
        near = min((abs(row - node[0]) + abs(column - node[1]) for row, column in ghosts), default=None)
        return {**told, "own_x": own.x, "own_y": own.y, "ghost": near, "move": self._move}


def _maze(picture: Native) -> Maze:
    wall = picture[4, 1]
    rows, columns = _YS[:, None], _XS[None, :] + 1
    free = (picture[rows + 4, columns] != wall) | (picture[rows - 3, columns] != wall)
    pellets = free & (picture[rows, columns] == wall)
    between = (columns[:, :-1] + columns[:, 1:] + 2) // 2
    right = (picture[rows, between] != wall) & free[:, :-1] & free[:, 1:]
    down = (picture[rows[:-1] + 6, columns] != wall) & free[:-1] & free[1:]
    return Maze(free, pellets, right, down)


def _node(patch: Patch) -> Node:
    return int(np.abs(_YS - patch.y).argmin()), int(np.abs(_XS + 1.5 - patch.x).argmin())


def _ghosts(picture: Native) -> list[Node]:
    found = [one for colour in _GHOSTS for one in patches(picture, colour, box=(0, 0, 160, _MAZE_ROWS))]
    return [_node(one) for one in found if one.width >= 6 and one.height >= 8]


def _prey(picture: Native) -> list[Node]:
    """Return where frightened ghosts and fruit are: all else that is as large as a ghost."""
    part = picture[:_MAZE_ROWS]
    known = among(part, (_OWN, *_GHOSTS, int(picture[4, 1]), int(picture[10, 14]), 0))
    return [_node(one) for one in patches_of(~known) if 6 <= one.width <= 10 and 8 <= one.height <= 12]


def _around(maze: Maze, node: Node) -> list[tuple[str, Node]]:
    row, column = node
    found = []
    if row > 0 and maze.down[row - 1, column]:
        found.append(("up", (row - 1, column)))
    if row < len(_YS) - 1 and maze.down[row, column]:
        found.append(("down", (row + 1, column)))
    if column > 0 and maze.right[row, column - 1]:
        found.append(("left", (row, column - 1)))
    if column < len(_XS) - 1 and maze.right[row, column]:
        found.append(("right", (row, column + 1)))
    return found


def _fear(maze: Maze, ghosts: set[Node]) -> dict[Node, float]:
    """Return what a step onto each node near a ghost costs more."""
    fear: dict[Node, float] = {}
    for ghost in ghosts:
        level, done = [ghost], {ghost}
        for far in range(_FEAR_REACH):
            for node in level:
                fear[node] = max(fear.get(node, 0.0), _FEAR * 0.55**far)
            level = [after for node in level for _, after in _around(maze, node) if after not in done]
            done.update(level)
    return fear


def _turn(maze: Maze, own: Node, ghosts: set[Node], prey: set[Node]) -> str | None:
    """Return the first turn of the cheapest way to a pellet or to prey, steps beside ghosts costing more."""
    fear = _fear(maze, ghosts)
    queue: list[tuple[float, Node, str]] = [(0.0, own, "")]
    done: set[Node] = set()
    best: tuple[float, str] | None = None
    while queue:
        cost, node, first = heappop(queue)
        if node in done:
            continue
        done.add(node)
        if best is not None and cost - _PREY >= best[0]:
            break
        if first and (maze.pellets[node] or node in prey):
            worth = cost - (_PREY if node in prey else 0.0)
            if best is None or worth < best[0]:
                best = worth, first
        for move, after in _around(maze, node):
            if after not in done:
                heappush(queue, (cost + 1 + fear.get(after, 0.0), after, first or move))
    return best[1] if best else None
