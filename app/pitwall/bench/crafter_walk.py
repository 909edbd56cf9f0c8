"""A long episode of Crafter's world, walked by chance and kept alive: what generation times are measured on.

No agent lives for 10,000 steps; its stats are put back before each turn, and nothing else is.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from pitwall.bench.crafter_episodes import PACKAGE_NAMES, folder_code
from pitwall.exam.grid_vocabulary import GridVocabulary
from pitwall.exam.states import GridState, Tile
from pitwall.exam.trace import Moment, Trace

_UNIT = 2
"""Pixels of a tile: nobody looks at the pictures."""
_COLUMNS, _ROWS = 9, 7
_FULL = 9
_ALIVE = 3
_WAYS = {(-1, 0): "left", (1, 0): "right", (0, -1): "up", (0, 1): "down"}
_TURNS, _MOVES = 0.25, 0.65
_REASONS = (
    "Wood is needed.",
    "Thirsty: drink.",
    "Stone is near: mine it.",
    "Explore.",
    "Night: find shelter.",
)


def crafter_walk(words: GridVocabulary, *, seed: int, steps: int) -> Trace[GridState]:
    """So many steps; the same for the same seed.

    Args:
        words: of the game's manifest.
    """
    chance = random.Random(seed)
    life = folder_code()[0].Life(seed, _UNIT)
    origin = _place(life)
    moments: list[Moment[GridState]] = []
    before = _state(life, words, origin, moved=False)
    for step, action in zip(range(1, steps + 1), _choices(words, chance), strict=False):
        _keep_alive(life, words)
        life.act(PACKAGE_NAMES.get(action, action))
        here = _place(life)
        after = _state(life, words, origin, moved=before.at != (here[0] - origin[0], here[1] - origin[1]))
        moments.append(Moment(step, action, chance.choice(_REASONS), before, after))
        before = after
    return Trace(moments)


def _choices(words: GridVocabulary, chance: random.Random) -> Iterator[str]:
    """Mostly on in one direction, else anything."""
    moves = sorted(words.moves)
    known = set(PACKAGE_NAMES) | set(words.moves) | set(words.places) | set(words.makes) | {words.sleep}
    others = sorted(name for name in words.actions if name in known and name not in words.moves)
    way = chance.choice(moves)
    while True:
        if chance.random() < _TURNS:
            way = chance.choice(moves)
        yield (
            way
            if chance.random() < _MOVES
            else words.interact
            if chance.random() < 0.5
            else chance.choice(others)
        )


def _keep_alive(life: Any, words: GridVocabulary) -> None:
    held = life.player.inventory
    for stat in words.stats:
        if held[stat] < _ALIVE:
            held[stat] = _FULL


def _place(life: Any) -> Tile:
    return int(life.player.pos[0]), int(life.player.pos[1])


def _state(life: Any, words: GridVocabulary, origin: Tile, *, moved: bool) -> GridState:
    x, y = _place(life)
    held = life.player.inventory
    seen = {}
    for across in range(x - _COLUMNS // 2, x + _COLUMNS // 2 + 1):
        for down in range(y - _ROWS // 2, y + _ROWS // 2 + 1):
            material, thing = life.world[across, down]
            if material is not None and (thing is None or (across, down) == (x, y)):
                seen[across - origin[0], down - origin[1]] = material
    return GridState(
        at=(x - origin[0], y - origin[1]),
        ground=life.world[x, y][0],
        facing=_WAYS[int(life.player.facing[0]), int(life.player.facing[1])],
        stats={stat: int(held[stat]) for stat in words.stats},
        items={item: int(held[item]) for item in words.items if held.get(item)},
        seen=seen,
        moved=moved,
    )
