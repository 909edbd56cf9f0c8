"""A memory with a shooter's states, and what it says, asked as the engine asks it."""

from __future__ import annotations

import math

import numpy as np

from pitwall.core.memories import (
    ActionEdge,
    ActionMemory,
    MemoryContent,
    MemoryEntry,
    Provenance,
    Retrieval,
    StateNode,
)
from pitwall.core.settings import MemorySettings
from pitwall.memory.retrieval import Recall, weights_of

NOW_S = 1_740_000_000.0
QUERY = "playing shooter_near facing_left health_low ammo_4 armour_half"
SETTINGS = MemorySettings(hint_at=0.6, hints=2)
"""So loose that two candidates of `retrieval` are told."""
_AGENT = Provenance(author="agent", run_id=127, step=388)
_ITEMS = (
    (902, "playing shooter_near facing_left health_low ammo_4", "back_to_doorway", 0.80, 12, 16, 0.2),
    (
        417,
        "playing shooter_near facing_left health_low ammo_4 armour_half",
        "strafe_right",
        0.42,
        20,
        45,
        9.0,
    ),
    (55, "playing shooter_near facing_left health_half ammo_8", "fire", 0.91, 30, 32, 30.0),
    (611, "playing shooter_near facing_right health_low", "strafe_right", 0.66, 9, 11, 4.0),
    (77, "playing door_closed facing_left health_high", "use", 0.83, 9, 11, 1.0),
    (81, "playing nukage health_half ammo_4", "forward(steps=3)", 1.0, 3, 3, 26.0),
    (93, "menu new_game_selected", "confirm", 0.10, 2, 2, 200.0),
    (120, "playing dark corridor facing_left ammo_2", "turn_left", 0.40, 2, 5, 2.0),
)
_NODES = (
    (1001, "hall, shooter left, health low", 0.972, ((2001, "back_to_doorway", 9, 12), (2002, "fire", 3, 9))),
    (1002, "doorway, clear", 0.913, ((2003, "strafe_right", 12, 13),)),
    (1003, "ledge fight, health low", 0.871, ((2004, "jump_down", 2, 2),)),
)


def entry(content: MemoryContent, number: int, *, game: str = "flappy") -> MemoryEntry:
    """An entry that the agent wrote."""
    return MemoryEntry(
        entry_id=number, game_id=game, content=content, provenance=_AGENT, changed_by=_AGENT, version=3
    )


def entries() -> dict[int, MemoryEntry]:
    """The memory that `retrieval` asks."""
    found: dict[int, MemoryContent] = {
        number: ActionMemory(
            state=state,
            action=action,
            reward=reward,
            successes=successes,
            attempts=attempts,
            at_s=NOW_S - age_h * 3600,
        )
        for number, state, action, reward, successes, attempts, age_h in _ITEMS
    }
    for number, text, _, edges in _NODES:
        found[number] = StateNode(text=text)
        for edge, action, good, tries in edges:
            found[edge] = ActionEdge(
                source=number, action=action, count=tries, successes=good, attempts=tries
            )
    return {number: entry(content, number) for number, content in found.items()}


def retrieval(
    step: int = 412,
    *,
    query: str = QUERY,
    settings: MemorySettings = SETTINGS,
    legal: frozenset[str] | None = None,
) -> Retrieval:
    """What that memory says to a state.

    Args:
        legal: actions that may be done; None: all.
    """
    vectors = {number: np.array([v, math.sqrt(1 - v * v)], np.float32) for number, _, v, _ in _NODES}
    recall = Recall(entries().values(), vectors, weights_of(settings))
    return recall.ask(
        query,
        np.array([1, 0], np.float32) if settings.knowledge_graph else None,
        step=step,
        now_s=NOW_S,
        settings=settings,
        legal=lambda action: legal is None or action in legal,
        embedder="minilm",
    )
