"""Reads Cube Drift from pixels alone: the free places ahead, the next shard, and the way that is safe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Grid = NDArray[np.bool_]
"""(depths, places): layers ahead of the ship, each from left to right."""

_SIZE = (640, 420)
_MIDDLE, _HORIZON, _ZOOM, _HEIGHT = 320, 150, 430.0, 2.2
"""The picture of space: see shared/space.js."""
_SHIP_DEPTH, _FAR = 5.0, 41.0
_LAYER_M, _PLACE_M, _WIDE_M = 0.75, 0.25, 14.0
_LOOK_UP_M = 0.5
_BRIGHT = 97
"""Blue of a cube's front in the fog, at the least; plain and lines are darker, shards are yellow."""
_SHIP_PX, _SHIP_ROW = 62, 300
_ROOM_M, _TIGHT_M = 0.95, 0.6
"""Half a ship and some air, and without; the next metres are passed without."""
_NEXT = 4
_MOST_ROOM = 7
"""Places beyond which more room is no better."""
_BEFORE_M, _BEHIND_M = 1.0, 2.4
"""A cube is in the way from so far before its front to so far behind it."""
_SIDEWAYS, _PULL = 11.0, 46.0
_FIRST, _STEER_M = 4, 0.3
"""Layer by which a way is judged, and how far aside of it the ship may be there."""
_WINGS = ((234, 211, 201), (187, 155, 143))
_WING_ROWS, _SPAN_PX, _LEAN = (290, 375), 88.0, 0.32
"""The ship's wings: their rows, the distance of their tips, and its lean at full pace aside."""
_PACE_BAR, _PACE_MOST = (20, 462, 160), 34.0
_GOES_ON = 9
"""Layers that must stay open behind a shard."""

_DEPTHS = np.arange(_SHIP_DEPTH - 2.0, _FAR, _LAYER_M)
_PLACES = np.arange(-_WIDE_M, _WIDE_M + _PLACE_M / 2, _PLACE_M)
_START = int(np.searchsorted(_DEPTHS, _SHIP_DEPTH))
_COLUMNS = np.rint(_MIDDLE + _PLACES[None, :] * _ZOOM / _DEPTHS[:, None]).astype(int)
_ROWS = np.rint(_HORIZON + (_HEIGHT - _LOOK_UP_M) * _ZOOM / _DEPTHS).astype(int)


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Cube Drift's window."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        pace = _pace(pixels)
        if not pace:
            return {}
        drift = _drift(pixels)
        start = int(np.searchsorted(_PLACES, drift))
        blocked, reach = _best(pixels, start, pace)
        shard = _shard(pixels)
        target = _target(blocked, reach, shard, pace)
        values: dict[str, Value] = {"pace": round(pace, 1), "open_m": _open_m(blocked)}
        if shard is not None:
            values |= {"shard_x": round(shard[0], 1), "shard_m": round(shard[1] - _SHIP_DEPTH, 1)}
        place = _nearest_free(blocked, start) if target is None else _way_to(reach, blocked, target, pace)
        values["free_x"] = round(float(_PLACES[place if target is None else target[1]]), 1)
        aside = float(_PLACES[place]) - drift
        values["move"] = "hold" if abs(aside) < _STEER_M else "left" if aside < 0 else "right"
        return values


def _best(pixels: Pixels, start: int, pace: float) -> tuple[Grid, Grid]:
    """Return where the ship may not be, and where it can come to: the first view of it that leads through.

    What stands behind a cube is not seen: first it counts as cubes, then as free, then without air beside it.
    """
    bright = pixels[..., 0] > _BRIGHT
    bright[_SHIP_ROW:, _MIDDLE - _SHIP_PX : _MIDDLE + _SHIP_PX] = False
    edges = _edges(bright)
    deepest: tuple[int, Grid, Grid] | None = None
    for occupied, room_m in ((_faces(bright) | edges, _ROOM_M), (edges, _ROOM_M), (edges, _TIGHT_M)):
        blocked = _grown(occupied, room_m)
        blocked[: _START + _NEXT] = _grown(occupied, _TIGHT_M)[: _START + _NEXT]
        reach = _reached(blocked, start, _START + 1, pace)
        depth = int(reach.any(1).sum())
        if deepest is None or depth > deepest[0]:
            deepest = depth, blocked, reach
        if reach[-1].any():
            break
    assert deepest is not None
    return deepest[1], deepest[2]


def _faces(bright: Grid) -> Grid:
    """Return the places of which a cube's front is seen, a little over the plain."""
    seen = bright[_ROWS[:, None], np.clip(_COLUMNS, 0, _SIZE[0] - 1)]
    faces: Grid = seen & (_COLUMNS >= 0) & (_SIZE[0] > _COLUMNS)
    return faces


def _edges(bright: Grid) -> Grid:
    """Return the places where cubes stand on the plain: the lower edges of what is bright."""
    below = bright[_HORIZON:]
    rows, columns = np.nonzero(below[:-1] & ~below[1:])
    depths = _HEIGHT * _ZOOM / (rows + 1.0)
    layers = np.searchsorted(_DEPTHS, depths)
    places = np.rint(((columns - _MIDDLE) * depths / _ZOOM + _WIDE_M) / _PLACE_M).astype(int)
    inside = (layers < len(_DEPTHS)) & (places >= 0) & (places < len(_PLACES))
    occupied = np.zeros((len(_DEPTHS), len(_PLACES)), np.bool_)
    occupied[layers[inside], places[inside]] = True
    return occupied


