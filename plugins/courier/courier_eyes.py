"""Reads the flight from pixels alone: the courier, what is in its way, whether to burn now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

_SIZE = (560, 400)
_ROOF, _STREET, _X, _HALF = 60, 372, 120, 15
_SUIT, _STREAK = (63, 224, 197), (168, 255, 240)
_ROD, _BALL, _ROCKET, _COIN = (255, 79, 216), (201, 182, 255), (255, 90, 42), (255, 216, 74)
_SPEED = ((21, 360, 460), (255, 177, 74), 440.0)
"""Row, left and right of the speed's bar, its colour, the speed of a full bar."""
_HEARTS, _HEART = ((19, 534), (19, 508), (19, 482)), (239, 71, 111)
"""Row and column of each heart."""
_TOLERANCE = 14
_STREAK_X, _STREAK_S = 89, 1 / 16
_SUIT_TOP, _SUIT_LEAST = 6, 60
"""From the suit's top to the courier's middle; pixels of a suit that is seen whole."""
_SIGN_X = 526
_LIFT, _PULL, _FASTEST, _ROCKET_FASTER = 1500.0, 1200.0, 400.0, 300.0
_PIECE_S, _PIECES, _BIT = 4 / 60, 12, 2
"""A way is looked at in pieces of this time; burning changes after so many of them."""
_PRESS_S = 0.05
"""Time from a frame until its press reaches the game."""
_PLANS = np.array([[number >> bit & 1 for bit in range(_PIECES // _BIT)] for number in range(64)], bool)
"""Every order of burning and falling."""


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the flight's window, each frame on its own; the courier's place is kept while it blinks."""

    def __init__(self) -> None:
        self._y: float | None = None

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        picture = np.ascontiguousarray(pixels[:, :, 2::-1])
        y, fall, speed = _height(picture, self._y), _fall(picture), _speed(picture)
        self._y = y
        if y is None or not speed:
            return {}
        rods = _mask(picture, _ROD) | _mask(picture, _BALL)
        rockets = _mask(picture, _ROCKET)
        rocket, sign = _rocket(rockets)
        reach = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _HALF + 5, 2 * _HALF + 5))
        blocked = np.asarray(cv2.dilate(rods, reach), np.bool_)
        costs, hits = _costs(y, fall, speed, blocked, rocket, sign, _mask(picture, _COIN))
        best = int(np.argmin(costs))
        columns = np.flatnonzero(rods[:, _X:].any(axis=0))
        return {
            "lives": sum(bool(_like(picture[place], _HEART)) for place in _HEARTS),
            "y": round(y),
            "fall_speed": round(fall),
            "speed": round(speed),
            "rocket": "flying" if rocket is not None else "warned" if sign is not None else "none",
            "ahead": int(columns[0]) if len(columns) else None,
            "free": not hits[_PLANS[:, 0]].all(),
            "burn": bool(_PLANS[best, 0]),
        }


def _like(points: Pixels, colour: tuple[int, int, int]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(points.astype(int) - colour).max(-1) < _TOLERANCE, np.bool_)


def _mask(picture: Pixels, colour: tuple[int, int, int]) -> Pixels:
    """Return 255 where the sky holds a colour: neither bar, roof nor street."""
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    mask = np.asarray(cv2.inRange(picture, low.clip(0, 255), high.clip(0, 255)), np.uint8)
    mask[: _ROOF - 4], mask[_STREET:] = 0, 0
    return mask


def _height(picture: Pixels, before: float | None) -> float | None:
    """Return the courier's middle; where it blinks, the place before."""
    suit = _mask(picture, _SUIT)[:, _X - 16 : _X + 20]
    rows = np.flatnonzero(suit.any(axis=1))
    if np.count_nonzero(suit) < _SUIT_LEAST:
        return before
    return float(np.clip(rows[0] + _SUIT_TOP, _ROOF + _HALF, _STREET - _HALF))


def _fall(picture: Pixels) -> float:
    """Return pixels a second downwards: the streak stands above a courier that falls, else below."""
    rows = np.flatnonzero(_like(picture[_ROOF:_STREET, _STREAK_X], _STREAK))
    suit = np.flatnonzero(_mask(picture, _SUIT)[:, _X - 16 : _X + 20].any(axis=1))
    if not len(rows):
        return 0.0
    middle = suit.mean() if len(suit) else _SIZE[1]
    return float(len(rows) if rows.mean() + _ROOF < middle else -len(rows)) / _STREAK_S


def _speed(picture: Pixels) -> float:
    (row, left, right), colour, full = _SPEED
    return full * int(np.count_nonzero(_like(picture[row, left:right], colour))) / (right - left)


def _rocket(mask: Pixels) -> tuple[tuple[float, float] | None, float | None]:
    """Return the middle of a rocket that flies, and the height of a sign that warns of a rocket."""
    count, _, stats, middles = cv2.connectedComponentsWithStats(mask)
    rocket, sign = None, None
    for number in range(1, count):
        left, _, width, _, area = (int(value) for value in stats[number])
        if area < 60:
            continue
        if left >= _SIGN_X - 1 and width > 20:
            sign = float(middles[number][1])
        elif left > _X - 60 and width > 20:
            rocket = (float(middles[number][0]), float(middles[number][1]))
    return rocket, sign


def _costs(
    y: float,
    fall: float,
    speed: float,
    blocked: NDArray[np.bool_],
    rocket: tuple[float, float] | None,
    sign: float | None,
    coins: Pixels,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the cost of each order of burning and falling, and whether it ends at a rod or a rocket."""
    at = np.full(len(_PLANS), y + fall * _PRESS_S)
    falls = np.full(len(_PLANS), fall)
    costs, hits = np.zeros(len(_PLANS)), np.zeros(len(_PLANS), bool)
    near = np.asarray(cv2.dilate(coins, np.ones((25, 9), np.uint8)), np.bool_)
    for piece in range(_PIECES):
        burn = _PLANS[:, piece // _BIT]
        falls = np.clip(falls + np.where(burn, -_LIFT, _PULL) * _PIECE_S, -_FASTEST, _FASTEST)
        at = at + falls * _PIECE_S
        falls = np.where((at < _ROOF + _HALF) | (at > _STREET - _HALF), 0.0, falls)
        at = np.clip(at, _ROOF + _HALF, _STREET - _HALF)
        flown_s = _PRESS_S + (piece + 1) * _PIECE_S
        x = round(_X + speed * flown_s)
        rows = np.rint(at).astype(int)
        hit = blocked[rows, x]
        if rocket is not None:
            left = rocket[0] - (speed + _ROCKET_FASTER) * flown_s - _X
            hit = hit | ((abs(left) < 48) & (np.abs(at - rocket[1]) < 29))
        hits |= hit
        costs += np.where(hit, 400.0 - 12 * piece, 0.0) - np.where(near[rows, x], 2.5 - 0.1 * piece, 0.0)
        if sign is not None:
            costs += np.where(np.abs(at - sign) < 40, 2.0, 0.0)
    return costs + 0.03 * np.abs(at - (_ROOF + _STREET) / 2), hits
