"""Reads Ring Runner from pixels alone: tiles and holes round the wall ahead, gems, the way that is sure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Solid = NDArray[np.bool_]
"""(depths, places): layers ahead of the runner, each from left to right round the wall."""
Costs = NDArray[np.float64]

_SIZE = (640, 420)
_MIDDLE, _HORIZON, _ZOOM, _HEIGHT, _BACK = 320, 206, 330.0, -0.7, 4.2
"""The picture of space: see shared/space.js and art.js."""
_TILES, _WALL_M, _FLOOR_M = 10, 3.1, 3.08
_LAYER_M, _PLACE = 0.5, 0.1
_FAR_M, _WIDE = 21.0, 4.0
_BRIGHT, _BAR_ROWS = 96, 44
_HIDDEN_M, _HIDDEN = 2.5, 2
"""Metres ahead, and places aside, that the runner covers: there is what is seen beside it."""
_LATE_S = 0.05
"""Delay from a key press to its effect in the game."""
_SPEED, _LEAP, _WEIGHT = 4.6 * 0.8, 6.8, 21.0
_EDGE = 3
"""Places that stay between the way and a hole."""
_JUMP_COST, _ASIDE_COST, _HOLE_COST, _GEM_GAIN, _DEAD_END = 2.0, 0.02, 0.4, 0.6, 30.0
_STEER = 0.18
_AIR_M = 0.12
_VISOR = (np.array((61, 56, 214, 0)), np.array((93, 88, 246, 255)))
_YELLOW = (np.array((0, 131, 151, 0)), np.array((109, 255, 255, 255)))
_VISOR_FOOT_PX, _PX_A_METRE = 23, _ZOOM / _BACK
_PACE_BAR, _PACE_MOST = (20, 462, 160), 16.0

_AIR_S = 2 * _LEAP / _WEIGHT
_JUMP_PLACES = round(_AIR_S * _SPEED / _PLACE)
_TIMES_S = np.arange(0.0, 0.24, 0.02)
_ASIDE = 4.6 * np.clip(_TIMES_S - _LATE_S - 0.03, 0.0, 0.12)
"""Tiles walked aside by an action, at each of these times after it was chosen."""
_DEPTHS = np.arange(0.0, _FAR_M, _LAYER_M)
_PLACES = np.arange(-_WIDE, _WIDE + _PLACE / 2, _PLACE)
_START = len(_PLACES) // 2
_ANGLES = _PLACES[None, :] * 2 * np.pi / _TILES
_SCALES = _ZOOM / (_DEPTHS[:, None] + _BACK)
_COLUMNS = np.rint(_MIDDLE + _WALL_M * np.sin(_ANGLES) * _SCALES).astype(int)
_ROWS = np.rint(_HORIZON + (_HEIGHT + _WALL_M * np.cos(_ANGLES)) * _SCALES).astype(int)
_SHOWN = (_COLUMNS >= 0) & (_SIZE[0] > _COLUMNS) & (_ROWS >= _BAR_ROWS) & (_SIZE[1] > _ROWS)
_HIDDEN_LAYERS = int(np.searchsorted(_DEPTHS, _HIDDEN_M))


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Ring Runner's window; it remembers whether the runner rises."""

    def __init__(self) -> None:
        self._up = 0.0
        self._rises = True

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        pace, up = _pace(pixels), _up(pixels)
        if not pace or up is None:
            return {}
        if abs(up - self._up) > 0.03:
            self._rises, self._up = up > self._up, up
        airborne = up > _AIR_M
        yellow = np.asarray(cv2.inRange(pixels, *_YELLOW), np.uint8)
        solid, gem = _solid(pixels, yellow), _gem(yellow)
        ahead = solid[:, _START]
        values: dict[str, Value] = {
            "pace": round(pace, 1),
            "airborne": airborne,
            "open_m": round(float(len(ahead) if ahead.all() else np.argmin(ahead)) * _LAYER_M, 1),
        }
        if gem is not None:
            values |= {"gem_tiles": round(gem[0], 1), "gem_m": round(gem[1], 1)}
        left_s = _left_s(up, rises=self._rises) if airborne else 0.0
        values["move"], place = Way(solid, pace, gem).move(left_s)
        values["way_tiles"] = round(float(_PLACES[place]), 1)
        return values


