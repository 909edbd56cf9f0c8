"""SPEC §3 in plain Python: the reference that the fast searches must agree with, item by item.

`action_bank` and `knowledge_graph` find the same results without visiting every item. They compute their
final figures with the functions of this file, so that even roundings agree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pitwall.core.memory_kinds import ActionEdge, ActionMemory
from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights
from pitwall.memory.text import tokens

Counts = Mapping[str, int]
"""Number of occurrences of each token of a text."""
_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class BankItem:
    """An SA-MB item whose state's tokens were counted."""

    entry_id: int
    memory: ActionMemory
    counts: Counts


def counts_of(text: str) -> Counts:
    """Return how often each token occurs in a text."""
    return Counter(tokens(text))


# ---- SA-MB


def rank(text: str, items: Iterable[BankItem], *, now_s: float, weights: MemoryWeights) -> list[Candidate]:
    """Return every item, best first; ties are ordered by entry id."""
    query = counts_of(text)
    scored = [score(query, item, now_s=now_s, weights=weights) for item in items]
    return sorted(scored, key=lambda candidate: (-candidate.bank, candidate.entry_id))


def score(query: Counts, item: BankItem, *, now_s: float, weights: MemoryWeights) -> Candidate:
    """Return S_MB = (0.55 J + 0.45 C + 0.15 R + 0.10 P) · exp(−age / 24 h)."""
    memory = item.memory
    jaccard, cosine = likeness(query, item.counts)
    reward, success = clipped(memory.reward), success_rate(memory.successes, memory.attempts)
    recent = recency(now_s - memory.at_s, weights)
    semantic = weights.jaccard * jaccard + weights.cosine * cosine
    return Candidate(
        entry_id=item.entry_id,
        action=memory.action,
        state=memory.state,
        jaccard=jaccard,
        cosine=cosine,
        reward=reward,
        success=success,
        recency=recent,
        semantic=semantic,
        bank=bank_score(semantic, reward, success, recent, weights),
    )


def bank_score(
    semantic: float, reward: float, success: float, recent: float, weights: MemoryWeights
) -> float:
    """Return the sum of the parts, reduced by age."""
    return (semantic + weights.reward * reward + weights.success * success) * recent


def likeness(query: Counts, item: Counts) -> tuple[float, float]:
    """Return J, Jaccard of the token sets, and C, cosine of the token frequencies; 0 for empty texts."""
    shared = query.keys() & item.keys()
    if not shared:
        return 0.0, 0.0
    jaccard = len(shared) / (len(query) + len(item) - len(shared))
    dot = sum(query[token] * item[token] for token in shared)
    squares = sum(n * n for n in query.values()) * sum(n * n for n in item.values())
    return jaccard, min(1.0, dot / math.sqrt(squares))


def clipped(reward: float) -> float:
    """Return R: the reward average within 0 … 1; NaN counts as 0."""
    if reward > 1.0:
        return 1.0
    return reward if reward > 0.0 else 0.0


def success_rate(successes: int, attempts: int) -> float:
    """Return P, or ρ of an edge: successes / max(1, attempts)."""
    return successes / max(1, attempts)


def recency(age_s: float, weights: MemoryWeights) -> float:
    """Return exp(−age / 24 h); 1 for times in the future."""
    return math.exp(-age_s / (weights.age_h * _HOUR_S)) if age_s > 0.0 else 1.0


# ---- SA-KG


def fragment(
    node_id: int, v: float, outgoing: Mapping[int, ActionEdge], weights: MemoryWeights
) -> GraphSupport:
    """Return S_KG = 0.6 v + 0.4 ρ, ρ the best outgoing success rate (0 without edges), ties by count."""
    best = best_edge(outgoing)
    rho = 0.0 if best is None else success_rate(outgoing[best].successes, outgoing[best].attempts)
    return GraphSupport(
        node_id=node_id,
        edge_id=best,
        action="" if best is None else outgoing[best].action,
        v=v,
        rho=rho,
        score=weights.graph_likeness * v + weights.graph_success * rho,
    )


def best_edge(outgoing: Mapping[int, ActionEdge]) -> int | None:
    """Return the edge with the best success rate, then the most used, then the first; None without edges."""
    order = {
        key: (-success_rate(edge.successes, edge.attempts), -edge.count, key)
        for key, edge in outgoing.items()
    }
    return min(order, key=order.__getitem__, default=None)
