"""A small world of tiles that plays itself by chance: traces with everything that Table 15 asks about."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from pitwall_exam.episode.states import GridState, Tile
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.grid.events import STEPS
from pitwall_exam.grid.vocabulary import GridVocabulary

WORDS = GridVocabulary(
    actions=(
        *("move_left", "move_right", "move_up", "move_down", "interact", "sleep", "wait_turn", "place_stone"),
        *("place_table", "place_furnace", "place_plant", "make_wood_pickaxe", "make_stone_pickaxe"),
    ),
    moves={f"move_{way}": way for way in STEPS},
    stats=("health", "food", "drink", "energy"),
    resources=("sapling", "wood", "stone", "coal", "iron", "diamond"),
    tools=("wood_pickaxe", "stone_pickaxe"),
    terrains=(
        *("grass", "sand", "path", "water", "stone", "tree", "lava", "coal", "iron", "diamond", "table"),
        "furnace",
    ),
    walkable=frozenset(("grass", "sand", "path")),
    deadly=frozenset(("lava",)),
    interact="interact",
    sleep="sleep",
    places={
        "place_stone": "stone",
        "place_table": "table",
        "place_furnace": "furnace",
        "place_plant": "plant",
    },
    makes={"make_wood_pickaxe": "wood_pickaxe", "make_stone_pickaxe": "stone_pickaxe"},
    recipes={
        "stone": {"stone": 1},
        "table": {"wood": 2},
        "furnace": {"stone": 4},
        "plant": {"sapling": 1},
        "wood_pickaxe": {"wood": 1},
        "stone_pickaxe": {"wood": 1, "stone": 1},
    },
    wants={"food": "starvation", "drink": "dehydration", "energy": "exhaustion"},
    restores={"food": "ate", "drink": "drank", "energy": "rested"},
)
_REASONS = (
    "A tree is near: gather wood.",
    "Thirsty: look for water.",
    "The meadow is wide: explore.",
    "",
    "Stone in reach: mine it for a pickaxe.",
)
_GROUND = ("grass",) * 12 + ("sand", "path", "water", "stone", "tree", "tree")
_RARE = ("coal", "iron", "lava")
_SIDE = 30


@dataclass
class World:
    """A walk by chance. `deaths`: lava and hunger kill, and end it; else health comes back."""

    seed: int
    deaths: bool = True
    at: Tile = (0, 0)
    facing: str = "down"
    items: dict[str, int] = field(default_factory=dict)
    dead: bool = False

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.stats = dict.fromkeys(WORDS.stats, 9)
        sides = range(-_SIDE, _SIDE)
        self.tiles = {(x, y): self.chance.choice(_GROUND) for x in sides for y in sides}
        for tile in self.chance.sample(sorted(self.tiles), 60):
            self.tiles[tile] = self.chance.choice(_RARE)
        for x in (-1, 0, 1):
            self.tiles[x, 0] = "grass"

    def trace(self, steps: int) -> Trace[GridState]:
        """So many steps, or fewer where it dies."""
        moments, before = [], self.state()
        for step in range(1, steps + 1):
            action = self._choice()
            place = self.at
            self._act(action)
            after = self.state(moved=self.at != place)
            moments.append(Moment(step, action, self.chance.choice(_REASONS), before, after))
            before = after
            if self.dead:
                return Trace(moments, ended="death")
        return Trace(moments)

    def state(self, *, moved: bool = False) -> GridState:
        """What is on the screen now; a few tiles are dark or hidden by creatures."""
        x, y = self.at
        seen = {
            tile: subject
            for dy in range(-3, 4)
            for dx in range(-4, 5)
            if (subject := self.tiles.get(tile := (x + dx, y + dy))) and self.chance.random() > 0.03
        }
        seen[self.at] = self.tiles[self.at]
        held = {name: count for name, count in self.items.items() if count}
        return GridState(
            self.at, self.tiles[self.at], self.facing, dict(self.stats), held, seen, moved, self.dead
        )

    def _choice(self) -> str:
        if self.chance.random() < 0.6:
            turn = self.chance.random() < 0.3
            return f"move_{self.chance.choice(tuple(STEPS)) if turn else self.facing}"
        return self.chance.choice(WORDS.actions[4:])

    def _act(self, action: str) -> None:
        if action in WORDS.moves:
            self.facing = WORDS.moves[action]
        dx, dy = STEPS[self.facing]
        front = (self.at[0] + dx, self.at[1] + dy)
        subject = self.tiles.get(front, "")
        if action in WORDS.moves and (subject in WORDS.walkable or (subject == "lava" and self.deaths)):
            self.at = front
        elif action == "interact":
            self._take(front, subject)
        elif action in WORDS.places or action in WORDS.makes:
            self._use(action, front, subject)
        self._live(action)

    def _take(self, front: Tile, what: str) -> None:
        if what == "water":
            self.stats["drink"] = min(9, self.stats["drink"] + 1)
        elif what in ("tree", "stone", "coal", "iron"):
            name = "wood" if what == "tree" else what
            self.items[name] = min(9, self.items.get(name, 0) + 1)
            self.tiles[front] = "grass" if what == "tree" else "path"
        elif what == "grass" and self.chance.random() < 0.2:
            self.items["sapling"] = min(9, self.items.get("sapling", 0) + 1)

    def _use(self, action: str, front: Tile, what: str) -> None:
        thing = WORDS.places.get(action) or WORDS.makes[action]
        recipe = WORDS.recipes[thing]
        if any(self.items.get(name, 0) < count for name, count in recipe.items()):
            return
        if action in WORDS.places and what not in WORDS.walkable:
            return
        for name, count in recipe.items():
            self.items[name] -= count
        if action in WORDS.makes:
            self.items[thing] = min(9, self.items.get(thing, 0) + 1)
        elif thing != "plant":
            self.tiles[front] = thing

    def _live(self, action: str) -> None:
        for stat in WORDS.stats[1:]:
            if self.chance.random() < 0.04:
                self.stats[stat] = max(0, self.stats[stat] - 1)
        if action == "sleep":
            self.stats["energy"] = min(9, self.stats["energy"] + 1)
        if self.chance.random() < 0.05:
            self.stats["food"] = min(9, self.stats["food"] + 4)
        hunger = any(not self.stats[stat] for stat in WORDS.stats[1:]) and self.chance.random() < 0.1
        attack = self.chance.random() < 0.03
        health = self.stats["health"] - hunger - 2 * attack + (self.chance.random() < 0.08)
        if self.tiles[self.at] == "lava":
            health = 0
        self.stats["health"] = max(0 if self.deaths else 2, min(9, health))
        self.dead = not self.stats["health"]
