"""Reads the cells, the counters and the face off the picture; page/paint.js has their places."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import cv2
import numpy as np

from pitwall.games.dot_numbers import BY_DOTS, Colour, Pixels, read_number

from .reasoning import SIDE, Thought, think

Value = bool | int | float | str | None

WIDTH, HEIGHT = 480, 560
_INK = (244, 241, 232)
_LEFT, _TOP, _CELL, _DOT = 20, 100, 44, 4
_OPEN, _HIT, _CLOSED = (232, 227, 214), (217, 58, 58), (93, 115, 137)
_FLAG, _MINE = (242, 84, 91), (34, 38, 44)
_WON, _LOST = (111, 207, 151), (224, 86, 91)
_NEAR = 30
"""Largest sum of the channels' differences between two equal colours."""
_CORNERS = np.array([(_TOP + r * _CELL, _LEFT + c * _CELL) for r in range(SIDE) for c in range(SIDE)])
_DOTS_AT = np.array([(10 + _DOT * row, 14 + _DOT * column) for row in range(7) for column in range(5)])
"""y and x, inside a cell, of the middle of each dot of its number."""


class Eyes:
    """Reads one frame after another; the reasoning about a board is done once."""

    def __init__(self) -> None:
        self._board = ""
        self._thought = Thought()

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if pixels.shape[:2] != (HEIGHT, WIDTH):
            pixels = np.asarray(cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
        face = pixels[48, 210]
        board = read_board(pixels)
        values: dict[str, Value] = {
            "won": _like(face, _WON),
            "lost": _like(face, _LOST),
            "mines_left": read_number(pixels, 136, 46, 3, _INK, most=3),
            "opened": read_number(pixels, 446, 46, 3, _INK, most=3),
            "board": None if board is None else "/".join(_rows(board)),
        }
        return {**values, **self._news(board or ""), **self._advice(board, values)}

    def _news(self, board: str) -> dict[str, Value]:
        """Return the changes since the frame before."""
        before, self._board = self._board, board
        pairs = list(zip(before, board, strict=False))
        return {
            "opened_now": sum(was in "#F" and now.isdigit() for was, now in pairs),
            "flagged_now": any(was != now and "F" in (was, now) for was, now in pairs),
            "flags": board.count("F"),
        }

    def _advice(self, board: str | None, values: Mapping[str, Value]) -> dict[str, Value]:
        left = values["mines_left"]
        if board is None or values["won"] or values["lost"] or not isinstance(left, int):
            return {}
        mines = left + board.count("F")
        if (board, mines) != self._thought.about:
            self._thought = think(board, mines)
        thought = self._thought
        return {
            "safe_move": _named("flag" if board[thought.safe] == "F" else "open", thought.safe)
            if thought.safe is not None
            else None,
            "mine_move": _named("flag", thought.mine) if thought.mine is not None else None,
            "guess_move": _named("open", thought.guess) if thought.guess is not None else None,
            "risk": round(100 * thought.risk),
        }


def read_board(pixels: Pixels) -> str | None:
    """Return a hundred signs, row by row: # closed, F flag, 0 … 8 open, * mine; None if a sign is unclear."""
    edge, flag, middle = (_at(pixels, _CORNERS + place) for place in ((22, 6), (16, 20), (26, 22)))
    hit, closed = _is(edge, _HIT), _is(edge, _CLOSED)
    known = _is(edge, _OPEN) | hit | closed
    dots = ~_is(_at(pixels, _CORNERS[:, None, :] + _DOTS_AT), _OPEN)
    return _signs(known.tobytes(), closed.tobytes(), _is(flag, _FLAG).tobytes(), _is(middle, _MINE).tobytes(),
                  dots.tobytes())  # fmt: skip


@lru_cache(maxsize=8)
def _signs(known: bytes, closed: bytes, flags: bytes, mines: bytes, dots: bytes) -> str | None:
    """Return the signs of all cells; None if one is unclear. `dots`: 35 for each cell."""
    signs = []
    for cell in range(SIDE * SIDE):
        if not known[cell]:
            return None
        seen = dots[cell * 35 : cell * 35 + 35]
        if closed[cell]:
            sign = "F" if flags[cell] else "#"
        elif not any(seen):
            sign = "0"
        else:
            sign = BY_DOTS.get(tuple(map(bool, seen)), "*" if mines[cell] else "")
        if not sign:
            return None
        signs.append(sign)
    return "".join(signs)


def _at(pixels: Pixels, places: np.ndarray) -> Pixels:
    return np.asarray(pixels[places[..., 0], places[..., 1], 2::-1])


def _is(colours: Pixels, colour: Colour) -> np.ndarray:
    """Return where red, green, blue are a colour."""
    return np.asarray(np.abs(colours.astype(np.int16) - np.array(colour, np.int16)).sum(axis=-1) <= _NEAR)


def _like(pixel: Pixels, colour: Colour) -> bool:
    return bool(_is(pixel[2::-1], colour))


def _rows(board: str) -> list[str]:
    return [board[start : start + SIDE] for start in range(0, SIDE * SIDE, SIDE)]


def _named(action: str, cell: int) -> str:
    return f"{action}(column={cell % SIDE}, row={cell // SIDE})"
