"""Generates the memories of an agent in an open world: states in words, actions, outcomes, one per second.

A made-up player walks about; some of its fields change with each step, and the engine's own function words
them. Actions are tried several times in one state. Seeded.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, MemoryContent, StateNode
from pitwall.core.observations import GameStatus, Value
from pitwall.memory.text import state_summary

GAME = "bench"
NOW_S = 1.8e9
ACTIONS = (
    *("move_left", "move_right", "move_up", "move_down", "interact", "sleep", "wait_turn"),
    *("place_stone", "place_table", "place_furnace", "make_wood_pickaxe", "make_stone_pickaxe"),
)
_TILES = ("grass", "sand", "path", "tree", "stone", "water", "coal", "iron", "table", "cow", "zombie")
_METERS = ("health", "food", "drink", "energy")
_HELD = ("wood", "stone", "coal", "iron", "sapling")
_TOOLS = ("wood_pickaxe", "stone_pickaxe", "iron_pickaxe", "wood_sword", "stone_sword")
_FLAGS = ("near_table", "near_furnace", "acted", "turned", "asleep")
_UNITS = {"daylight": "%"}
BY = Provenance(author="agent", run_id=1, reason="its outcome was seen")


class PlayerWalk:
    """A player's fields from step to step."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._values: dict[str, Value] = {
            "facing": "up",
            "front": "grass",
            "ground": "grass",
            "daylight": 100,
        }
        self._values.update(dict.fromkeys(_METERS, 9))
        self._values.update(dict.fromkeys((*_HELD, *_TOOLS), 0))
        self._values.update(dict.fromkeys(_FLAGS, False))

    def step(self) -> str:
        """Take a step, and return the fields."""
        rng, values = self._rng, self._values
        values["facing"] = rng.choice(("left", "right", "up", "down"))
        values["front"], values["ground"] = rng.choice(_TILES), rng.choice(_TILES[:3])
        for name, most in ((rng.choice(_METERS), 9), (rng.choice(_HELD), 20), (rng.choice(_TOOLS), 1)):
            if rng.random() < 0.5:
                values[name] = rng.randint(0, most)
        values["daylight"] = rng.randint(0, 100)
        flag = rng.choice(_FLAGS)
        values[flag] = not values[flag]
        return state_summary(values, GameStatus.PLAYING, _UNITS)


def states(seed: int) -> Iterator[str]:
    """Yield endless states, each once."""
    walk, seen = PlayerWalk(seed), set[str]()
    while True:
        state = walk.step()
        if state not in seen:
            seen.add(state)
            yield state


def items(count: int, *, seed: int = 1) -> list[MemoryEntry]:
    """Return SA-MB items, the newest last: 1 to 6 actions of each state, one per second until now."""
    rng, entries = random.Random(seed), list[MemoryEntry]()
    for state in states(seed):
        for action in rng.sample(ACTIONS, k=rng.randint(1, 6)):
            attempts = rng.choice((1, 1, 1, 2, 3, 8))
            content = ActionMemory(
                state=state,
                action=action,
                reward=rng.random(),
                successes=rng.randint(0, attempts),
                attempts=attempts,
                at_s=NOW_S - (count - len(entries)),
            )
            entries.append(entry(len(entries) + 1, content))
            if len(entries) == count:
                return entries
    raise AssertionError("states never end")


def questions(entries: list[MemoryEntry], count: int, *, seed: int = 2) -> list[str]:
    """Return states to ask with: a third known, a third with one fact changed, a third never seen."""
    rng, new = random.Random(seed), states(seed)
    asked = []
    for number in range(count):
        words = _state(rng.choice(entries)).split()
        if number % 3 == 1:
            words[rng.randrange(len(words))] = rng.choice(_state(rng.choice(entries)).split())
        asked.append(next(new) if number % 3 == 2 else " ".join(words))
    return asked


def graph(nodes: list[str], *, seed: int = 3) -> list[MemoryEntry]:
    """Return an SA-KG: a node for each text, five actions from each to others."""
    rng = random.Random(seed)
    nodes_made = [entry(number, StateNode(text=text)) for number, text in enumerate(nodes, 1)]
    for number in range(5 * len(nodes)):
        attempts = rng.randint(1, 9)
        content = ActionEdge(
            source=number // 5 + 1,
            target=rng.randint(1, len(nodes)),
            action=rng.choice(ACTIONS),
            count=attempts,
            successes=rng.randint(0, attempts),
            attempts=attempts,
        )
        nodes_made.append(entry(len(nodes) + number + 1, content))
    return nodes_made


def entry(entry_id: int, content: MemoryContent) -> MemoryEntry:
    """Return an entry as the agent would have written it."""
    return MemoryEntry(entry_id=entry_id, game_id=GAME, content=content, provenance=BY, changed_by=BY)


def _state(memory: MemoryEntry) -> str:
    assert isinstance(memory.content, ActionMemory)
    return memory.content.state
