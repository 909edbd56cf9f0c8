"""Recognises the picture on each tile of the view: exactly by day, the most likely one at night."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .light import COLUMNS, GRAIN, ROWS, Floats, Light, axes, brightness, by_tile, light, vignette
from .sprites import TILE, Assets, Sprite, players, scenery

MIDDLE = ROWS // 2 * COLUMNS + COLUMNS // 2
_LEAST_MARGIN = 12.0
"""Smallest difference (in −2 log likelihood) between the best picture and the best one of another kind."""
_SLICE = 8
_COARSE = np.linspace(0, 1, 51)
_FINE = np.linspace(-0.02, 0.02, 21)
_NEAR = np.linspace(-0.02, 0.02, 9)
"""Largest change of the daylight in a turn, which is 0.013."""


@dataclass(frozen=True, slots=True)
class Tile:
    """The contents of a tile; both empty where it is too dark to tell."""

    ground: str
    thing: str = ""


UNSEEN = Tile("")


@dataclass(frozen=True, slots=True)
class View:
    """The view as read.

    Attributes:
        tiles: 63, row by row. facing: of the player; "asleep" while it sleeps.
        daylight: 0 … 1.
    """

    tiles: tuple[Tile, ...]
    facing: str
    daylight: float


class TileReader:
    """Reads the view of 9 × 7 tiles.

    For a given daylight the look of each picture on each tile is known; the best fit is the answer. The
    daylight is measured on the middle tile, which always shows the player and is clear even at night.
    """

    def __init__(self, assets: Assets) -> None:
        self._scenery = _Pictures(scenery(assets))
        self._awake = _Pictures(players(assets, asleep=False))
        self._asleep = _Pictures(players(assets, asleep=True))
        self._vignette = vignette()
        self._daylight: float | None = None

    def read(self, view: Floats) -> View:
        """Read a view.

        Args:
            view: (56, 72, 3), red, green, blue; each the mean of 12 × 12 window pixels.
        """
        asleep = _is_grey(view)
        seen = by_tile(_undimmed(view) if asleep else view)
        own = self._asleep if asleep else self._awake
        middle, around = seen[MIDDLE : MIDDLE + 1], self._vignette[MIDDLE : MIDDLE + 1]
        daylight = self._daylight = _fit(middle, around, own, asleep, self._daylight)
        now = light(daylight, self._vignette)
        tiles = self._scenery.choose(seen, now, asleep)
        player = own.choose(middle, light(daylight, around), asleep, sure=True)[0]
        tiles[MIDDLE] = Tile(player.ground)
        return View(tuple(tiles), player.thing, daylight)


class _Pictures:
    """Pictures that a tile may show, prepared for the fit."""

    def __init__(self, sprites: list[Sprite]) -> None:
        self._tiles = [Tile(sprite.ground, sprite.thing) for sprite in sprites]
        fine = TILE // GRAIN
        pictures = np.stack([sprite.picture for sprite in sprites])
        cells = pictures.reshape(len(sprites), GRAIN, fine, GRAIN, fine, 3).mean((2, 4))
        colours = cells.reshape(len(sprites), GRAIN * GRAIN, 3)
        split, grey = axes(colours), brightness(colours)
        total, first, second = split[..., 0], split[..., 1], split[..., 2]
        lit = np.float32(np.sqrt(3)) * grey
        features = [total, lit, first, second, total**2, total * lit, lit**2, first**2 + second**2]
        self._features = np.ascontiguousarray(np.concatenate(features, 1).T)
        self._grey_features = np.ascontiguousarray(np.concatenate([grey, grey**2], 1).T)
        kinds = {tile: number for number, tile in enumerate(dict.fromkeys(self._tiles))}
        self._kinds = np.array([kinds[tile] for tile in self._tiles])

    def misfit(self, seen: Floats, now: Light, asleep: bool) -> Floats:
        """Return −2 log likelihood of each picture on each tile, (tiles, pictures).

        Args:
            seen: (tiles, 64, 3).
        """
        if asleep:
            return self._grey_misfit(seen, now)
        y = axes(seen) - now.offset
        total, first, second = y[..., 0], y[..., 1], y[..., 2]
        own, grey, sure, sure_colour = now.own, now.grey, now.sure_sum, now.sure_difference
        weights = [
            -2 * sure * total * own,
            -2 * sure * total * grey,
            -2 * sure_colour * first * own,
            -2 * sure_colour * second * own,
            sure * own**2,
            2 * sure * own * grey,
            sure * grey**2,
            sure_colour * own**2,
        ]
        constant = (sure * total**2 + sure_colour * (first**2 + second**2) - np.log(sure)).sum(1)
        return np.asarray(_product(np.concatenate(weights, 1), self._features) + constant[:, None])

    def _grey_misfit(self, seen: Floats, now: Light) -> Floats:
        """Compare brightness alone, because a sleeper's view has no colour."""
        offset = brightness(_colours_of(now.offset))
        y = brightness(seen) - offset
        both = now.own + now.grey
        sure = 1 / (1 / now.sure_sum / 3 + 1.0)
        weights = np.concatenate([-2 * sure * y * both, sure * both**2], 1)
        constant = (sure * y**2 - np.log(sure)).sum(1)
        return np.asarray(_product(weights, self._grey_features) + constant[:, None])

    def choose(self, seen: Floats, now: Light, asleep: bool, *, sure: bool = False) -> list[Tile]:
        """Return the best tile each; UNSEEN where another kind fits nearly as well (never with `sure`)."""
        misfit = self.misfit(seen, now, asleep)
        best = misfit.argmin(1)
        rows = np.arange(len(best))
        others = np.where(self._kinds[None, :] == self._kinds[best][:, None], np.inf, misfit).min(1)
        clear = sure | (others - misfit[rows, best] >= _LEAST_MARGIN)
        return [self._tiles[which] if ok else UNSEEN for which, ok in zip(best, clear, strict=True)]


