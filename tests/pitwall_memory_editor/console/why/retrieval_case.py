"""A memory with a shooter's states, and what it says, asked as the engine asks it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pitwall.core.memories import MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, MemoryContent, StateNode
from pitwall.core.retrieval import Retrieval
from pitwall.core.settings import MemorySettings
from pitwall.memory.retrieval.retriever import MemoryRetriever, weights_of
from pitwall.memory.store import MemoryStore

GAME = "flappy"
NOW_S = 1_740_000_000.0
QUERY = "playing shooter_near facing_left health_low ammo_4 armour_half"
SETTINGS = MemorySettings(hint_at=0.6, hints=2)
"""So loose that two candidates of `retrieval` are told."""
AGENT = Provenance(author="agent", run_id=127, step=388)
_ITEMS = (
    ("playing shooter_near facing_left health_low ammo_4", "back_to_doorway", 0.80, 12, 16, 0.2),
    ("playing shooter_near facing_left health_low ammo_4 armour_half", "strafe_right", 0.42, 20, 45, 9.0),
    ("playing shooter_near facing_left health_half ammo_8", "fire", 0.91, 30, 32, 30.0),
    ("playing shooter_near facing_right health_low", "strafe_right", 0.66, 9, 11, 4.0),
    ("playing door_closed facing_left health_high", "use", 0.83, 9, 11, 1.0),
    ("playing nukage health_half ammo_4", "forward(steps=3)", 1.0, 3, 3, 26.0),
    ("menu new_game_selected", "confirm", 0.10, 2, 2, 200.0),
    ("playing dark corridor facing_left ammo_2", "turn_left", 0.40, 2, 5, 2.0),
)
_NODES = (
    ("hall, shooter left, health low", 0.972, (("back_to_doorway", 9, 12), ("fire", 3, 9))),
    ("doorway, clear", 0.913, (("strafe_right", 12, 13),)),
    ("ledge fight, health low", 0.871, (("jump_down", 2, 2),)),
)
_LIKENESS = {text: v for text, v, _ in _NODES}


def items() -> list[ActionMemory]:
    """What SA-MB holds."""
    return [
        ActionMemory(
            state=state,
            action=action,
            reward=reward,
            successes=successes,
            attempts=attempts,
            at_s=NOW_S - age_h * 3600,
        )
        for state, action, reward, successes, attempts, age_h in _ITEMS
    ]


def entries() -> list[MemoryEntry]:
    """The memory as entries: items from 1 on, states from 101, what was done in them from 201."""
    contents: dict[int, MemoryContent] = dict(enumerate(items(), 1))
    edge = 200
    for number, (text, _, edges) in enumerate(_NODES, 101):
        contents[number] = StateNode(text=text)
        for action, good, tries in edges:
            edge += 1
            contents[edge] = _edge(number, action, good, tries)
    return [
        MemoryEntry(
            entry_id=number, game_id=GAME, content=content, provenance=AGENT, changed_by=AGENT, version=3
        )
        for number, content in contents.items()
    ]


def keep(store: MemoryStore) -> list[MemoryEntry]:
    """Write that memory into a store; returns its entries as they stand there."""
    _put(store, items())
    nodes = _put(store, [StateNode(text=text) for text, _, _ in _NODES])
    result = zip(nodes, (edges for _, _, edges in _NODES), strict=True)
    _put(store, [_edge(number, *edge) for number, edges in result for edge in edges])
    return store.entries(GAME)


def retrieval(
    step: int = 412,
    *,
    memory: Sequence[MemoryEntry] = (),
    query: str = QUERY,
    settings: MemorySettings = SETTINGS,
    legal: frozenset[str] | None = None,
) -> Retrieval:
    """What the memory says to a state.

    Args:
        memory: its entries; none: those of `entries`.
        legal: actions that may be done; None: all.
    """
    there = list(memory) or entries()
    vectors = {
        item.entry_id: np.array([v, math.sqrt(1 - v * v)], np.float32)
        for item in there
        if isinstance(item.content, StateNode)
        for v in (_LIKENESS.get(item.content.text, 0.1),)
    }
    recall = MemoryRetriever(there, vectors, weights_of(settings))
    return recall.ask(
        query,
        np.array([1, 0], np.float32) if settings.knowledge_graph else None,
        step=step,
        now_s=NOW_S,
        settings=settings,
        legal=lambda action: legal is None or action in legal,
        embedder="minilm",
    )


def _edge(source: int, action: str, good: int, tries: int) -> ActionEdge:
    return ActionEdge(source=source, action=action, count=tries, successes=good, attempts=tries)


def _put(store: MemoryStore, contents: Sequence[MemoryContent]) -> tuple[int, ...]:
    result = store.apply([PutEntry(game_id=GAME, content=content) for content in contents], AGENT)
    assert result.done, result.what
    return result.entry_ids
