"""A made-up graph of any size, for measuring: rooms full of states, actions within and between them."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from pitwall.console.graph.model import GraphEntries, Ints
from pitwall.core.memories import ActionEdge, Likeness, MemoryContent, MemoryEntry, Provenance, StateNode

_PLACES = ("hall", "doorway", "corridor", "pit edge", "key room", "armour room", "ledge", "nukage bridge")
_SEEN = ("clear", "shooter left", "shooter right", "two shooters", "lit door", "dark", "barrel near")
_ACTIONS = ("forward", "back", "strafe left", "strafe right, fire", "fire", "turn left", "turn right", "use")
_ROOM = 100


def generated(nodes: int, edges: int, likenesses: int = 0, *, seed: int = 1) -> GraphEntries:
    """A graph of these sizes, the same for the same seed.

    States lie in rooms of a hundred; of the actions 85 % stay in the room, most others lead next door,
    and likenesses join states of one room.
    """
    made = np.random.default_rng(seed)
    rooms = max(1, nodes // _ROOM)
    room = np.sort(made.integers(0, rooms, nodes))
    begins = np.searchsorted(room, np.arange(rooms + 1))

    def within(which: Ints) -> Ints:
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

    states: list[MemoryContent] = [_state(number, int(room[number]), made) for number in range(nodes)]
    actions: list[MemoryContent] = [
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
    like: list[MemoryContent] = [
        Likeness(first=int(first[number]) + 1, second=int(second[number]) + 1, cosine=float(cosine[number]))
        for number in range(likenesses)
    ]
    return GraphEntries(
        game_id="generated",
        nodes=_entries(states, 1),
        edges=_entries(actions, nodes + 1),
        likenesses=_entries(like, nodes + edges + 1),
    )


def _state(number: int, room: int, made: np.random.Generator) -> StateNode:
    place, seen = _PLACES[room % len(_PLACES)], _SEEN[int(made.integers(len(_SEEN)))]
    return StateNode(text=f"{place} {room} {seen} hp {int(made.integers(1, 11)) * 10} seen {number}")


def _entries(contents: list[MemoryContent], first: int) -> tuple[MemoryEntry, ...]:
    at = datetime(2025, 3, 1, tzinfo=UTC).isoformat()
    by = Provenance(author="agent", run_id=1, reason="made up")
    return tuple(
        MemoryEntry(
            entry_id=first + number,
            game_id="generated",
            content=content,
            provenance=by,
            changed_by=by,
            created_at=at,
            changed_at=at,
        )
        for number, content in enumerate(contents)
    )