class Way:
    """The cheapest way through the tiles ahead: on foot where it can, by a jump where it must."""

    def __init__(self, solid: Solid, pace: float, gem: tuple[float, float] | None) -> None:
        self._pace = pace
        self._jump_layers = max(2, round(_AIR_S * pace / _LAYER_M))
        self._worth = _worth(solid, gem)
        self._togo = self._worth.copy()
        last, walk = len(solid) - 1, max(1, round(_SPEED / pace * _LAYER_M / _PLACE))
        for layer in range(last - 1, -1, -1):
            onward = np.minimum(_least(self._togo[layer + 1], walk), _DEAD_END + 0.3 * (last - layer))
            if layer + self._jump_layers < last:
                landing = _least(self._landed(layer + self._jump_layers), _JUMP_PLACES)
                onward = np.minimum(onward, landing + _JUMP_COST)
            self._togo[layer] += onward

    def move(self, left_s: float) -> tuple[str, int]:
        """Return the action that begins the way, and the place where the way goes.

        Args:
            left_s: time that the runner stays in the air; 0 on foot.
        """
        if left_s > 0:
            place, _ = self._landing(left_s)
            return _side(place) or "hold", place
        place, cost = self._landing(_LATE_S + _AIR_S)
        ways = [(cost + _JUMP_COST, f"jump_{_side(place)}".rstrip("_"), place)]
        for action, way in (("hold", 0), ("left", -1), ("right", 1)):
            cost, place = self._walked(way)
            ways.append((cost, action, place))
        cost, action, place = min(ways, key=lambda way: way[0])
        return (action if np.isfinite(cost) else "jump"), place

    def _landed(self, layer: int) -> Costs:
        """Return what it costs to come down at a layer, a little before it, or a little behind it."""
        return np.asarray(self._togo[max(0, layer - 1) : layer + 2].max(0), np.float64)

    def _landing(self, after_s: float) -> tuple[int, float]:
        """Return the best place to come down after a time, and its cost."""
        layer = min(round(after_s * self._pace / _LAYER_M), len(self._togo) - 1)
        most = round(after_s * _SPEED / _PLACE)
        places = np.arange(max(0, _START - most), min(len(_PLACES), _START + most + 1))
        costs = self._landed(layer)[places] + _ASIDE_COST * np.abs(places - _START)
        best = int(np.argmin(costs))
        return int(places[best]), float(costs[best])

    def _walked(self, way: int) -> tuple[float, int]:
        """Return the cost of walking aside for one action (or straight on), and the place it leads to."""
        layers = np.minimum(np.rint(_TIMES_S * self._pace / _LAYER_M).astype(int), len(self._togo) - 1)
        places = _START + np.rint(way * _ASIDE / _PLACE).astype(int)
        passed = self._worth[layers, places]
        place = int(places[-1])
        return float(passed.mean() + self._togo[layers[-1], place] + _ASIDE_COST * abs(way)), place


def _side(place: int) -> str:
    aside = float(_PLACES[place])
    return "" if abs(aside) < _STEER else "left" if aside < 0 else "right"


def _least(costs: Costs, most: int) -> Costs:
    """Return the least cost within so many places of each place."""
    return np.asarray(cv2.erode(costs[None], np.ones((1, 2 * most + 1), np.uint8))[0], np.float64)


