"""Why something was retrieved, and what another weight would have changed; no engine needed."""

from __future__ import annotations

from pitwall.core.memories import MemoryWeights, Retrieval
from pitwall.core.settings import MemorySettings
from pitwall.memory.reader import MemoryReader


def rescore(retrieval: Retrieval, weights: MemoryWeights) -> Retrieval:
    """The same candidates under other weights."""
    raise NotImplementedError


def explain(
    reader: MemoryReader, game_id: str, query: str, settings: MemorySettings, now_s: float
) -> Retrieval:
    """What the memory says about a state in words, from the file."""
    raise NotImplementedError
