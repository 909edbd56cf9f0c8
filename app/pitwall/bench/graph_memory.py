"""A made-up graph of any size in a memory of its own: rooms of states, actions within and between."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import ActionEdge, Likeness, MemoryContent, Provenance, StateNode
from pitwall.core.paths import DataFolder
from pitwall.memory.store import AgentWrite, MemoryStore

GAME = "generated"
_PLACES = ("hall", "doorway", "corridor", "pit_edge", "key_room", "armour_room", "ledge", "nukage_bridge")
_SEEN = ("clear", "shooter_left", "shooter_right", "two_shooters", "lit_door", "dark", "barrel_near")
_ACTIONS = ("forward", "back", "strafe left", "strafe right, fire", "fire", "turn left", "turn right", "use")
_ROOM = 100
_BATCH = 5_000
_BY = Provenance(author="agent", run_id=1, reason="made up")


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up graph; actions and likenesses name states by their place in `nodes`, from 1."""

    nodes: Sequence[StateNode]
    edges: Sequence[ActionEdge]
    likenesses: Sequence[Likeness]


def write_memory(data: DataFolder, made: Made) -> None:
    """Put a graph into a data folder's memory, as an agent would have learnt it."""
    with MemoryStore.open(data, role="bench") as store:
        ids = _write(store, made.nodes)
        edges = [
            dataclasses.replace(
                edge,
                source=ids[edge.source - 1],
                target=ids[edge.target - 1] if edge.target is not None else None,
            )
            for edge in made.edges
        ]
        likenesses = [
            dataclasses.replace(like, first=ids[like.first - 1], second=ids[like.second - 1])
            for like in made.likenesses
        ]
        _write(store, edges)
        _write(store, likenesses)


def _write(store: MemoryStore, contents: Sequence[MemoryContent]) -> list[int]:
    ids: list[int] = []
    for begin in range(0, len(contents), _BATCH):
        part = contents[begin : begin + _BATCH]
        written = store.write([AgentWrite(game_id=GAME, content=content, provenance=_BY) for content in part])
        ids += [entry.entry_id for entry in written if entry is not None]
    return ids


def make_graph(nodes: int, edges: int, likenesses: int = 0, *, seed: int = 1) -> Made:
    """A graph of these sizes, the same for the same seed.

    States lie in rooms of a hundred; of the actions 85 % stay in the room, most others lead next door,
    and likenesses join states of one room.
    """
    made = np.random.default_rng(seed)
    rooms = max(1, nodes // _ROOM)
    room = np.sort(made.integers(0, rooms, nodes))
    begins = np.searchsorted(room, np.arange(rooms + 1))

    def within(which: NDArray[np.int64]) -> NDArray[np.int64]:
        low, high = begins[which], np.maximum(begins[which] + 1, begins[which + 1])
        return np.asarray(np.minimum(low + (made.random(len(which)) * (high - low)).astype(int), nodes - 1))

    source = made.integers(0, nodes, edges)
    kind = made.random(edges)
    step = np.where(kind < 0.85, 0, np.where(kind < 0.99, made.integers(1, 4, edges), 0))
    target = within((room[source] + step) % rooms)
    target[kind >= 0.99] = made.integers(0, nodes, int((kind >= 0.99).sum()))
    tries = 1 + made.geometric(0.25, edges)
    good = made.binomial(tries, made.beta(3.0, 2.0, edges))
    first = made.integers(0, nodes, likenesses)
    second = within(room[first])
    second = np.where(second == first, (second + 1) % nodes, second)
    cosine = made.uniform(0.85, 0.99, likenesses)

    states = [_state(number, int(room[number]), made) for number in range(nodes)]
    actions = [
        ActionEdge(
            source=int(source[number]) + 1,
            target=int(target[number]) + 1,
            action=_ACTIONS[int(made.integers(len(_ACTIONS)))],
            count=int(tries[number]),
            reward=float(good[number] / tries[number]),
            successes=int(good[number]),
            attempts=int(tries[number]),
        )
        for number in range(edges)
    ]
    alike = [
        Likeness(first=int(first[number]) + 1, second=int(second[number]) + 1, cosine=float(cosine[number]))
        for number in range(likenesses)
    ]
    return Made(states, actions, alike)


def _state(number: int, room: int, made: np.random.Generator) -> StateNode:
    place, seen = _PLACES[room % len(_PLACES)], _SEEN[int(made.integers(len(_SEEN)))]
    return StateNode(text=f"playing {place}_{room} {seen} hp_{int(made.integers(1, 11)) * 10} nr_{number}")
