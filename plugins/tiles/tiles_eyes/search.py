"""Finds the best move of a board by looking two moves ahead over the random tiles (expectimax).

A board is worth the sum of its rows' and columns' worths; both are cached, so that a
search over some hundred boards takes a few milliseconds.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import log2

Row = tuple[int, ...]
Board = tuple[Row, ...]

DIRECTIONS = ("left", "up", "down", "right")
_MOST_FREE = 5
"""Free cells tried for each move; on an emptier board chance matters less."""
_LOST = -1e6
_EMPTY_WORTH, _JOIN_WORTH, _DISORDER, _HEAVY = 270.0, 700.0, 47.0, 11.0


def best_move(board: Board) -> str | None:
    """Return the direction that is worth most; None where nothing can move."""
    worths = {
        direction: _after_chance(moved)
        for direction in DIRECTIONS
        if (moved := slid(board, direction)) != board
    }
    return max(worths, key=lambda direction: worths[direction]) if worths else None


def slid(board: Board, direction: str) -> Board:
    """Return the board after a push, before a tile is added."""
    if direction in ("up", "down"):
        turned = tuple(zip(*board, strict=True))
        return tuple(zip(*slid(turned, "left" if direction == "up" else "right"), strict=True))
    if direction == "left":
        return tuple(_pushed(row) for row in board)
    return tuple(_pushed(row[::-1])[::-1] for row in board)


@lru_cache(maxsize=65536)
def _pushed(row: Row) -> Row:
    tiles = [value for value in row if value]
    joined = []
    while tiles:
        value = tiles.pop(0)
        if tiles and tiles[0] == value:
            value += tiles.pop(0)
        joined.append(value)
    return (*joined, *(0,) * (len(row) - len(joined)))


def _after_chance(board: Board) -> float:
    """Return the average worth of a board, after a tile was added and the best reply made."""
    free = [(y, x) for y, row in enumerate(board) for x, value in enumerate(row) if not value]
    tried = free if len(free) <= _MOST_FREE else free[:: len(free) // _MOST_FREE + 1]
    total = 0.0
    for y, x in tried:
        for value, chance in ((2, 0.9), (4, 0.1)):
            row = (*board[y][:x], value, *board[y][x + 1 :])
            total += chance * _best_reply((*board[:y], row, *board[y + 1 :]))
    return total / len(tried)


def _best_reply(board: Board) -> float:
    worths = [_worth(moved) for way in DIRECTIONS if (moved := slid(board, way)) != board]
    return max(worths, default=_LOST)


def _worth(board: Board) -> float:
    return sum(map(_line_worth, board)) + sum(map(_line_worth, zip(*board, strict=True)))


@lru_cache(maxsize=131072)
def _line_worth(line: Row) -> float:
    """Return the worth of a line: free cells and equal neighbours add, disorder and small tiles subtract."""
    powers = [log2(value) if value else 0.0 for value in line]
    pairs = list(pairwise(powers))
    joins = sum(1 for a, b in pairs if a and a == b)
    falling = sum(a**4 - b**4 for a, b in pairs if a > b)
    rising = sum(b**4 - a**4 for a, b in pairs if b > a)
    heavy = sum(float(power**3.5) for power in powers)
    return (
        _EMPTY_WORTH * line.count(0) + _JOIN_WORTH * joins - _DISORDER * min(falling, rising) - _HEAVY * heavy
    )
