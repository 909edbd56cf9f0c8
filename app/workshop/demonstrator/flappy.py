"""Flappy: tries with the game's own arithmetic how low the bird may sink before each beat."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from workshop.demonstrator.hands import Press
from workshop.demonstrator.rules import Look

_FRAME_S = 1 / 30
_FLAP, _FASTEST, _SCROLL = -9.0, 10.0, 4.0
_GAP, _WIDE, _EVERY, _BIRD_HIGH = 100.0, 56.0, 144.0, 24.0
_LEFT, _RIGHT, _GROUND = 57.0, 91.0, 404.0
_NO_PIPE_Y = 270.0
_LINES = np.array((10.0, 14.0, 18.0, 22.0, 27.0, 34.0, 44.0, 58.0))
"""Heights above the lower pipe that are tried."""
_TRIES, _AHEAD = 12, 50
_LEAST_PX = 3.0
_OFF, _OFF_SHARE = (0, 1, 2), (0.2, 0.6, 0.2)
"""A beat comes a frame too soon, in time, or a frame late."""
_BETWEEN = 4
"""Frames from one beat to the next."""
Numbers = NDArray[np.float64]
Gaps = list[tuple[float, float]]
"""Right edge and lower edge of each, in pixels."""


class Flappy:
    """Plays Flappy with one key."""

    def __init__(self) -> None:
        self._chance = np.random.default_rng(0)

    def decide(self, look: Look) -> Press | None:
        """Beat the wings a little from now, where the line that ends at a pipe last asks for it."""
        low, speed = look.number("low"), look.number("speed")
        if low is None or speed is None:
            return None
        planned = {ceil((press.at_s - look.now_s) / _FRAME_S) for press in look.meant}
        first = ceil((look.soonest_s - look.now_s) / _FRAME_S)
        if max(planned, default=-_BETWEEN) + _BETWEEN > first:
            return None
        fall = float(round(speed))
        here = low + 0.7 - (fall + 1)  # `low` is the edge of the next frame, 0.7 px too high
        for frame in range(1, first):
            fall = _FLAP if frame in planned else min(fall + 1, _FASTEST)
            here += fall
        gaps = _gaps(look)
        line = _LINES[int(self._survived(here, fall, gaps, first).argmax())]
        if here + min(fall + 1, _FASTEST) <= _bottom(gaps, first) - line:
            return None
        return Press(key="Space", at_s=look.now_s + (first - 0.5) * _FRAME_S, hold_s=0.08)

    def _survived(self, here: float, fall: float, gaps: Gaps, first: int) -> Numbers:
        """Frames without a collision for each line, several tries each."""
        lines = np.repeat(_LINES, _TRIES)
        low, speed = np.full(len(lines), here), np.full(len(lines), fall)
        beat, free = np.full(len(lines), -1), np.full(len(lines), first)
        frames = np.full(len(lines), float(_AHEAD))
        off = self._chance.choice(_OFF, (_AHEAD, len(lines)), p=_OFF_SHARE)
        for ahead in range(_AHEAD):
            frame = first + ahead
            wants = low + np.minimum(speed + 1, _FASTEST) > _bottom(gaps, frame + 1) - lines
            wants &= free <= frame
            beat = np.where(wants, frame + off[ahead], beat)
            free = np.where(wants, frame + _BETWEEN, free)
            speed = np.where(beat == frame, _FLAP, np.minimum(speed + 1, _FASTEST))
            low = low + speed
            frames = np.where(_hits(low, gaps, frame), np.minimum(frames, ahead), frames)
        means: Numbers = frames.reshape(len(_LINES), _TRIES).mean(axis=1)
        return means


def _gaps(look: Look) -> Gaps:
    right, bottom = look.number("gap_right"), look.number("gap_bottom")
    if right is None or bottom is None:
        return []
    later = look.number("next_gap_bottom")
    return [(right, bottom)] if later is None else [(right, bottom), (right + _EVERY, later)]


def _bottom(gaps: Gaps, frame: int) -> float:
    """Return the lower edge of the first gap that is not behind the bird so many frames from now."""
    return next((bottom for right, bottom in gaps if right - _SCROLL * frame > _LEFT), _NO_PIPE_Y)


def _hits(low: Numbers, gaps: Gaps, frame: int) -> NDArray[np.bool_]:
    hits = low >= _GROUND
    for right, bottom in gaps:
        at = right - _SCROLL * frame
        if at > _LEFT and at - _WIDE < _RIGHT:
            hits |= (low > bottom - _LEAST_PX) | (low - _BIRD_HIGH < bottom - _GAP + _LEAST_PX)
    return hits
