"""Crafter's own pictures of each tile, creature and inventory slot, in full light."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
"""(height, width, 3), red, green, blue, 0 … 255."""

TILE = 16
"""Side of a picture of the package, in its own pixels."""
UNIT = 96
"""Side of a tile in the window."""

GROUND = ("grass", "sand", "path")
MATERIALS = (*GROUND, "water", "stone", "tree", "lava", "coal", "iron", "diamond", "table", "furnace")
VOID = "void"
"""Material outside the world, drawn flat grey."""
CREATURES = ("cow", "zombie", "skeleton")
FACINGS = ("left", "right", "up", "down")
ITEMS = (
    "health",
    "food",
    "drink",
    "energy",
    "sapling",
    "wood",
    "stone",
    "coal",
    "iron",
    "diamond",
    "wood_pickaxe",
    "stone_pickaxe",
    "iron_pickaxe",
    "wood_sword",
    "stone_sword",
    "iron_sword",
)
"""Inventory slots in their order on the screen."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """The contents of a tile.

    Attributes:
        ground: the material, also under a thing.
        thing: creature, arrow, plant or the player's facing; empty for none.
    """

    ground: str
    thing: str
    picture: Picture


class Assets:
    """The package's pictures, found without running it.

    Raises:
        FileNotFoundError: the package is not installed.
    """

    def __init__(self) -> None:
        spec = importlib.util.find_spec("crafter")
        if spec is None or not spec.submodule_search_locations:
            raise FileNotFoundError("the package crafter is not installed")
        self._folder = Path(spec.submodule_search_locations[0]) / "assets"

    def get(self, name: str, side: int = TILE) -> tuple[Picture, NDArray[np.float32]]:
        """Return a picture and its opacity (0 … 1), enlarged to `side` as the package does: nearest."""
        raw = cv2.imread(str(self._folder / f"{name}.png"), cv2.IMREAD_UNCHANGED)
        if raw is None:
            raise FileNotFoundError(f"the package crafter has no picture {name}")
        at = ((np.arange(side) + 0.5) * TILE / side).astype(int)
        raw = raw[at][:, at]
        colours = raw[..., 2::-1].astype(np.float32)
        if raw.shape[2] == 3:
            return colours, np.ones((side, side), np.float32)
        return colours, raw[..., 3].astype(np.float32) / 255


def scenery(assets: Assets) -> list[Sprite]:
    """Return everything that a tile beside the player can show."""
    grounds = {name: assets.get(name)[0] for name in MATERIALS}
    sprites = [Sprite(name, "", picture) for name, picture in grounds.items()]
    sprites.append(Sprite(VOID, "", np.full((TILE, TILE, 3), 127, np.float32)))
    sprites += [_over(assets, name, name, ground, grounds) for name in CREATURES for ground in GROUND]
    for way in FACINGS:
        over = (*GROUND, "water", "lava")
        sprites += [_over(assets, f"arrow-{way}", "arrow", ground, grounds) for ground in over]
    sprites += [_over(assets, name, name, "grass", grounds) for name in ("plant", "plant-ripe")]
    return sprites


def players(assets: Assets, *, asleep: bool) -> list[Sprite]:
    """Return everything that the player's own tile can show; the thing is the facing."""
    grounds = {name: assets.get(name)[0] for name in GROUND}
    faces = {"player-sleep": "asleep"} if asleep else {f"player-{way}": way for way in FACINGS}
    return [_over(assets, name, face, ground, grounds) for name, face in faces.items() for ground in GROUND]


def slot(assets: Assets, item: str, amount: int) -> NDArray[np.uint8]:
    """Return an inventory slot, (UNIT, UNIT, 3)."""
    picture = np.zeros((UNIT, UNIT, 3), np.float32)
    if amount:
        for name, start, share in ((item, 0.1, 0.8), (str(amount), 0.4, 0.6)):
            at, side = int(start * UNIT), int(share * UNIT)
            colours, opacity = assets.get(name, side)
            under = picture[at : at + side, at : at + side]
            under[:] = _blend(colours, opacity, under)
    return picture.astype(np.uint8)


def _over(assets: Assets, name: str, thing: str, ground: str, grounds: dict[str, Picture]) -> Sprite:
    return Sprite(ground, thing, _blend(*assets.get(name), grounds[ground]))


def _blend(colours: Picture, opacity: NDArray[np.float32], under: Picture) -> Picture:
    share = opacity[..., None]
    return np.asarray(np.floor(share * colours + (1 - share) * under), np.float32)
