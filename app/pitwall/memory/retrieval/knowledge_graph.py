"""SA-KG in memory: states as vectors, actions as edges between them, likenesses (SPEC §3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionEdge, Likeness, StateNode
from pitwall.core.retrieval import Fragment, GraphSupport, MemoryWeights
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.fragments import fragment_of
from pitwall.memory.retrieval.vector_index import VectorIndex

_SPARE = 0.01


class KnowledgeGraph:
    """The graph of one game, updated with each write.

    Entries may come in any order: a link waits for a missing or forgotten end.

    Args:
        most: greatest number of nodes; `surplus` returns those beyond it.
    """

    def __init__(self, weights: MemoryWeights, *, most: int = 10_000) -> None:
        self.most = most
        self._weights = weights
        self._vectors = VectorIndex()
        self._nodes: dict[int, MemoryEntry] = {}
        self._links: dict[int, ActionEdge | Likeness] = {}
        self._pinned: set[int] = set()  # links that hold their states
        self._touching: dict[int, set[int]] = {}
        self._best: dict[int, dict[int, ActionEdge]] = {}

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._nodes)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._nodes or entry_id in self._links

    def drawn(self) -> Any:
        """Return a networkx MultiDiGraph of the current nodes and of the links between them.

        An edge's key is its id. Its `kind` is "action", with `action`, `count` and `rate`, or "likeness",
        with `cosine`.
        """
        import networkx as nx  # some 0.3 s, and play needs no drawing

        graph = nx.MultiDiGraph()
        graph.add_nodes_from(self._nodes)
        for link_id, link in self._links.items():
            first: int | None
            last: int | None
            facts: dict[str, Any]
            if isinstance(link, Likeness):
                first, last = link.first, link.second
                facts = {"kind": "likeness", "cosine": link.cosine}
            else:
                first, last = link.source, link.target
                rate = direct.success_rate(link.successes, link.attempts)
                facts = {"kind": "action", "action": link.action, "count": link.count, "rate": rate}
            if first in self._nodes and last in self._nodes:
                graph.add_edge(first, last, key=link_id, **facts)
        return graph

    # ---- writing

    def put(self, entry: MemoryEntry) -> None:
        """Take in a node, an edge or a likeness, or what changed of it; a forgotten one is removed.

        Raises:
            TypeError: it is of another kind.
        """
        content = entry.content
        if entry.forgotten:
            self.remove(entry.entry_id)
        elif isinstance(content, StateNode):
            self._nodes[entry.entry_id] = entry
        elif isinstance(content, ActionEdge | Likeness):
            self._drop(entry.entry_id)
            self._links[entry.entry_id] = content
            if entry.pinned:
                self._pinned.add(entry.entry_id)
            for end in _ends(content):
                self._touching.setdefault(end, set()).add(entry.entry_id)
                self._best.pop(end, None)
        else:
            raise TypeError(f"entry {entry.entry_id} is no part of the knowledge graph")

    def set_vector(self, node_id: int, vector: NDArray[np.float32]) -> None:
        """Set a node's embedding. A vector of another length (another embedder) discards all others.

        `without_vector` then lists the nodes that need a new one.
        """
        if node_id not in self._nodes:
            return
        if len(self._vectors) and np.size(vector) != self._vectors.dims:
            self._vectors = VectorIndex()
        self._vectors.put(node_id, vector)

    def remove(self, entry_id: int) -> None:
        """Remove a node (its edges wait for its return), an edge or a likeness."""
        if entry_id in self._nodes:
            del self._nodes[entry_id]
            self._vectors.remove(entry_id)
        self._drop(entry_id)

    def reweigh(self, weights: MemoryWeights) -> None:
        """Use other weights from now on."""
        self._weights = weights

    def surplus(self) -> list[int]:
        """Return the entries to forget when there are more than `most` nodes; none otherwise.

        Nodes whose actions were taken least often go first, then those changed longest ago; pinned ones, and
        those of pinned edges and likenesses, never. 1 % more than necessary are returned, so that the next
        writes need not ask again. Each node is followed by its edges and likenesses.
        """
        if len(self._nodes) <= self.most:
            return []
        held = {end for link_id in self._pinned for end in _ends(self._links[link_id])}
        unpinned = [node for key, node in self._nodes.items() if not node.pinned and key not in held]
        unpinned.sort(key=lambda node: (self._taken(node.entry_id), node.changed_at, node.entry_id))
        gone: dict[int, None] = {}
        for node in unpinned[: len(self._nodes) - int(self.most * (1.0 - _SPARE))]:
            gone.update(dict.fromkeys([node.entry_id, *sorted(self._touching.get(node.entry_id, ()))]))
        return list(gone)

    # ---- asking

    def query(self, vector: NDArray[np.float32]) -> list[GraphSupport]:
        """Return the 5 nearest states with a cosine from 0.85, nearest first, each with its best action.

        A vector of another embedder finds nothing.
        """
        if np.size(vector) != self._vectors.dims:
            return []
        weights = self._weights
        near = self._vectors.nearest(vector, weights.graph_neighbours, weights.graph_least)
        return [direct.fragment(node_id, v, self._best_edge(node_id), weights) for node_id, v in near]

    def fragments(
        self, support: Sequence[GraphSupport], legal: Callable[[str], bool]
    ) -> tuple[Fragment, ...]:
        """Return states in words, best S_KG first; those without a legal action are left out."""
        ranked = sorted(support, key=lambda node: (-node.score, node.node_id))
        made = (
            fragment_of(node, tuple(self._outgoing(node.node_id).values()), self.text, legal)
            for node in ranked
        )
        return tuple(fragment for fragment in made if fragment is not None)

    def nearest(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """Return the k nearest nodes with their cosines, at any distance."""
        return self._vectors.nearest(vector, k) if np.size(vector) == self._vectors.dims else []

    def propose_likenesses(self, node_id: int) -> list[Likeness]:
        """Return new likenesses of a node with its nearest nodes, for the caller to write."""
        vector = self._vectors.get(node_id)
        if vector is None:
            return []
        weights = self._weights
        near = self._vectors.nearest(vector, weights.graph_neighbours + 1, weights.graph_least)
        return [
            Likeness(first=min(node_id, other), second=max(node_id, other), cosine=cosine)
            for other, cosine in near
            if other != node_id and not self._liken(node_id, other)
        ][: weights.graph_neighbours]

    def without_vector(self) -> list[int]:
        """Return the nodes without an embedding."""
        return [node_id for node_id in self._nodes if node_id not in self._vectors]

    def text(self, node_id: int) -> str:
        """Return a node's text; empty for an unknown node."""
        entry = self._nodes.get(node_id)
        return entry.content.text if entry is not None and isinstance(entry.content, StateNode) else ""

    # ---- how

    def _best_edge(self, node_id: int) -> dict[int, ActionEdge]:
        """Return a node's best action, cached until one of its links changes; empty if it has none."""
        known = self._best.get(node_id)
        if known is None:
            outgoing = self._outgoing(node_id)
            best = direct.best_edge(outgoing)
            known = self._best[node_id] = {} if best is None else {best: outgoing[best]}
        return known

    def _outgoing(self, node_id: int) -> dict[int, ActionEdge]:
        """Return the actions from a node, including those that led to forgotten states."""
        links = ((link_id, self._links[link_id]) for link_id in self._touching.get(node_id, ()))
        return {
            link_id: link
            for link_id, link in links
            if isinstance(link, ActionEdge) and link.source == node_id
        }

    def _taken(self, node_id: int) -> int:
        return sum(edge.count for edge in self._outgoing(node_id).values())

    def _liken(self, first: int, other: int) -> bool:
        """Return whether a likeness of two nodes already exists."""
        both = self._touching.get(first, set()) & self._touching.get(other, set())
        return any(isinstance(self._links[link_id], Likeness) for link_id in both)

    def _drop(self, link_id: int) -> None:
        link = self._links.pop(link_id, None)
        if link is None:
            return
        self._pinned.discard(link_id)
        for end in _ends(link):
            self._best.pop(end, None)
            touching = self._touching.get(end, set())
            touching.discard(link_id)
            if not touching:
                self._touching.pop(end, None)


def _ends(link: ActionEdge | Likeness) -> tuple[int, ...]:
    """Return the nodes of a link, each once, beginning with its source."""
    if isinstance(link, Likeness):
        ends: tuple[int | None, ...] = (link.first, link.second)
    else:
        ends = (link.source, link.target)
    return tuple(dict.fromkeys(end for end in ends if end is not None))
