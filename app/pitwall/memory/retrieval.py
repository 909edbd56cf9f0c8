"""A question to the memory, and its whole answer: SA-MB and SA-KG, fused, with hints (SPEC §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry, MemoryWeights, Retrieval
from pitwall.core.settings import MemorySettings


class Recall:
    """The retrieval indexes of one game: action bank and knowledge graph."""

    def __init__(
        self,
        entries: Iterable[MemoryEntry],
        vectors: Mapping[int, NDArray[np.float32]],
        weights: MemoryWeights,
    ) -> None:
        raise NotImplementedError

    def put(self, entry: MemoryEntry) -> None:
        """Follow a write; entries of kinds that are not retrieved are passed over."""
        raise NotImplementedError

    def remove(self, entry_id: int) -> None:
        """Follow a removal."""
        raise NotImplementedError

    def set_vector(self, node_id: int, vector: NDArray[np.float32]) -> None:
        """A node's embedding."""
        raise NotImplementedError

    def ask(
        self,
        query: str,
        vector: NDArray[np.float32] | None,
        *,
        step: int,
        now_s: float,
        settings: MemorySettings,
        legal: Callable[[str], bool],
        embedder: str = "",
    ) -> Retrieval:
        """What the memory says about a state."""
        raise NotImplementedError


def weights_of(settings: MemorySettings) -> MemoryWeights:
    """The figures of the formulas, as the settings have them."""
    return MemoryWeights(**{name: getattr(settings, name) for name in MemoryWeights.__slots__})
