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
from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights, Retrieval
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
    """The same candidates under other weights, or with other figures (R, P) of their own.

    A pure function of the retrieval: J, C, R, P, recency, v and ρ are taken from it and every score is
    worked out anew. With the weights that it was made with, it is the retrieval again. Two things it cannot
    know: items that were no candidates stay out, and the lower end of the scale is the lowest of those that
    are.

    Args:
        hints: how many are told at most; None: as many as there were, one where there was none to tell.
        act: whether one may act without a model call; None: unless one could have and did not.
    """
    if not retrieval.candidates:  # the bank was not asked: there is nothing to rank
        return dataclasses.replace(retrieval, weights=weights)
    support = [_reweighed(one, weights) for one in retrieval.graph if one.v >= weights.graph_least]
    support = support[: weights.graph_neighbours]
    illegal = {one.action for one in retrieval.candidates if one.cut == ILLEGAL}
    told = [one.entry_id for one in retrieval.candidates if not one.cut]
    texts = dict(zip(told, retrieval.hints, strict=False))
    choice = choose(
        fuse([_rescored(one, retrieval.weights, weights) for one in retrieval.candidates], support, weights),
        weights,
        hints=_hints_told(retrieval) if hints is None else hints,
        act=_could_act(retrieval) if act is None else act,
        legal=lambda action: action not in illegal,
        words=lambda one: texts.get(one.entry_id) or hint_from_figures(one),
        scale=[one.entry_id for one in retrieval.candidates if one.cut == SCALE],
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
    nobody = any(one.cut == NO_HINTS for one in retrieval.candidates)
    return 0 if nobody else max(1, len(retrieval.hints))


def _could_act(retrieval: Retrieval) -> bool:
    first = next((one for one in retrieval.candidates if one.cut in ("", NO_HINTS)), None)
    return bool(retrieval.acted) or first is None or not is_sure(first, retrieval.weights)


def _rescored(one: Candidate, before: MemoryWeights, weights: MemoryWeights) -> Candidate:
    """S_MB anew; another decay time raises the recency to the power of the old one over the new one."""
    recent = one.recency if before.age_h == weights.age_h else one.recency ** (before.age_h / weights.age_h)
    semantic = weights.jaccard * one.jaccard + weights.cosine * one.cosine
    score = direct.bank_score(semantic, one.reward, one.success, recent, weights)
    return dataclasses.replace(one, recency=recent, semantic=semantic, bank=score)


def _reweighed(one: GraphSupport, weights: MemoryWeights) -> GraphSupport:
    return dataclasses.replace(one, score=weights.graph_likeness * one.v + weights.graph_success * one.rho)


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
    """Ask the memory's file about a state in words.

    Args:
        embedder: None: by hashing. Vectors that the file has of it are used, the others are made here.
        legal: whether an action's text may be done; without a game running nobody knows, and all are.
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
        one.entry_id: one.content.text
        for one in entries
        if one.entry_id in missing and isinstance(one.content, StateNode)
    }
    vectors = embedder.embed([query, *texts.values()])
    for node_id, vector in zip(texts, vectors[1:], strict=True):
        recall.set_vector(node_id, vector)
    asked: NDArray[np.float32] = vectors[0]
    return asked
