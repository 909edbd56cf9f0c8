"""The map of an act: rooms in rows and lanes, and the ways between them."""

from __future__ import annotations

from dataclasses import dataclass

from .dice import Dice
from .tables import TABLES

ROWS: int = TABLES.map["rows"]
LANES: int = TABLES.map["lanes"]
FLOORS = ROWS + 1
"""Floors of an act: the rows, and the boss above them."""
SIGNS = {"fight": "F", "event": "?", "elite": "E", "rest": "R", "shop": "S", "treasure": "T", "boss": "B"}
Place = tuple[int, int]
"""Row (from 1) and lane (from 0)."""


@dataclass(slots=True)
class Course:
    """An act's map. rooms: place → kind. ways: place → lanes that can be reached in the next row."""

    rooms: dict[Place, str]
    ways: dict[Place, tuple[int, ...]]

    def starts(self) -> tuple[int, ...]:
        """Return the lanes of the first row."""
        return tuple(lane for lane in range(LANES) if (1, lane) in self.rooms)


def make_course(dice: Dice) -> Course:
    """Draw a map: several paths upward that never cross, and a kind for each room on them."""
    steps: dict[Place, set[int]] = {}
    for path in range(TABLES.map["paths"]):
        lane = path if path < LANES and path % 2 == 0 else dice.below(LANES)
        for row in range(1, ROWS):
            to = min(LANES - 1, max(0, lane + dice.below(3) - 1))
            if to != lane and lane in steps.get((row, to), ()):
                to = lane
            steps.setdefault((row, lane), set()).add(to)
            lane = to
        steps.setdefault((ROWS, lane), set())
    rooms: dict[Place, str] = {}
    for place in sorted(steps):
        below = {
            rooms[row, lane]
            for (row, lane), ways in steps.items()
            if row == place[0] - 1 and place[1] in ways
        }
        rooms[place] = _kind(place[0], below, dice)
    return Course(rooms, {place: tuple(sorted(ways)) for place, ways in steps.items()})


def _kind(row: int, below: set[str], dice: Dice) -> str:
    """Return the kind of a room. below: kinds of the rooms that lead to it; some do not follow themselves."""
    fixed = {1: "fight", TABLES.map["treasure_row"]: "treasure", TABLES.map["rest_row"]: "rest"}
    if row in fixed:
        return fixed[row]
    barred = below & {"rest", "shop", "elite"}
    if row < TABLES.map["first_hard_row"]:
        barred |= {"elite", "rest"}
    if row == ROWS - 1:
        barred.add("rest")
    kinds = [(kind, weight) for kind, weight in TABLES.map["weights"].items() if kind not in barred]
    return str(kinds[dice.weighted([weight for _, weight in kinds])][0])
