"""A question to the memory, and its whole answer: SA-MB and SA-KG, fused, with hints (SPEC §3)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, Likeness, StateNode
from pitwall.core.observations import Value
from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights, Retrieval
from pitwall.core.settings import MemorySettings
from pitwall.memory.retrieval.action_bank import ActionBank
from pitwall.memory.retrieval.fusion import fuse
from pitwall.memory.retrieval.hints import Choice, choose, fragments, hint_of, hint_of_fragment
from pitwall.memory.retrieval.knowledge_graph import KnowledgeGraph
from pitwall.memory.text import normalise

_SHOWN = 16
"""The best items by S_MB that an answer holds; those that are like enough, and those that the graph speaks
for, come to them."""
_SUPPORTED, _ALIKE, _MOST_ALIKE = 8, 8, 128


class MemoryRetriever:
    """The retrieval indexes of one game, action bank and knowledge graph, updated with each write.

    Args:
        entries: of every kind; kinds that are not retrieved are ignored.
        vectors: of nodes, all by one embedder.
        bank_items, graph_nodes: greatest numbers; `surplus` returns the entries beyond them.
    """

    def __init__(
        self,
        entries: Iterable[MemoryEntry],
        vectors: Mapping[int, NDArray[np.float32]],
        weights: MemoryWeights,
        *,
        bank_items: int = 100_000,
        graph_nodes: int = 10_000,
    ) -> None:
        self.bank = ActionBank(weights, most=bank_items)
        self.graph = KnowledgeGraph(weights, most=graph_nodes)
        for entry in sorted(entries, key=_executed):  # the newest last, as if they had just been written
            self.put(entry)
        for node_id, vector in vectors.items():
            self.set_vector(node_id, vector)

    def put(self, entry: MemoryEntry) -> None:
        """Follow a write; a forgotten entry is left out."""
        if isinstance(entry.content, ActionMemory):
            self.bank.put(entry)
        elif isinstance(entry.content, StateNode | ActionEdge | Likeness):
            self.graph.put(entry)

    def remove(self, entry_id: int) -> None:
        """Follow a removal; an entry that is not here is none."""
        self.bank.remove(entry_id)
        self.graph.remove(entry_id)

    def set_vector(self, node_id: int, vector: NDArray[np.float32]) -> None:
        """Set a node's embedding."""
        self.graph.set_vector(node_id, vector)

    def surplus(self, settings: MemorySettings) -> list[int]:
        """Return the entries to forget when a cap is exceeded; the indexes remove nothing on their own."""
        self.bank.most, self.graph.most = settings.bank_items, settings.graph_nodes
        return [*self.bank.surplus(), *self.graph.surplus()]

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
        values: Mapping[str, Value] | None = None,
    ) -> Retrieval:
        """Search the memory for a state.

        If the bank is switched off, nothing is ranked. Where both controllers share their hints, the graph's
        states then give them, the best S_KG first, and none of them acts.

        Args:
            query: the state in words. vector: its embedding; None while there is none.
            step: number of the step that is decided. now_s: UTC seconds since 1970.
            settings: weights, thresholds, switches, number of hints.
            legal: whether an action's text is legal now.
            embedder: name of the embedder that made the vector.
            values: the state reader's fields, stored with the answer.
        """
        began = time.perf_counter()
        text, weights = normalise(query), weights_of(settings)
        self.bank.reweigh(weights)
        self.graph.reweigh(weights)
        support: list[GraphSupport] = []
        choice = Choice(candidates=(), hints=(), acted="")
        asks_graph = settings.knowledge_graph and not settings.global_only and vector is not None
        if vector is not None and asks_graph:
            support = self.graph.query(vector)
        asks_bank = settings.action_bank and not settings.global_only
        if asks_bank:
            choice = self._choose(text, support, now_s=now_s, settings=settings, legal=legal)
        hints = choice.hints
        if not asks_bank and settings.controllers == "shared":
            hints = tuple(
                hint_of_fragment(fragment) for fragment in fragments(support, settings.hints, legal)
            )
        return Retrieval(
            step=step,
            query=text,
            candidates=choice.candidates,
            considered=len(self.bank) if asks_bank else 0,
            graph=tuple(support),
            fragments=self.graph.fragments(support, legal),
            hints=hints,
            controllers=settings.controllers,
            acted=choice.acted,
            weights=weights,
            took_ms=(time.perf_counter() - began) * 1e3,
            embedder=embedder if asks_graph else "",
            values=dict(values or {}),
        )

    def _choose(
        self,
        text: str,
        support: Sequence[GraphSupport],
        *,
        now_s: float,
        settings: MemorySettings,
        legal: Callable[[str], bool],
    ) -> Choice:
        """Rank the candidates, normalised over the whole bank, and choose the hints.

        The graph raises all items of an action equally, so their order stays that of S_MB; items that it does
        not raise keep their order too. The best of the fused ranking are therefore among the best by S_MB and
        the best of each action that the graph supports. The same holds among sufficiently similar items. The
        item with the lowest score is added for the scale.
        """
        bank, weights = self.bank, weights_of(settings)
        matches = {candidate.entry_id: candidate for candidate in bank.query(text, now_s=now_s, k=_SHOWN)}
        if not matches:
            return Choice(candidates=(), hints=(), acted="")
        best = next(iter(matches.values()))
        more = self._alike(text, now_s=now_s, settings=settings, legal=legal)
        for action in dict.fromkeys(node.action for node in support if node.edge_id is not None):
            more += bank.query(text, now_s=now_s, k=_SUPPORTED, action=action)
            more += bank.alike(text, now_s=now_s, least=weights.hint_at, action=action)
        matches.update((candidate.entry_id, candidate) for candidate in more)
        last = bank.last(text, now_s=now_s)
        assert last is not None
        scale = () if last.entry_id in matches else (last.entry_id,)
        matches[last.entry_id] = last
        return choose(
            fuse(list(matches.values()), support, weights, bank_range=(last.bank, best.bank)),
            weights,
            hints=settings.hints,
            act=settings.act_directly,
            legal=legal,
            words=self._words,
            scale=scale,
        )

    def _alike(
        self, text: str, *, now_s: float, settings: MemorySettings, legal: Callable[[str], bool]
    ) -> list[Candidate]:
        """Return sufficiently similar items: enough for the wanted number of legal actions, or all."""
        count = _ALIKE
        while True:
            matches = self.bank.alike(text, now_s=now_s, least=settings.hint_at, k=count)
            actions = {candidate.action for candidate in matches if legal(candidate.action)}
            if len(matches) < count or len(actions) >= max(1, settings.hints) or count >= _MOST_ALIKE:
                return matches
            count *= 4

    def _words(self, candidate: Candidate) -> str:
        memory = self.bank.memory(candidate.entry_id)
        assert memory is not None
        return hint_of(candidate, memory)


def weights_of(settings: MemorySettings) -> MemoryWeights:
    """Return the weights of the formulas from the settings."""
    return MemoryWeights(**{name: getattr(settings, name) for name in MemoryWeights.__slots__})


def _executed(entry: MemoryEntry) -> float:
    return entry.content.at_s if isinstance(entry.content, ActionMemory) else 0.0
