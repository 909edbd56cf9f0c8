"""Reads the fields for planning: the inventory, near things, and the ways to them."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from .inventory import InventoryReader
from .light import COLUMNS, GRAIN_VIEW, ROWS
from .memory import HOME, NUMBERS, STEPS, Memory
from .shelter import sheltered, way_to_shelter
from .sprites import CREATURES, GROUND, UNIT, VOID, Assets
from .tiles import TileReader, View
from .ways import Goal, Ways, unseen_from

Value = bool | int | float | str | None

TARGETS = ("tree", "water", "stone", "coal", "iron", "diamond", "table", "furnace")
"""Materials whose nearest place is a field."""
PANEL = (232, 214, 170)
"""Colour of the end screen."""
_PANEL_AT = ((170, 205), (690, 205), (170, 465), (690, 465))
_SIDE = COLUMNS * UNIT
_LONG_TASK = ("wood", "table", "wood_pickaxe", "stone", "stone_pickaxe")
_SIGNS = {
    "": "?", "void": " ", "grass": ".", "sand": ":", "path": "_", "water": "~", "stone": "#", "tree": "T",
    "lava": "!", "coal": "c", "iron": "i", "diamond": "d", "table": "B", "furnace": "F",
    "cow": "C", "zombie": "Z", "skeleton": "S", "arrow": "-", "plant": "p", "plant-ripe": "P",
}  # fmt: skip


class Eyes:
    """Reads Crafter's window.

    It keeps a map of everything seen in this world, and the parts of the long task that were done.
    """

    def __init__(self) -> None:
        assets = Assets()
        self._tiles = TileReader(assets)
        self._inventory = InventoryReader(assets)
        self._memory = Memory()
        self._done: set[str] = set()
        self._bound_for: tuple[int, int] | None = None
        self._worth = 0.0
        self._items: Mapping[str, int | None] = {}
        self._front = ""

    def read(self, pixels: NDArray[np.uint8]) -> Mapping[str, Value]:
        """Return the fields of a frame; on the end screen only the inventory, which it does not cover."""
        if pixels.shape[:2] != (_SIDE, _SIDE):
            pixels = np.asarray(cv2.resize(pixels, (_SIDE, _SIDE), interpolation=cv2.INTER_NEAREST), np.uint8)
        items = self._inventory.read(pixels[ROWS * UNIT :, :, 2::-1])
        if _ended(pixels):
            self._memory.forget()
            self._forget()
            return dict(items)
        view = self._tiles.read(_small(pixels))
        if not self._memory.take(view):
            self._forget()
        self._note(items, view)
        place = self._place(view)
        acted = self._acted(items, str(place["front"] or ""))
        return {**items, **place, "acted": acted, **self._near(view, items), **self._task()}

    def _forget(self) -> None:
        self._done.clear()
        self._bound_for = None

    def _acted(self, items: Mapping[str, int | None], front: str) -> bool:
        """Return whether the last turn changed the tile in front, as far as visible: a blow is not."""
        gained = any((items[name] or 0) > (self._items.get(name, 9) or 0) for name in items)
        changed = not self._memory.moved and not self._memory.turned and front != self._front
        self._items, self._front = items, front
        return gained or changed or front in CREATURES

    def _place(self, view: View) -> dict[str, Value]:
        memory = self._memory
        dx, dy = STEPS.get(view.facing, (0, 0))
        front = memory.at(memory.x + dx, memory.y + dy)
        return {
            "view": _picture(view),
            "x": memory.x - HOME,
            "y": memory.y - HOME,
            "moved": memory.moved or None,
            "turned": memory.turned,
            "facing": view.facing if view.facing in STEPS else None,
            "asleep": view.facing not in STEPS,
            "ground": memory.at(memory.x, memory.y).ground or None,
            "front": front.thing or front.ground or None,
            "front_open": front.ground in GROUND and not front.thing,
            "daylight": round(100 * view.daylight),
        }

    def _near(self, view: View, items: Mapping[str, int | None]) -> dict[str, Value]:
        memory = self._memory
        ways = Ways(memory, view.facing, _diggable(items))
        goals: dict[str, Goal | None] = {name: ways.nearest(memory.map == NUMBERS[name]) for name in TARGETS}
        for name in CREATURES:
            goals[name] = ways.nearest(self._where(name))
        goals["unseen"] = self._unseen(ways)
        around = memory.map[memory.y - 1 : memory.y + 2, memory.x - 1 : memory.x + 2]
        beyond = NUMBERS[VOID]
        at_edge = bool(around[0, 1] == beyond or around[1, 0] == beyond)
        values: dict[str, Value] = {
            "at_edge": at_edge,
            "near_table": not at_edge and bool((around == NUMBERS["table"]).any()),
            "sheltered": sheltered(memory),
            "way_to_shelter": "; ".join(self._way_to_shelter(view, items, ways)) or None,
            "way_to_open": self._way_to_open(view),
            "near_furnace": not at_edge and bool((around == NUMBERS["furnace"]).any()),
        }
        for name, goal in goals.items():
            values[f"{name}_steps"] = goal.steps if goal is not None else None
            values[f"way_to_{name}"] = "; ".join(goal.actions) if goal is not None else None
        return values

    def _where(self, thing: str) -> NDArray[np.bool_]:
        there = np.zeros(self._memory.map.shape, bool)
        for (x, y), name in self._memory.things.items():
            there[y, x] = name == thing
        return there

    def _unseen(self, ways: Ways) -> Goal | None:
        """Return the best unseen area for its distance; kept until it is reached or half as good."""
        worth = unseen_from(self._memory)
        if self._bound_for is not None:
            x, y = self._bound_for
            goal = ways.to_enter(self._bound_for)
            if goal is not None and worth[y, x] >= self._worth / 2:
                return goal
        goal = ways.best_to_enter(worth)
        self._bound_for = None
        if goal is not None:
            x, y = self._memory.x + goal.dx, self._memory.y + goal.dy
            self._bound_for, self._worth = (x, y), float(worth[y, x])
        return goal

    def _way_to_shelter(self, view: View, items: Mapping[str, int | None], ways: Ways) -> tuple[str, ...]:
        return way_to_shelter(self._memory, ways, view.facing) if items.get("wood_pickaxe") else ()

    def _way_to_open(self, view: View) -> str | None:
        """Return a step after which something can be placed in front."""
        memory = self._memory
        free = [way for way, (dx, dy) in STEPS.items() if memory.free(memory.x + dx, memory.y + dy)]
        if view.facing in free or not free:
            return None
        beyond = {way: (memory.x + 2 * dx, memory.y + 2 * dy) for way, (dx, dy) in STEPS.items()}
        return f"move_{max(free, key=lambda way: memory.free(*beyond[way]))}"

    def _note(self, items: Mapping[str, int | None], view: View) -> None:
        self._done |= {name for name in _LONG_TASK if items.get(name)}
        if any(tile.ground == "table" for tile in view.tiles):
            self._done.add("table")

    def _task(self) -> dict[str, Value]:
        return {"task_progress": round(100 * len(self._done) / len(_LONG_TASK))}


def _small(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the view as the tile reader wants it."""
    small = cv2.resize(pixels[: ROWS * UNIT], GRAIN_VIEW, interpolation=cv2.INTER_AREA)
    return np.asarray(small[..., 2::-1], np.float32)


def _ended(pixels: NDArray[np.uint8]) -> bool:
    """Return whether the end screen covers the view."""
    return all(tuple(pixels[y, x, 2::-1].tolist()) == PANEL for x, y in _PANEL_AT)


def _diggable(items: Mapping[str, int | None]) -> frozenset[int]:
    """Return the materials that can be taken with the carried tools."""
    names = ["tree"]
    if items.get("wood_pickaxe"):
        names += ["stone", "coal"]
    if items.get("stone_pickaxe"):
        names.append("iron")
    if items.get("iron_pickaxe"):
        names.append("diamond")
    return frozenset(NUMBERS[name] for name in names)


def _picture(view: View) -> str:
    """Return the view as seven rows of signs; @ is the player."""
    signs = [_SIGNS[tile.thing or tile.ground] for tile in view.tiles]
    signs[len(signs) // 2] = "@"
    return "/".join("".join(signs[row * COLUMNS : (row + 1) * COLUMNS]) for row in range(ROWS))