def _product(rows: Floats, columns: Floats) -> Floats:
    """Return a matrix product in slices that are small enough to stay on one thread.

    Beside a game that is played, several threads would wait for one another longer than they work.
    """
    slices = [rows[at : at + _SLICE] @ columns for at in range(0, len(rows), _SLICE)]
    return np.asarray(np.concatenate(slices), np.float32)


def _fit(middle: Floats, around: Floats, own: _Pictures, asleep: bool, last: float | None) -> float:
    """Return the daylight under which the player's tile fits best: near the last one, or anywhere."""

    def best(steps: NDArray[np.float64]) -> tuple[float, bool]:
        fits = [float(own.misfit(middle, light(float(step), around), asleep).min()) for step in steps]
        which = int(np.argmin(fits))
        inside = 0 < which < len(steps) - 1 or steps[which] in (0.0, 1.0)
        return float(steps[which]), inside

    if last is not None:
        near, inside = best(np.clip(last + _NEAR, 0, 1))
        if inside:
            return near
    coarse, _ = best(_COARSE)
    return best(np.clip(coarse + _FINE, 0, 1))[0]


def _is_grey(view: Floats) -> bool:
    """Return whether the view has no colour but the sleeper's tint: blue 8 above red and green."""
    red, green, blue = view[::5, ::5, 0], view[::5, ::5, 1], view[::5, ::5, 2]
    return bool(np.abs(red - green).max() < 0.6 and np.abs(blue - red - 8).max() < 1.1)


def _undimmed(view: Floats) -> Floats:
    """Return a sleeper's view with its earlier brightness: (…, 3), all grey."""
    return np.repeat(2 * view[..., :1] + 0.5, 3, -1)


def _colours_of(split: Floats) -> Floats:
    """Invert `light.axes`."""
    total, first, second = split[..., 0] / np.sqrt(3), split[..., 1] / np.sqrt(2), split[..., 2] / np.sqrt(6)
    return np.asarray(
        np.stack([total + first + second, total - 2 * second, total - first + second], -1), np.float32
    )
