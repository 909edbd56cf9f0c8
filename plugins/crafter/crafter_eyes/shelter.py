"""Shelter: a hole in the rock that is closed behind the player; finds a place, and checks for one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .memory import NUMBERS, STEPS, WALKABLE, Memory
from .sprites import GROUND
from .ways import INTERACT, Place, Ways

_SOLID = [NUMBERS[name] for name in ("stone", "coal", "iron", "diamond", "tree", "table", "furnace", "water")]
_DIG = [NUMBERS[name] for name in ("stone", "coal")]
_MOST_ROOM = 4
_BACK = {"left": "right", "right": "left", "up": "down", "down": "up"}


def sheltered(memory: Memory) -> bool:
    """Return whether nothing can walk to the player: a few free tiles, all closed in."""
    return _closed_room(memory, (memory.x, memory.y), frozenset())


def way_to_shelter(memory: Memory, ways: Ways, facing: str) -> tuple[str, ...]:
    """Return the actions that dig into the rock, step back and close the hole; empty: no place."""
    dx, dy = STEPS.get(facing, (0, 0))
    front = memory.x + dx, memory.y + dy
    if memory.free(*front) and _closed_room(memory, (memory.x, memory.y), frozenset({front})):
        return ("place_stone",)
    best: tuple[int, Place, str] | None = None
    for way, there in _pockets(memory).items():
        place, cost = ways.cheapest(there)
        if place is not None and (best is None or cost < best[0]):
            best = cost, place, way
    if best is None:
        return ()
    _, place, way = best
    hops = ways.actions_onto(place)
    turned = facing if not hops else hops[-1].removeprefix("move_")
    dig = (INTERACT, f"move_{way}") * 2
    return (*hops, *((f"move_{way}",) if turned != way else ()), *dig, f"move_{_BACK[way]}", "place_stone")


def _pockets(memory: Memory) -> dict[str, NDArray[np.bool_]]:
    """Return by direction the free places from which two tiles of closed rock can be dug."""
    solid, dig = np.isin(memory.map, _SOLID), np.isin(memory.map, _DIG)
    free = np.isin(memory.map, [NUMBERS[name] for name in GROUND])
    for x, y in memory.things:
        free[y, x] = False
    pockets = {}
    for way, (dx, dy) in STEPS.items():
        there = free.copy()
        for ahead in (1, 2):
            there &= _shifted(dig, ahead * dx, ahead * dy)
            there &= _shifted(solid, ahead * dx + dy, ahead * dy + dx)
            there &= _shifted(solid, ahead * dx - dy, ahead * dy - dx)
        pockets[way] = there & _shifted(solid, 3 * dx, 3 * dy)
    return pockets


def _shifted(mask: NDArray[np.bool_], dx: int, dy: int) -> NDArray[np.bool_]:
    """Return the map moved by an offset."""
    return np.roll(mask, (-dy, -dx), (0, 1))


def _closed_room(memory: Memory, start: Place, without: frozenset[Place]) -> bool:
    """Return whether the free tiles around a place are few and closed in, once some more are closed."""
    room, todo = {start}, [start]
    while todo:
        x, y = todo.pop()
        for dx, dy in STEPS.values():
            place = x + dx, y + dy
            kind = int(memory.map[place[1], place[0]])
            if place in room or place in without or kind in _SOLID:
                continue
            if kind not in WALKABLE or len(room) == _MOST_ROOM:
                return False
            room.add(place)
            todo.append(place)
    return True
