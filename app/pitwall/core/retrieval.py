"""A question to the memory and its answer, with every figure that made the ranking (SPEC §3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from pitwall.core.observations import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWeights:
    """Figures of SPEC §3's formulas, as the settings have them."""

    jaccard: float = 0.55
    cosine: float = 0.45
    reward: float = 0.15
    success: float = 0.10
    age_h: float = 24.0
    graph_likeness: float = 0.6
    graph_success: float = 0.4
    graph_neighbours: int = 5
    graph_least: float = 0.85
    fuse_bank: float = 0.75
    fuse_graph: float = 0.25
    hint_at: float = 0.85
    act_at: float = 0.92


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSupport:
    """A state node that speaks for an action: v its likeness to the query, ρ its best success rate."""

    node_id: int
    edge_id: int | None
    action: str
    v: float
    rho: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A state of the knowledge graph in words, as evidence for a plan (SPEC §3).

    Attributes:
        text: the state, its actions with their counts, what followed, what failed; texts are in quotes.
    """

    node_id: int
    score: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Holds an SA-MB item of a retrieval.

    Attributes:
        jaccard, cosine, reward, success: J, C, R and P of SPEC §3. recency: exp(−age / 24 h).
        semantic: 0.55 J + 0.45 C. bank: S_MB. bank_norm, graph_norm: min–max normalised.
        fused: the score it is ranked by.
        cut: why it was left out; empty where it entered.
    """

    entry_id: int
    action: str
    state: str
    jaccard: float
    cosine: float
    reward: float
    success: float
    recency: float
    semantic: float
    bank: float
    bank_norm: float = 0.0
    graph: float = 0.0
    graph_norm: float = 0.0
    fused: float = 0.0
    support: tuple[GraphSupport, ...] = ()
    cut: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """Holds a question to the memory, and its whole answer.

    Attributes:
        query: the state in words, normalised.
        candidates: best first; some dozens that missed the cut follow, the nearest first.
        considered: number of ranked items.
        graph: the nodes that the graph contributed.
        fragments: those nodes in words, best first. hints: of the action bank.
        controllers: which controller gets which (`memory.controllers`).
        acted: the action that was taken without a model call.
        took_ms: without the embedding. embedder: name of the embedder, empty where the graph was not used.
    """

    step: int
    query: str
    candidates: tuple[Candidate, ...] = ()
    considered: int = 0
    graph: tuple[GraphSupport, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    hints: tuple[str, ...] = ()
    controllers: str = "shared"
    acted: str = ""
    weights: MemoryWeights = field(default_factory=MemoryWeights)
    took_ms: float = 0.0
    embedder: str = ""
    values: dict[str, Value] = field(default_factory=dict)
