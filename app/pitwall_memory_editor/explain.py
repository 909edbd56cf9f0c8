"""Explains why something was retrieved, and what another weight would have changed; no engine needed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import StateNode
from pitwall.core.retrieval import Candidate, MemoryWeights, Retrieval
from pitwall.core.settings import MemorySettings
from pitwall.memory.reader import MemoryReader
from pitwall.memory.retrieval import reference as direct
from pitwall.memory.retrieval.fusion import fuse
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.memory.retrieval.hints import ILLEGAL, NO_HINTS, SCALE, choose, hint_from_figures, is_sure
from pitwall.memory.retrieval.retriever import MemoryRetriever, weights_of

_KINDS = (MemoryKind.ACTION, MemoryKind.NODE, MemoryKind.EDGE, MemoryKind.LIKENESS)


def rescore(
    retrieval: Retrieval, weights: MemoryWeights, *, hints: int | None = None, act: bool | None = None
) -> Retrieval:
    """Return the same candidates under other weights, or with other figures (R, P) of their own.

    J, C, R, P, recency, v and ρ are taken from the retrieval; every score is computed again. With the
    original weights the result equals the retrieval. Items that were no candidates stay out, and the lower
    end of the scale is the lowest of the candidates.

    Args:
        hints: greatest number of hints; None: as many as there were, or one if there were none.
        act: whether a candidate may act without a model call; None: unless one could have and did not.
    """
    if not retrieval.candidates:  # the bank was not asked: there is nothing to rank
        return dataclasses.replace(retrieval, weights=weights)
    support = [
        dataclasses.replace(node, score=weights.graph_likeness * node.v + weights.graph_success * node.rho)
        for node in retrieval.graph
        if node.v >= weights.graph_least
    ]
    support = support[: weights.graph_neighbours]
    illegal = {candidate.action for candidate in retrieval.candidates if candidate.cut == ILLEGAL}
    shown = [candidate.entry_id for candidate in retrieval.candidates if not candidate.cut]
    texts = dict(zip(shown, retrieval.hints, strict=False))
    choice = choose(
        fuse(
            [_rescored(candidate, retrieval.weights, weights) for candidate in retrieval.candidates],
            support,
            weights,
        ),
        weights,
        hints=_hints_told(retrieval) if hints is None else hints,
        act=_could_act(retrieval) if act is None else act,
        legal=lambda action: action not in illegal,
        words=lambda candidate: texts.get(candidate.entry_id) or hint_from_figures(candidate),
        scale=[candidate.entry_id for candidate in retrieval.candidates if candidate.cut == SCALE],
    )
    return dataclasses.replace(
        retrieval,
        candidates=choice.candidates,
        graph=tuple(support),
        hints=choice.hints,
        acted=choice.acted,
        weights=weights,
    )


def _hints_told(retrieval: Retrieval) -> int:
    nobody = any(candidate.cut == NO_HINTS for candidate in retrieval.candidates)
    return 0 if nobody else max(1, len(retrieval.hints))


def _could_act(retrieval: Retrieval) -> bool:
    first = next((candidate for candidate in retrieval.candidates if candidate.cut in ("", NO_HINTS)), None)
    return bool(retrieval.acted) or first is None or not is_sure(first, retrieval.weights)


def _rescored(candidate: Candidate, before: MemoryWeights, weights: MemoryWeights) -> Candidate:
    """Compute S_MB again; another decay time raises the recency to the power of old over new time."""
    recent = (
        candidate.recency
        if before.age_h == weights.age_h
        else candidate.recency ** (before.age_h / weights.age_h)
    )
    semantic = weights.jaccard * candidate.jaccard + weights.cosine * candidate.cosine
    score = direct.bank_score(semantic, candidate.reward, candidate.success, recent, weights)
    return dataclasses.replace(candidate, recency=recent, semantic=semantic, bank=score)


class Embeds(Protocol):
    """Makes vectors of texts, shape (n, dims)."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


def explain(
    reader: MemoryReader,
    game_id: str,
    query: str,
    settings: MemorySettings,
    now_s: float,
    *,
    embedder: Embeds | None = None,
    legal: Callable[[str], bool] = lambda _: True,
    step: int = 0,
) -> Retrieval:
    """Search the memory's file for a state in words.

    Args:
        embedder: None: the hashing embedder. Its stored vectors are used, missing ones are computed.
        legal: whether an action's text is legal; without a running game all actions count as legal.
    """
    if settings.global_only:
        return MemoryRetriever((), {}, weights_of(settings)).ask(
            query, None, step=step, now_s=now_s, settings=settings, legal=legal
        )
    embedder = embedder or HashingEmbedder()
    entries = reader.entries(game_id, _KINDS)
    vectors = reader.vectors(embedder.name, game_id) if settings.knowledge_graph else {}
    recall = MemoryRetriever(
        entries, vectors, weights_of(settings), bank_items=len(entries), graph_nodes=len(entries)
    )
    vector = None
    if settings.knowledge_graph and len(recall.graph):
        vector = _embed_missing(recall, entries, embedder, query)
    return recall.ask(
        query, vector, step=step, now_s=now_s, settings=settings, legal=legal, embedder=embedder.name
    )


def _embed_missing(
    recall: MemoryRetriever, entries: Sequence[MemoryEntry], embedder: Embeds, query: str
) -> NDArray[np.float32]:
    """Give every node a vector; returns the query's."""
    missing = set(recall.graph.without_vector())
    texts = {
        entry.entry_id: entry.content.text
        for entry in entries
        if entry.entry_id in missing and isinstance(entry.content, StateNode)
    }
    vectors = embedder.embed([query, *texts.values()])
    for node_id, vector in zip(texts, vectors[1:], strict=True):
        recall.set_vector(node_id, vector)
    asked: NDArray[np.float32] = vectors[0]
    return asked
