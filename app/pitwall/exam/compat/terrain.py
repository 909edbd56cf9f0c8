"""Terrain by number, as the published questions name it: shifted from 6 on, as published (SPEC §7)."""

from __future__ import annotations

NAMES = (
    *("lake", "grass", "stone", "path", "sand", "tree"),
    *("coal", "iron", "diamond", "lava", "table", "furnace"),
)
"""Name of each id. The map's digits are Crafter's materials less one, where 6 is lava, 7 coal, 8 iron and
9 diamond: the questions call lava coal, coal iron, iron diamond and diamond lava."""

IDS = {name: number for number, name in enumerate(NAMES)}

LAKE, GRASS, STONE, PATH, SAND, TREE = range(6)
TABLE, FURNACE = IDS["table"], IDS["furnace"]

WALKABLE = frozenset({GRASS, PATH, SAND, 6})
"""Where a way may lead: 6 among them, which is real lava."""

NOWHERE = -1
"""Beyond the map, or never seen."""


def name_of(number: int) -> str:
    """Name a terrain as the questions call it; "" for NOWHERE."""
    return NAMES[number] if number >= 0 else ""