def _worth(solid: Solid, gem: tuple[float, float] | None) -> Costs:
    """Return what each place costs: infinite over a hole, more beside a hole, less at a gem."""
    room = cv2.distanceTransform(solid.astype(np.uint8), cv2.DIST_L1, 3)
    worth: Costs = np.where(solid, np.clip(_EDGE - room, 0, None) * _HOLE_COST / _EDGE, np.inf)
    if gem is not None and gem[1] < _FAR_M - 1:
        layer = int(np.searchsorted(_DEPTHS, gem[1]))
        worth[layer] -= np.where(np.abs(_PLACES - gem[0]) < 0.35, _GEM_GAIN, 0.0)
    return worth


def _solid(pixels: Pixels, yellow: Pixels) -> Solid:
    """Return where tiles are; seams between tiles, and gems, are closed."""
    at = np.clip(_ROWS, 0, _SIZE[1] - 1), np.clip(_COLUMNS, 0, _SIZE[0] - 1)
    bright = (pixels[at][..., :3].max(2) > _BRIGHT) & (yellow[at] == 0)
    seen = (bright & _SHOWN).astype(np.uint8)
    for beside, hidden in ((-_HIDDEN - 1, slice(-_HIDDEN, 0)), (_HIDDEN + 1, slice(0, _HIDDEN + 1))):
        covered = slice(_START + hidden.start, _START + hidden.stop)
        seen[:_HIDDEN_LAYERS, covered] = seen[:_HIDDEN_LAYERS, _START + beside, None]
    return cv2.morphologyEx(seen, cv2.MORPH_CLOSE, np.ones((3, 5), np.uint8)) > 0


def _left_s(up: float, *, rises: bool) -> float:
    """Return how long the runner stays in the air."""
    speed = math.sqrt(max(0.0, _LEAP**2 - 2 * _WEIGHT * up))
    return (_LEAP + (speed if rises else -speed)) / _WEIGHT


def _up(pixels: Pixels) -> float | None:
    """Return how high the runner is over the tiles, by the red of its back."""
    part = cv2.inRange(pixels[60:, _MIDDLE - 40 : _MIDDLE + 40], *_VISOR)
    rows = np.flatnonzero((part > 0).sum(1) >= 6)
    if not len(rows):
        return None
    ground = _HORIZON + (_HEIGHT + _FLOOR_M) * _PX_A_METRE
    return max(0.0, (ground - _VISOR_FOOT_PX - 60 - float(rows[-1] + 1)) / _PX_A_METRE)


def _gem(yellow: Pixels) -> tuple[float, float] | None:
    """Return the nearest gem ahead: tiles to the right round the wall, metres ahead."""
    count, _, stats, middles = cv2.connectedComponentsWithStats(yellow[_BAR_ROWS:])
    best: tuple[float, float] | None = None
    for number in range(1, count):
        high = int(stats[number][cv2.CC_STAT_HEIGHT])
        if stats[number][cv2.CC_STAT_AREA] < 10:
            continue
        across = float(middles[number][0]) - _MIDDLE
        down = float(middles[number][1]) + _BAR_ROWS - _HORIZON
        depth = _depth(across, down)
        if high > 3 and 0.5 < depth < _FAR_M and (best is None or depth < best[1]):
            scale = _ZOOM / (depth + _BACK)
            angle = math.atan2(across / scale, down / scale - _HEIGHT)
            best = (angle * _TILES / (2 * math.pi), depth)
    return best


def _depth(across: float, down: float) -> float:
    """Return how far ahead a gem's middle is: it hangs 0.75 m over the wall."""
    radius = _FLOOR_M - 0.75
    # (across/s)² + (down/s − height)² = radius², solved for 1/s
    square = across**2 + down**2
    half = down * _HEIGHT
    root = half**2 - square * (_HEIGHT**2 - radius**2)
    return (half + math.sqrt(max(0.0, root))) / max(1e-6, square) * _ZOOM - _BACK


def _pace(pixels: Pixels) -> float:
    row, left, width = _PACE_BAR
    full = (pixels[row, left : left + width, 0] > 200).sum()
    return float(full) * _PACE_MOST / width
