"""Tells MiniGrid's tiles apart: the colours of a few points of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Place = tuple[int, int]
TILE_PX = 32
_STRIP_PX = 34
_PAINTS = {
    "red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "purple": (112, 39, 195),
    "yellow": (255, 255, 0), "grey": (100, 100, 100), "lava": (255, 128, 0), "": (0, 0, 0),
}  # fmt: skip
_NAMES, _COLOURS = list(_PAINTS), np.array(list(_PAINTS.values()), np.float32)
_LIT, _DARKEST_LIT = 0.3, 70
"""What the lit part of the picture is mixed with white, and how dark it can be."""


class Tile(NamedTuple):
    """One tile. `state` is of a door: open, closed or locked."""

    kind: str
    colour: str = ""
    state: str = ""


class Grid(NamedTuple):
    """All tiles but the empty ones; `agent` is where it is, `heading` 0 to 3: right, down, left, up."""

    size: tuple[int, int]
    tiles: dict[Place, Tile]
    agent: Place | None
    heading: int


def read_grid(pixels: Pixels) -> Grid:
    """Read the tiles of a window's picture, BGRX, whatever whole number it is scaled by."""
    scale = next(one for one in range(8, 0, -1) if _is_scaled(pixels, one))
    side = TILE_PX * scale
    wide, high = pixels.shape[1] // side, pixels.shape[0] // side
    if (pixels.shape[0] - _STRIP_PX) % side == 0:
        high = (pixels.shape[0] - _STRIP_PX) // side
    picture = pixels[: high * side : scale, : wide * side : scale, 2::-1]
    tiles: dict[Place, Tile] = {}
    agent, heading = None, 0
    for y in range(high):
        for x in range(wide):
            tile = picture[y * TILE_PX : (y + 1) * TILE_PX, x * TILE_PX : (x + 1) * TILE_PX]
            found, facing = _tile(tile.astype(np.float32))
            if found:
                tiles[x, y] = found
            if facing is not None:
                agent, heading = (x, y), facing
    return Grid((wide, high), tiles, agent, heading)


def _is_scaled(pixels: Pixels, scale: int) -> bool:
    high, wide = (size // (TILE_PX * scale) * TILE_PX * scale for size in pixels.shape[:2])
    if not high or not wide:
        return scale == 1
    part = pixels[: TILE_PX * scale, :wide, :3]
    whole = part.reshape(TILE_PX, scale, wide // scale, scale, 3)
    return bool((whole == whole[:, :1, :, :1]).all())


def _tile(tile: NDArray[np.float32]) -> tuple[Tile | None, int | None]:
    if tile.min() >= _DARKEST_LIT and not (tile == 100).all():
        tile = (tile - 255 * _LIT) / (1 - _LIT)

    def at(x: int, y: int, turn: int = 0) -> str:
        for _ in range(turn):
            x, y = TILE_PX - 1 - y, x
        return _NAMES[int(np.abs(_COLOURS - tile[y, x]).sum(axis=1).argmin())]

    for turn in range(4):
        red = [at(x, y, turn) == "red" for x, y in ((5, 8), (5, 23), (21, 16), (27, 8), (27, 23))]
        if red == [True, True, True, False, False]:
            return None, turn
    edge, middle = at(31, 16), at(16, 16)
    if edge == "lava":
        return Tile("lava"), None
    if edge:
        return _filling(tile, edge, at), None
    if not middle:
        return None, None
    ring, stem = at(10, 16), at(18, 24)
    return Tile("ball" if ring and stem else "box" if ring else "key", middle), None


def _filling(tile: NDArray[np.float32], edge: str, at: Callable[[int, int], str]) -> Tile | None:
    """Return what fills its tile to the edge: a wall, the goal, a door; pale floor is nothing."""
    if (np.abs(tile[2:, 2:] - tile[16, 16]) < 4).all():
        if np.abs(tile[16, 16] - _PAINTS[edge]).max() > 8:
            return None
        return Tile("goal" if edge == "green" else "wall", edge)
    if not at(16, 31):
        return Tile("door", edge, "open")
    return Tile("door", edge, "locked" if tile[12, 12].max() > 20 else "closed")
