"""Terrain by number, with the published names, which are shifted from 6 on (SPEC §7)."""

from __future__ import annotations

NAMES = (
    *("lake", "grass", "stone", "path", "sand", "tree"),
    *("coal", "iron", "diamond", "lava", "table", "furnace"),
)
"""Name of each id. The map's digits are Crafter's material ids less one, where 6 is lava, 7 coal, 8 iron and
9 diamond; the questions call lava coal, coal iron, iron diamond and diamond lava.
"""

IDS = {name: number for number, name in enumerate(NAMES)}

LAKE, GRASS, STONE, PATH, SAND, TREE = range(6)
TABLE, FURNACE = IDS["table"], IDS["furnace"]

WALKABLE = frozenset({GRASS, PATH, SAND, 6})
"""Terrains a way may cross; 6 among them, which is really lava."""

NOWHERE = -1
"""Outside the map, or never seen."""


def name_of(number: int) -> str:
    """Return a terrain's published name; "" for NOWHERE."""
    return NAMES[number] if number >= 0 else ""
