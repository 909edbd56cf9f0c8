"""Reads the board, the numbers and the arrows off the picture; page/paint.js has their places."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from pitwall.games.dot_numbers import Colour, Pixels, read_number

from .search import DIRECTIONS, Board, best_move, slid

Value = bool | int | float | str | None

WIDTH, HEIGHT = 480, 640
_INK = (244, 241, 232)
_EMPTY = (43, 52, 66)
_TILES: dict[Colour, int] = {
    _EMPTY: 0, (58, 86, 128): 2, (63, 127, 159): 4, (63, 166, 160): 8, (82, 185, 124): 16, (156, 196, 79): 32,
    (226, 198, 63): 64, (240, 160, 51): 128, (238, 116, 54): 256, (221, 74, 79): 512, (207, 67, 144): 1024,
    (164, 75, 214): 2048, (116, 104, 245): 4096, (223, 230, 242): 8192, (181, 154, 106): 16384,
    (125, 135, 148): 32768, (16, 16, 16): 65536,
}  # fmt: skip
_COLOURS = np.array(list(_TILES), np.int16)
_VALUES = np.array(list(_TILES.values()), np.int64)
_NEAR = 24
"""Largest sum of the channels' differences at which a colour is a tile's."""
_LEFT, _TOP, _PITCH = 32, 104, 107
_CORNERS = ((14, 14), (80, 14), (14, 80), (80, 80))
"""Places in a cell that no label covers."""
_PLACES = np.array(
    [
        [[(_TOP + r * _PITCH + y, _LEFT + c * _PITCH + x) for x, y in _CORNERS] for c in range(4)]
        for r in range(4)
    ]
)
_BOARD, _BOARD_AT, _SAME = (31, 38, 48), (98, 240), 9
"""The board's own colour, which is lighter while tiles move."""
_PADS = {"left": 0, "up": 1, "down": 2, "right": 3}
_PAD_Y, _PAD_INSET = 556, 12
_MOVED, _REFUSED = (111, 207, 151), (224, 86, 91)
_PANEL = (244, 234, 210)
_PANEL_AT = ((250, 76), (250, 404), (376, 76), (376, 404))


class Eyes:
    """Reads one frame after another; the move for a board is kept while the board stays the same."""

    def __init__(self) -> None:
        self._board: Board | None = None
        self._values: dict[str, Value] = {}

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame; those of the board are none while tiles slide, and at the end."""
        if pixels.shape[:2] != (HEIGHT, WIDTH):
            pixels = np.asarray(cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
        values: dict[str, Value] = {
            "over": all(_like(pixels[y, x], _PANEL) for y, x in _PANEL_AT),
            "score": read_number(pixels, 446, 46, 3, _INK),
            "moves": read_number(pixels, 292, 46, 3, _INK, most=4),
            "moved": _lit(pixels, _MOVED),
            "blocked": _lit(pixels, _REFUSED),
        }
        board = None if values["over"] else read_board(pixels)
        return {**values, **self._of(board)} if board is not None else values

    def _of(self, board: Board) -> dict[str, Value]:
        if board != self._board:
            self._board, self._values = board, _board_values(board)
        return self._values


def _board_values(board: Board) -> dict[str, Value]:
    legal = [direction for direction in DIRECTIONS if slid(board, direction) != board]
    best = best_move(board)
    return {
        "board": "/".join(" ".join(str(value) for value in row) for row in board),
        "empty": sum(row.count(0) for row in board),
        "largest": max(map(max, board)),
        "legal_moves": " ".join(legal) or None,
        "best_move": f"move_{best}" if best else None,
    }


def read_board(pixels: Pixels) -> Board | None:
    """Return the tiles row by row, 0 for an empty cell; None while a tile is moving."""
    if not _like(pixels[_BOARD_AT], _BOARD, _SAME):
        return None
    seen = pixels[_PLACES[..., 0], _PLACES[..., 1], 2::-1].astype(np.int16)
    away = np.abs(seen[..., None, :] - _COLOURS).sum(axis=-1)
    values = _VALUES[away.argmin(axis=-1)]
    if (away.min(axis=-1) > _NEAR).any() or (values != values[..., :1]).any():
        return None
    return tuple(tuple(int(value) for value in row) for row in values[..., 0])


def _lit(pixels: Pixels, colour: Colour) -> str | None:
    """Return the arrow that has a colour."""
    for direction, place in _PADS.items():
        if _like(pixels[_PAD_Y, _LEFT + place * _PITCH + _PAD_INSET], colour):
            return direction
    return None


def _like(pixel: Pixels, colour: Colour, near: int = _NEAR) -> bool:
    return int(np.abs(pixel[2::-1].astype(np.int16) - np.array(colour, np.int16)).sum()) <= near
