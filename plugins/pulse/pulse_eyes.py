"""Reads the track from pixels alone: the cube, what comes next, and when a jump is due."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Colour = tuple[int, int, int]

_SIZE = (560, 360)
_GROUND, _X, _HALF, _SIDE = 290, 140, 14, 32
_PIT, _BLOCK, _TOP = (7, 6, 15), (52, 80, 216), (157, 180, 255)
_SPIKE, _BEAM, _PAD, _NOTE, _CUBE = (
    (255, 59, 107),
    (177, 92, 255),
    (255, 210, 63),
    (255, 240, 122),
    (57, 243, 196),
)
_HEARTS, _HEART = ((19, 534), (19, 508), (19, 482)), (239, 71, 111)
"""Row and column of each heart."""
_TOLERANCE = 16
_CELL, _SPIKE_HIGH, _SPIKE_EDGE, _BEAM_LOW = 40, 22, 5, 64
"""Spikes hit lower and narrower than they look: `_SPIKE_EDGE` less on each side."""
_PACE, _GRAVITY, _JUMP, _PAD_UP = 300.0, 4800.0, 960.0, 1300.0
_STEP_S, _STEPS = 1.1 / 60, 54
"""A step at a middling tempo, in seconds of the first tempo."""
_WAITS = np.append(np.arange(3, 36, 2), 1000)
"""Steps to wait before a jump; the last never jumps. The first three pass until a press reaches the game."""
_WAIT_MS = 33
_NEVER, _SOON, _SLACK = len(_WAITS) - 1, 36, 4
_NOTE_HIGH, _NOTE_AHEAD = 96, (58, 86)
"""A note is reached by a jump where its middle is so far ahead."""


@dataclass(frozen=True)
class Track:
    """Holds, for each column from the cube's middle on, the ground's height, spikes, beams and pads."""

    tops: Floats
    spikes: Flags
    beams: Flags
    pads: Flags


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the track's window; where the cube blinks, its height before is kept."""

    def __init__(self) -> None:
        self._height = 0.0

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        picture = np.ascontiguousarray(pixels[:, :, 2::-1])
        self._height = height = _height(picture, self._height)
        track = _track(picture)
        stands = height in (0.0, 40.0, 80.0)
        name, ahead = _next(picture, track, height)
        fields: dict[str, Value] = {
            "lives": sum(bool(_like(picture[place], _HEART)) for place in _HEARTS),
            "height": round(height),
            "stands": stands,
            "next": name,
            "ahead": ahead,
            "left_ms": None,
            "jump_now": False,
        }
        if not stands:
            return fields
        slack = _slack(track, height)
        if slack is not None:
            return fields | {"left_ms": slack * _WAIT_MS, "jump_now": slack <= _SLACK}
        note = _columns(picture, _GROUND - _NOTE_HIGH - 2, _NOTE)[slice(*_NOTE_AHEAD)].any()
        return fields | {"jump_now": bool(note) and _lasts(track, height)[0] > _SOON}


def _like(points: Pixels, colour: Colour) -> Flags:
    return np.asarray(np.abs(points.astype(int) - colour).max(-1) < _TOLERANCE, np.bool_)


def _columns(picture: Pixels, row: int, colour: Colour) -> Flags:
    """Return for each column from the cube's middle on whether a row has a colour there."""
    return _like(picture[row, _X:], colour)


def _height(picture: Pixels, before: float) -> float:
    """Return how high the cube's lower edge is, by the middle of its colour."""
    column = picture[44:_GROUND, _X - 22 : _X + 22]
    mask = _like(column, _CUBE)
    if np.count_nonzero(mask) < 60:
        return before
    rows = np.flatnonzero(mask.any(axis=1))
    height = _GROUND - (44 + (rows[0] + rows[-1] + 1) / 2) - _SIDE / 2
    return float(next((step for step in (0, 40, 80) if abs(height - step) < 2.5), max(0.0, height)))


def _track(picture: Pixels) -> Track:
    tops = np.where(_columns(picture, _GROUND + 12, _PIT), -1000.0, 0.0)
    for row, top in ((_GROUND - 20, _CELL), (_GROUND - 60, 2 * _CELL)):
        tops = np.where(_columns(picture, row, _BLOCK) | _columns(picture, row, _TOP), float(top), tops)
    spikes = _columns(picture, _GROUND - 4, _SPIKE)
    hits = np.asarray(
        cv2.erode(spikes[None].astype(np.uint8), np.ones((1, 2 * _SPIKE_EDGE + 1), np.uint8)), np.bool_
    )[0]
    beams = _columns(picture, _GROUND - _BEAM_LOW - 20, _BEAM)
    return Track(tops, hits, beams, _columns(picture, _GROUND - 4, _PAD))


def _next(picture: Pixels, track: Track, height: float) -> tuple[str | None, int | None]:
    """Return what comes next, and the way to it from the cube's front."""
    marks = {
        "spike": track.spikes,
        "pit": track.tops < 0,
        "block": track.tops > height + 8,
        "beam": track.beams,
        "pad": track.pads,
        "note": _columns(picture, _GROUND - _NOTE_HIGH - 2, _NOTE),
    }
    ways = [(int(np.argmax(mask[_HALF:])), name) for name, mask in marks.items() if mask[_HALF:].any()]
    return min(ways)[::-1] if ways else (None, None)


def _slack(track: Track, height: float) -> int | None:
    """Return how many waits a jump can still wait; none where no jump is due, or a later jump is better."""
    lasts = _lasts(track, height)
    if lasts[_NEVER] > _SOON or lasts[:_NEVER].max() > lasts[0]:
        return None
    late = np.flatnonzero(lasts[:_NEVER] < lasts[0])
    return int(late[0]) - 1 if len(late) else _NEVER


def _lasts(track: Track, height: float) -> NDArray[np.int_]:
    """Return for each wait how many steps the cube lasts when it jumps then."""
    at = np.full(len(_WAITS), height)
    rise = np.zeros(len(_WAITS))
    stands = np.ones(len(_WAITS), bool)
    lasts = np.full(len(_WAITS), 99)
    for step in range(_STEPS):
        jumps = stands & (step >= _WAITS) & (step < _WAITS + 2)
        rise = np.where(jumps, _JUMP, rise) - _GRAVITY * _STEP_S
        before, at = at, at + rise * _STEP_S
        middle = round(_PACE * _STEP_S * (step + 1))
        left, right = max(0, middle - _HALF), middle + _HALF
        tops = track.tops[left:right]
        fits = tops[None] <= before[:, None] + 8
        support = np.where(fits, tops[None], -1000.0).max(axis=1)
        stands = (rise <= 0) & (at <= support)
        at, rise = np.where(stands, support, at), np.where(stands, 0.0, rise)
        thrown = stands & bool(track.pads[max(0, middle - 4) : middle + 4].all())
        rise, stands = np.where(thrown, _PAD_UP, rise), stands & ~thrown
        hits = (at < -24) | (tops.max(initial=-1000.0) > at + 8)
        hits |= bool(track.spikes[left:right].any()) & (at < _SPIKE_HIGH)
        hits |= bool(track.beams[left + 2 : right - 2].any()) & (at + _SIDE > _BEAM_LOW)
        lasts = np.where(hits & (lasts == 99), step, lasts)
    return lasts
