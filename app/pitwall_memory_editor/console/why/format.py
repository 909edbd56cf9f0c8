"""Texts of a retrieval: figures by SPEC's letters, formulas, outcomes. No Qt."""

from __future__ import annotations

import math

from pitwall.core.quantities import NONE, counted
from pitwall.core.retrieval import Candidate, GraphSupport, MemoryWeights, Retrieval
from pitwall.core.settings import MemorySettings

SYMBOLS: dict[str, str] = {
    "jaccard": "J",
    "cosine": "C",
    "reward": "R",
    "success": "P",
    "recency": "recency",
    "semantic": "semantic",
    "bank": "S_MB",
    "v": "v",
    "rho": "ρ",
    "graph": "S_KG",
    "bank_norm": "Ŝ_MB",
    "graph_norm": "Ŝ_KG",
    "fused": "S",
}
"""Figures of a candidate by the letters of SPEC §3."""
MEANINGS: dict[str, str] = {
    "jaccard": "J: words that both states have, of the words that either has (Jaccard of the token sets)",
    "cosine": "C: cosine of the word counts of both states",
    "reward": "R: what the action brought on average, between 0 and 1",
    "success": "P: how often it succeeded, of the times it was tried",
    "recency": "recency: e to the power of −age / {age_h:g} h; it multiplies the sum",
    "semantic": "semantic: {jaccard:g} J + {cosine:g} C. From {hint_at:g} on it becomes a hint; from "
    "{act_at:g} on it may act without a model call",
    "bank": "S_MB = ({jaccard:g} J + {cosine:g} C + {reward:g} R + {success:g} P) · recency: "
    "the score of the action bank",
    "v": "v: cosine of the likest state of the graph that speaks for the same action. States below "
    "{graph_least:g} do not count",
    "rho": "ρ: best success rate of an action from that state",
    "graph": "S_KG = {graph_likeness:g} v + {graph_success:g} ρ: the score of the knowledge graph",
    "bank_norm": "Ŝ_MB: S_MB between the least (0) and the greatest (1) of all candidates",
    "graph_norm": "Ŝ_KG: S_KG between the least (0) and the greatest (1) of the graph's states; 0 where none "
    "speaks for the action",
    "fused": "S = {fuse_bank:g} Ŝ_MB + {fuse_graph:g} Ŝ_KG: the score that the rank goes by",
}
"""Explanation of each figure. Names in braces are weights in force."""
PART_NAMES: dict[str, str] = {
    "jaccard": "shared words J",
    "cosine": "word counts C",
    "reward": "reward R",
    "success": "success P",
    "bank": "action bank",
    "graph": "graph",
}
"""Parts of a score, as its bar names them."""
WEIGHT_TITLES: dict[str, str] = {
    "jaccard": "J, shared words",
    "cosine": "C, word counts",
    "reward": "R, reward",
    "success": "P, success rate",
    "age_h": "Fades within",
    "graph_likeness": "v, likeness",
    "graph_success": "ρ, success rate",
    "graph_neighbours": "Nearest states",
    "graph_least": "Least v",
    "fuse_bank": "action bank",
    "fuse_graph": "knowledge graph",
    "hint_at": "Hint from",
    "act_at": "Act from",
}
"""Label of each weight's input."""


def meaning(figure: str, weights: MemoryWeights) -> str:
    """Return the explanation of a figure, with the current weights."""
    return MEANINGS[figure].format(**{name: getattr(weights, name) for name in MemoryWeights.__slots__})


def figure_of(candidate: Candidate, figure: str) -> float | None:
    """Return a candidate's figure by its name in `SYMBOLS`; None if the graph does not give it."""
    if figure in ("v", "rho", "graph", "graph_norm"):
        best = best_support(candidate)
        if best is None:
            return None
        return {"v": best.v, "rho": best.rho}.get(figure, getattr(candidate, figure, 0.0))
    value: float = getattr(candidate, figure)
    return value


def best_support(candidate: Candidate) -> GraphSupport | None:
    """Return the state that supports a candidate most; None if none does."""
    return max(candidate.support, key=lambda node: (node.score, -node.node_id), default=None)


def score(value: float | None) -> str:
    """Return a score with two decimals: "0.62"; a dash for none."""
    if value is None:
        return NONE
    return f"{value:.2f}" if math.isfinite(value) else "?"


def exact(value: float | None) -> str:
    """Return a score with four decimals, for a tool tip."""
    return NONE if value is None else f"{value:.4f}"


def formulas(weights: MemoryWeights) -> str:
    """Write the formulas of the score."""
    w = weights
    return (
        f"The action bank (SA-MB) scores {w.jaccard:g} × shared words (J) + {w.cosine:g} × word counts (C) "
        f"+ {w.reward:g} × reward (R) + {w.success:g} × success rate (P), faded with age to 1/e in "
        f"{w.age_h:g} h. The knowledge graph (SA-KG) scores {w.graph_likeness:g} × likeness (v) + "
        f"{w.graph_success:g} × success rate (ρ), of the "
        f"{w.graph_neighbours} nearest states at {w.graph_least:g} or above. Both are normalised; the rank "
        f"goes by {w.fuse_bank:g} × action bank + {w.fuse_graph:g} × knowledge graph."
    )


def graph_words(retrieval: Retrieval) -> str:
    """Return the number of states that the graph gave."""
    if not retrieval.embedder:
        return "graph not asked"
    states = len(retrieval.graph)
    gave = counted(states, "state") if states else "no like state"
    return f"graph gave {gave}"


def size_words(retrieval: Retrieval) -> str:
    """Describe how many items were ranked and listed, and the time it took."""
    listed = len(retrieval.candidates)
    some = f"{retrieval.considered:,} ranked" if retrieval.considered else "action bank not asked, or empty"
    if listed and retrieval.considered > listed:
        some += f", {listed} listed"
    took = f"{retrieval.took_ms:.2f} ms" if retrieval.took_ms else ""
    return " · ".join(filter(None, (some, graph_words(retrieval), took)))


def outcome(retrieval: Retrieval) -> str:
    """Return the outcome of a retrieval as a sentence."""
    if retrieval.acted:
        return f"It acted without a model call: {retrieval.acted}"
    hints = len(retrieval.hints)
    if hints:
        return f"{counted(hints, 'hint')} for the controllers"
    if not retrieval.candidates:
        return "No hints: the memory holds nothing to compare"
    return "No hints: no candidate was similar enough"


# ---- steps without a retrieval


def why_not_asked(step: int, memory: MemorySettings | None, trouble: str = "") -> tuple[str, str]:
    """Say why a step has no retrieval: a title and a sentence.

    Args:
        memory: settings of that time; None if unknown.
        trouble: the engine's message about the memory; empty for none.
    """
    title = f"Step {step:,} was decided without asking the memory"
    if memory is not None and memory.global_only:
        return title, "“Global memory only” is on, an ablation: no hints, no L4, no L5."
    if memory is not None and not memory.action_bank and not memory.knowledge_graph:
        return title, "Action bank and knowledge graph are both switched off in the settings."
    if trouble:
        return title, trouble
    return title, "The memory was not open yet, or the run is older than the record of what it was asked."


NOTHING_YET = (
    "Nothing was asked yet",
    "Before each decision the agent asks its memory what it knows of a state like this. The question, every "
    "candidate's figures and what was cut stand here, as it plays or for a recorded step.",
)
