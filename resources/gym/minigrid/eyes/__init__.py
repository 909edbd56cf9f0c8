"""MiniGrid's state reader: from pixels alone, what lies where, and the next move of the task at hand."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from pitwall.games.manifest import MANIFEST

from .route import LOOSE, STEPS, Pose, ahead_of, route
from .tiles import Grid, Pixels, Place, Tile, read_grid

_VERBS = {"go to": "reach", "get to": "reach", "reach": "reach", "open": "open", "unlock": "open"}
_WANTED = re.compile(
    r"\b(go to|get to|reach|pick up|go get|get|fetch|open|unlock|use) (?:the|an?) "
    r"(?:(red|green|blue|purple|yellow|grey) )?(ball|box|key|door|goal|object)"
)


class Want(NamedTuple):
    """One part of a mission: reach, lift or open a tile of a kind; an empty kind or colour is any."""

    verb: str
    kind: str
    colour: str

    def fits(self, tile: Tile) -> bool:
        """Whether a tile is meant."""
        return tile.kind in ((self.kind,) if self.kind else LOOSE) and self.colour in ("", tile.colour)


def wants_of(mission: str) -> list[Want]:
    """Return the parts of a mission in the order in which they are to be done; none where it is not known."""
    parts = [
        part for clause in mission.lower().split(", then ") for part in reversed(clause.split(" after you "))
    ]
    return [
        Want(_VERBS.get(verb, "lift"), "" if kind == "object" else kind, "" if kind == "goal" else colour)
        for part in parts
        for verb, colour, kind in _WANTED.findall(part)
    ]


def reader(folder: Path) -> Eyes:
    """A reader that knows the task's instruction, without memory."""
    told = tomllib.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    mission = str(told["tasks"][0]["instruction"])
    if mission.startswith("Do what is written"):
        mission = "pick up the object" if "pickup" in folder.name else "go to the object"
    return Eyes(wants_of(mission))


class Eyes:
    """Reads MiniGrid's window; it remembers what was picked up and which parts of the mission are done."""

    def __init__(self, wants: list[Want]) -> None:
        self._wants = wants or [Want("reach", "goal", "")]
        self._forget()

    def _forget(self) -> None:
        self._done = 0
        self._carrying: Tile | None = None
        self._before: Grid | None = None

    def read(self, pixels: Pixels) -> Mapping[str, float | bool | str | None]:
        """The fields of a frame; none while the agent is not seen."""
        grid = read_grid(pixels)
        if grid.agent is None:
            self._forget()
            return {}
        pose: Pose = (*grid.agent, grid.heading)
        self._remember(grid, pose)
        while self._done < len(self._wants) - 1 and self._is_done(self._wants[self._done], grid, pose):
            self._done += 1
        want = self._wants[self._done]
        move, place = self._next(want, grid, pose)
        right, forward = _turned(place, pose) if place else (None, None)
        tile = grid.tiles.get(ahead_of(pose))
        return {
            "agent_x": pose[0],
            "agent_y": pose[1],
            "heading": pose[2],
            "ahead": _said(tile),
            "carrying": _said(self._carrying),
            "verb": want.verb,
            "target": f"{want.colour} {want.kind}".strip(),
            "target_dx": right,
            "target_dy": forward,
            "next_move": move,
        }

    def _remember(self, grid: Grid, pose: Pose) -> None:
        before = self._before
        self._before = grid
        if before is None or before.agent is None:
            return
        moved = abs(before.agent[0] - pose[0]) + abs(before.agent[1] - pose[1])
        if moved > 1 or _walls(before) != _walls(grid):
            self._forget()
            self._before = grid
        elif not moved and before.heading == pose[2]:
            place = ahead_of(pose)
            was, now = before.tiles.get(place), grid.tiles.get(place)
            if was and was.kind in LOOSE and now is None:
                self._carrying = was
            elif was is None and now == self._carrying:
                self._carrying = None

    def _is_done(self, want: Want, grid: Grid, pose: Pose) -> bool:
        if want.verb == "lift":
            return self._carrying is not None and want.fits(self._carrying)
        if want.verb == "open":
            return any(want.fits(tile) and tile.state == "open" for tile in grid.tiles.values())
        tile = grid.tiles.get(ahead_of(pose))
        return tile is not None and want.fits(tile)

    def _next(self, want: Want, grid: Grid, pose: Pose) -> tuple[str | None, Place | None]:
        """Return the next move for a part of the mission, and the tile it is about."""
        meant = [place for place, tile in grid.tiles.items() if want.fits(tile)]
        if want.verb == "open":
            meant = [place for place in meant if grid.tiles[place].state != "open"]
        if not want.kind and len({grid.tiles[place] for place in meant}) > 1:
            return None, None
        lifts_more = want.verb == "lift" and self._carrying is not None
        hand = None if lifts_more else self._carrying
        ways = [(way, place) for place in meant if (way := route(grid, hand, _goal(want, grid, place, hand)))]
        if not ways:
            return self._fetch_key(grid, pose, meant)
        way, place = min(ways, key=lambda one: one[0].cost)
        if lifts_more:
            return self._put_down(grid, pose, way.places) or way.move, place
        here = {"lift": "pickup", "open": "toggle", "reach": "done"}[want.verb]
        return way.move or here, place

    def _fetch_key(self, grid: Grid, pose: Pose, meant: list[Place]) -> tuple[str | None, Place | None]:
        """Return the next move towards a key of a locked door that bars the way."""
        locked = {tile.colour for tile in grid.tiles.values() if tile.state == "locked"}
        held = self._carrying.colour if self._carrying and self._carrying.kind == "key" else None
        for colour in sorted(locked - {held}):
            key = Want("lift", "key", colour)
            if any(key.fits(tile) for tile in grid.tiles.values()):
                return self._next(key, grid, pose)
        return None, meant[0] if meant else None

    @staticmethod
    def _put_down(grid: Grid, pose: Pose, kept_free: frozenset[Place]) -> str | None:
        """Return the move that puts down what is carried beside the way; None where there is no room."""
        for turn, move in ((0, "drop"), (1, "right"), (3, "left"), (2, "right")):
            place = ahead_of((pose[0], pose[1], (pose[2] + turn) % 4))
            if place not in grid.tiles and place not in kept_free:
                return move
        return None


def _goal(want: Want, grid: Grid, place: Place, hand: Tile | None) -> Callable[[Pose], bool]:
    def stands_on(pose: Pose) -> bool:
        return pose[:2] == place

    def faces(pose: Pose) -> bool:
        return ahead_of(pose) == place

    if want.kind == "goal":
        return stands_on
    tile = grid.tiles[place]
    barred = want.verb == "open" and tile.state == "locked" and hand != Tile("key", tile.colour)
    return (lambda _: False) if barred else faces


def _turned(place: Place, pose: Pose) -> tuple[int, int]:
    """Return how far a tile is to the agent's right, and ahead of it."""
    across, down = place[0] - pose[0], place[1] - pose[1]
    (fx, fy), (rx, ry) = STEPS[pose[2]], STEPS[(pose[2] + 1) % 4]
    return across * rx + down * ry, across * fx + down * fy


def _walls(grid: Grid) -> set[Place]:
    return {place for place, tile in grid.tiles.items() if tile.kind == "wall"}


def _said(tile: Tile | None) -> str:
    return " ".join(one for one in (tile.state, tile.colour, tile.kind) if one) if tile else "nothing"
