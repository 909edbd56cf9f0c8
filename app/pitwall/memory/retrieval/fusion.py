"""SA-MB and SA-KG fused into one ranking (SPEC §3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights


def fuse(
    candidates: Sequence[Candidate],
    support: Sequence[GraphSupport],
    weights: MemoryWeights,
    *,
    bank_range: tuple[float, float] | None = None,
) -> list[Candidate]:
    """Rank by S = 0.75 Ŝ_MB + 0.25 max Ŝ_KG over the fragments with the same best action; best first.

    Each source is min–max normalised over its whole candidate set; where all are equal, to 1. A candidate
    that no fragment speaks for gets nothing of the graph; actions that only the graph knows do not enter.
    Equal scores go by S_MB, then by number.

    Args:
        candidates: the whole candidate set, or a part of it with
        bank_range: the least and the greatest S_MB of the whole set.
    """
    if not candidates:
        return []
    scores = [candidate.bank for candidate in candidates]
    low, high = bank_range or (min(scores), max(scores))
    fragments = _by_action(support)
    fused = [
        _fused(candidate, low, high, fragments.get(candidate.action, ()), weights) for candidate in candidates
    ]
    return sorted(fused, key=lambda candidate: (-candidate.fused, -candidate.bank, candidate.entry_id))


def min_max(value: float, low: float, high: float) -> float:
    """Return a score's place between the least and the greatest, 0 … 1; 1 if they are equal."""
    return (value - low) / (high - low) if high > low else 1.0


def _by_action(support: Sequence[GraphSupport]) -> dict[str, list[tuple[float, GraphSupport]]]:
    """Return fragments that have a best action, with their normalised scores, the best first."""
    scores = [node.score for node in support]
    grouped: dict[str, list[tuple[float, GraphSupport]]] = {}
    for node in support:
        if node.edge_id is not None:
            norm = min_max(node.score, min(scores), max(scores))
            grouped.setdefault(node.action, []).append((norm, node))
    for fragments in grouped.values():
        fragments.sort(key=lambda pair: (-pair[0], pair[1].node_id))
    return grouped


def _fused(
    candidate: Candidate,
    low: float,
    high: float,
    fragments: Sequence[tuple[float, GraphSupport]],
    weights: MemoryWeights,
) -> Candidate:
    bank_norm = min_max(candidate.bank, low, high)
    graph_norm = fragments[0][0] if fragments else 0.0
    return dataclasses.replace(
        candidate,
        bank_norm=bank_norm,
        graph=fragments[0][1].score if fragments else 0.0,
        graph_norm=graph_norm,
        fused=weights.fuse_bank * bank_norm + weights.fuse_graph * graph_norm,
        support=tuple(fragment for _, fragment in fragments),
    )