def _grown(occupied: Grid, room_m: float) -> Grid:
    size = (2 * round(room_m / _PLACE_M) + 1, round((_BEFORE_M + _BEHIND_M) / _LAYER_M) + 1)
    kernel = np.ones((size[1], size[0]), np.uint8)
    anchor = (size[0] // 2, round(_BEHIND_M / _LAYER_M))
    return cv2.dilate(occupied.astype(np.uint8), kernel, anchor=anchor) > 0


def _reached(blocked: Grid, place: int, layer: int, pace: float) -> Grid:
    """Return every place that the ship can come to from a place of a layer."""
    reach = np.zeros_like(blocked)
    reach[layer, place] = True
    steps, owed = _sideways(pace), 0.0
    for number in range(layer, len(_DEPTHS) - 1):
        owed += steps
        width, owed = int(owed), owed - int(owed)
        reach[number + 1] = _spread(reach[number], width) & ~blocked[number + 1]
        if not reach[number + 1].any():
            break
    return reach


def _sideways(pace: float) -> float:
    """Return how many places the ship moves aside while it passes a layer."""
    return 0.85 * _SIDEWAYS / pace * _LAYER_M / _PLACE_M


def _spread(places: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    spread: NDArray[np.bool_] = (
        cv2.dilate(places.astype(np.uint8)[None], np.ones((1, 2 * width + 1), np.uint8))[0] > 0
    )
    return spread


def _target(
    blocked: Grid, reach: Grid, shard: tuple[float, float] | None, pace: float
) -> tuple[int, int] | None:
    """Return layer and place to fly to: a shard behind which it goes on, else the roomiest far place."""
    if shard is not None:
        layer = int(np.searchsorted(_DEPTHS, shard[1]))
        place = int(np.searchsorted(_PLACES, shard[0]))
        if _START + 1 < layer < len(_DEPTHS) and 0 <= place < len(_PLACES) and reach[layer, place]:
            behind = _reached(blocked, place, layer, pace)
            if behind[min(layer + _GOES_ON, len(_DEPTHS) - 1)].any():
                return layer, place
    layers = np.flatnonzero(reach.any(1))
    last = int(layers[-1])
    if last <= _START + _FIRST:
        return None
    walls = np.flatnonzero(blocked[last])
    room = np.abs(_PLACES[:, None] - _PLACES[walls]).min(1) if len(walls) else np.full(len(_PLACES), _WIDE_M)
    worth = np.minimum(room, 2.5) - 0.06 * np.abs(_PLACES)
    worth[~reach[last]] = -np.inf
    return last, int(np.argmax(worth))


def _nearest_free(blocked: Grid, start: int) -> int:
    """Return the nearest place that is free a few metres ahead."""
    free = np.flatnonzero(~blocked[_START + _NEXT])
    return int(free[np.argmin(np.abs(free - start))]) if len(free) else start


def _way_to(reach: Grid, blocked: Grid, target: tuple[int, int], pace: float) -> int:
    """Trace a way back from its end, with room at both sides; return its place after the first metres."""
    layer, place = target
    room = np.minimum(cv2.distanceTransform((~blocked).astype(np.uint8), cv2.DIST_L1, 3), _MOST_ROOM)
    width = max(1, int(np.ceil(_sideways(pace))))
    for number in range(layer - 1, _START + _FIRST, -1):
        near = np.flatnonzero(reach[number])
        near = near[np.abs(near - place) <= width]
        if not len(near):
            return place
        place = int(near[np.argmax(room[number, near] - 0.5 * np.abs(near - place))])
    return place


def _shard(pixels: Pixels) -> tuple[float, float] | None:
    """Return the nearest shard that is still ahead: metres aside, depth."""
    part = np.ascontiguousarray(pixels[_HORIZON:300, :, :3])
    yellow = (part[..., 2] > 120) & (part[..., 1] > 105) & (part[..., 0] < 96)
    count, _, stats, middles = cv2.connectedComponentsWithStats(yellow.astype(np.uint8))
    best: tuple[float, float] | None = None
    for number in range(1, count):
        if stats[number][cv2.CC_STAT_AREA] < 8:
            continue
        depth = (_HEIGHT - 0.8) * _ZOOM / max(1.0, float(middles[number][1]))
        if _SHIP_DEPTH + 1.5 < depth < _FAR and (best is None or depth < best[1]):
            best = ((float(middles[number][0]) - _MIDDLE) * depth / _ZOOM, depth)
    return best


def _drift(pixels: Pixels) -> float:
    """Return how far aside the ship still glides when its key comes up, by its lean."""
    part = np.ascontiguousarray(pixels[slice(*_WING_ROWS), _MIDDLE - 60 : _MIDDLE + 60, :3])
    tips = []
    for colour, right in zip(_WINGS, (False, True), strict=True):
        rows, columns = np.nonzero(np.abs(part.astype(int) - colour).max(2) < 10)
        if len(rows) < 20:
            return 0.0
        tips.append(float(rows[np.argmax(columns if right else -columns)]))
    lean = float(np.arcsin(np.clip((tips[1] - tips[0]) / _SPAN_PX, -1, 1)))
    speed = float(np.clip(lean / _LEAN, -1, 1)) * _SIDEWAYS
    return speed * abs(speed) / (2 * _PULL)


def _open_m(blocked: Grid) -> float:
    """Return how far it is free straight ahead."""
    ahead = blocked[_START:, len(_PLACES) // 2]
    return round(float(np.argmax(ahead) if ahead.any() else len(ahead)) * _LAYER_M, 1)


def _pace(pixels: Pixels) -> float:
    row, left, width = _PACE_BAR
    full = (pixels[row, left : left + width, 0] > 200).sum()
    return float(full) * _PACE_MOST / width
