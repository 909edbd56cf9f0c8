"""SA-KG in memory: states as vectors, actions as edges, likenesses (SPEC §3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import GraphSupport, Likeness, MemoryEntry, MemoryWeights


class KnowledgeGraph:
    """The graph of one game."""

    def __init__(self, weights: MemoryWeights, *, most: int = 10_000) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        """Nodes."""
        raise NotImplementedError

    @property
    def graph(self) -> nx.MultiDiGraph[Any]:
        """Ids of nodes; edges keyed by their own ids, with kind "action" or "likeness"."""
        raise NotImplementedError

    def put(self, entry: MemoryEntry) -> None:
        """Take in a node, an edge or a likeness, or what changed of it; a forgotten one is removed."""
        raise NotImplementedError

    def set_vector(self, node_id: int, vector: NDArray[np.float32]) -> None:
        """A node's embedding."""
        raise NotImplementedError

    def remove(self, entry_id: int) -> None:
        """Leave out a node (its edges with it), an edge or a likeness."""
        raise NotImplementedError

    def surplus(self) -> list[int]:
        """Nodes that are more than `most`, the first to go first; never a pinned one."""
        raise NotImplementedError

    def reweigh(self, weights: MemoryWeights) -> None:
        """Answer by other weights from now on."""
        raise NotImplementedError

    def query(self, vector: NDArray[np.float32]) -> list[GraphSupport]:
        """The nearest states that are near enough, nearest first, each with its best action."""
        raise NotImplementedError

    def nearest(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """The k nearest nodes with their cosines, however far."""
        raise NotImplementedError

    def propose_likenesses(self, node_id: int) -> list[Likeness]:
        """Similarity edges of a new node, for the caller to write."""
        raise NotImplementedError

    def without_vector(self) -> Sequence[int]:
        """Nodes whose embedding is missing."""
        raise NotImplementedError
