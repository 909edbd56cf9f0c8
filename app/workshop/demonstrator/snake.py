"""Snake: decides one cell ahead, so that the key comes between two ticks; the way keeps the tail in reach."""

from __future__ import annotations

from collections import deque

from workshop.demonstrator.hands import Press
from workshop.demonstrator.rules import Look

_SIDE = 16
_TICK_S = 14 / 60
_AFTER_TICK_S = 0.09
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_KEYS = {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}
Cell = tuple[int, int]


class Snake:
    """Plays Snake with four keys; remembers which way it has told the snake to go next."""

    def __init__(self) -> None:
        self._head: Cell | None = None
        self._next = ""

    def decide(self, look: Look) -> Press | None:
        """Decide, as the head enters a cell, the turn for the tick after the next tick."""
        board, facing = str(look.seen.get("board") or ""), str(look.seen.get("facing") or "")
        cells = {(x, y): sign for y, row in enumerate(board.split("/")) for x, sign in enumerate(row)}
        head = next((cell for cell, sign in cells.items() if sign == "H"), None)
        if head is None or facing not in _WAYS or head == self._head:
            return None
        self._head = head
        way = self._next if self._next and look.meant else facing
        there = _step(head, way)
        free = {cell for cell, sign in cells.items() if sign in ".FT"}
        if there not in free:
            return self._turn(look, way, _best(free, head, cells, way), 0.0)
        return self._turn(look, way, _best(free - {there}, there, cells, way), _TICK_S)

    def _turn(self, look: Look, way: str, wanted: str, after_s: float) -> Press | None:
        self._next = wanted or way
        if not wanted or wanted == way:
            return None
        return Press(key=_KEYS[wanted], at_s=look.now_s + after_s + _AFTER_TICK_S, hold_s=0.07)


def _step(cell: Cell, way: str) -> Cell:
    return cell[0] + _WAYS[way][0], cell[1] + _WAYS[way][1]


def _best(free: set[Cell], start: Cell, cells: dict[Cell, str], way: str) -> str:
    """Return the way to go from there: towards the fruit, where most of the board stays in reach."""
    fruit = next((cell for cell, sign in cells.items() if sign == "F"), None)
    far = _distances(free, fruit) if fruit is not None else {}
    room = {name: len(_distances(free, there)) for name in _WAYS if (there := _step(start, name)) in free}
    if not room:
        return ""
    enough = 0.9 * max(room.values())
    good = [name for name, cells_in_reach in room.items() if cells_in_reach >= enough]
    return min(good, key=lambda name: (far.get(_step(start, name), 999), name != way))


def _distances(free: set[Cell], start: Cell) -> dict[Cell, int]:
    """Steps to every cell that can be reached from there."""
    known, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for name in _WAYS:
            if (there := _step(here, name)) in free and there not in known:
                known[there] = known[here] + 1
                queue.append(there)
    return known
