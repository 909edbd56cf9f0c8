"""A retrieval as rows, also as ranked with other weights and other figures of its entries. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import Candidate, MemoryWeights, Retrieval
from pitwall.memory.retrieval.hints import SCALE
from pitwall.memory.retrieval.reference import clipped, success_rate
from pitwall_memory_editor.explain import rescore


class Move(StrEnum):
    """The move of a candidate in another ranking."""

    NONE = ""
    UP = "up"
    DOWN = "down"
    ENTERS = "enters"
    CUT = "cut"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow:
    """A candidate, before and after.

    Attributes:
        candidate: its current figures; its old ones if it is not ranked any more.
        rank: rank by S among the candidates, 1 for the best; 0 if it is not ranked any more.
        acted: its action is taken without a model call. hinted: it became a hint.
        last: it is listed only because it ranks last of the whole bank.
    """

    candidate: Candidate
    rank: int
    before: Candidate
    rank_before: int
    acted: bool = False
    hinted: bool = False

    @property
    def last(self) -> bool:
        return self.candidate.cut == SCALE

    @property
    def move(self) -> Move:
        if not self.rank:
            return Move.FORGOTTEN
        if bool(self.before.cut) != bool(self.candidate.cut):
            return Move.ENTERS if self.before.cut else Move.CUT
        if self.rank == self.rank_before:
            return Move.NONE
        return Move.UP if self.rank < self.rank_before else Move.DOWN

    @property
    def entered(self) -> bool:
        """Return whether it became a hint or acts."""
        return bool(self.rank) and not self.candidate.cut


@dataclass(frozen=True, slots=True)
class ScorePart:
    """A part of a score, by its name in `format.PART_NAMES`."""

    name: str
    amount: float


def imagine(retrieval: Retrieval, weights: MemoryWeights, tried: Mapping[int, MemoryEntry]) -> Retrieval:
    """Return the retrieval under the tried weights and entries.

    Args:
        tried: changed entries; those that are no candidates do not matter.
    """
    if weights == retrieval.weights and not any(
        candidate.entry_id in tried for candidate in retrieval.candidates
    ):
        return retrieval
    kept = [
        _with(candidate, tried.get(candidate.entry_id))
        for candidate in retrieval.candidates
        if candidate.entry_id not in tried or not tried[candidate.entry_id].forgotten
    ]
    return rescore(replace(retrieval, candidates=tuple(kept)), weights)


def _with(candidate: Candidate, tried: MemoryEntry | None) -> Candidate:
    if tried is None or not isinstance(tried.content, ActionMemory):
        return candidate
    rate = success_rate(tried.content.successes, tried.content.attempts)
    return replace(candidate, reward=clipped(tried.content.reward), success=rate)


def rows_of(before: Retrieval, after: Retrieval) -> tuple[CandidateRow, ...]:
    """Return rows by their rank in `after`; candidates that are not in it any more come last."""
    old = {candidate.entry_id: (rank, candidate) for rank, candidate in enumerate(_ranked(before), 1)}
    rows = []
    for rank, candidate in enumerate(_ranked(after), 1):
        rank_before, was = old.pop(candidate.entry_id, (rank, candidate))
        rows.append(
            CandidateRow(
                candidate=candidate,
                rank=rank,
                before=was,
                rank_before=rank_before,
                acted=bool(after.acted) and after.acted == candidate.action and not candidate.cut,
                hinted=bool(after.hints) and not candidate.cut,
            )
        )
    gone = [
        CandidateRow(candidate=candidate, rank=0, before=candidate, rank_before=rank)
        for rank, candidate in old.values()
    ]
    return (*rows, *gone)


def _ranked(retrieval: Retrieval) -> list[Candidate]:
    """Return the candidates in fusion's order, cut ones included."""
    return sorted(
        retrieval.candidates, key=lambda candidate: (-candidate.fused, -candidate.bank, candidate.entry_id)
    )


def summary_of(rows: tuple[CandidateRow, ...]) -> str:
    """Return the changes as half a sentence; empty without changes."""
    counts = [
        (sum(row.move is Move.ENTERS for row in rows), "enters", "enter"),
        (sum(row.move is Move.CUT for row in rows), "is cut", "are cut"),
        (sum(row.move is Move.UP for row in rows), "moves up", "move up"),
        (sum(row.move is Move.DOWN for row in rows), "moves down", "move down"),
        (sum(row.move is Move.FORGOTTEN for row in rows), "is forgotten", "are forgotten"),
    ]
    return ", ".join(f"{count} {noun if count == 1 else many}" for count, noun, many in counts if count)


def parts_of(candidate: Candidate, weights: MemoryWeights) -> tuple[ScorePart, ...]:
    """Return the parts of the fused score, which add up to it.

    The share of SA-MB is divided in proportion to the terms of its sum.
    """
    bank = weights.fuse_bank * candidate.bank_norm
    terms = {
        "jaccard": weights.jaccard * candidate.jaccard,
        "cosine": weights.cosine * candidate.cosine,
        "reward": weights.reward * candidate.reward,
        "success": weights.success * candidate.success,
    }
    whole = sum(terms.values())
    parts = [ScorePart(name, bank * term / whole) for name, term in terms.items() if term > 0]
    if not parts and bank > 0:
        parts = [ScorePart("bank", bank)]
    graph = weights.fuse_graph * candidate.graph_norm
    return (*parts, ScorePart("graph", graph)) if graph > 0 else tuple(parts)
