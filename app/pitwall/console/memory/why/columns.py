"""The columns of a retrieval's candidates: what each says, what it sorts by, what it means. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pitwall.console.memory.why.format import SYMBOLS, exact, figure_of, meaning, score
from pitwall.console.memory.why.rows import CandidateRow, Move, parts_of
from pitwall.core.memories import MemoryWeights

LAST = 1_000_000
"""Rank of what is not ranked any more."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        figure: name of a candidate's figure; empty: something else.
        tip: what it is; {names} are weights. Empty: the figure's own meaning.
        key: what it sorts by. least_room: the table is at least so wide, or it is left out.
    """

    name: str
    title: str
    width: int
    text: Callable[[CandidateRow], str]
    key: Callable[[CandidateRow], Any]
    figure: str = ""
    tip: str = ""
    number: bool = True
    least_room: int = 0


def rank_text(row: CandidateRow) -> str:
    """ "3", "3 → 1", "2 → –", "last"."""
    if not row.rank:
        return f"{row.rank_before} → –"
    if row.last and row.rank == row.rank_before:
        return "last"
    return f"{row.rank}" if row.rank == row.rank_before else f"{row.rank_before} → {row.rank}"


def became_text(row: CandidateRow) -> str:
    """What became of a candidate: told, acted, or cut and why."""
    if not row.rank:
        return "✕ forgotten"
    if row.candidate.cut:
        return f"✕ {row.candidate.cut}"
    if row.acted:
        return "✓ acted, no model asked"
    return "✓ told" if row.told else "✓ entered, not told"


def _figure(name: str, width: int, least_room: int = 0) -> Column:
    return Column(
        name,
        SYMBOLS[name],
        width,
        lambda row: score(figure_of(row.candidate, name)),
        lambda row: -(figure_of(row.candidate, name) or 0.0),
        figure=name,
        least_room=least_room,
    )


COLUMNS: tuple[Column, ...] = (
    Column(
        "rank",
        "Rank",
        96,
        rank_text,
        lambda row: row.rank or LAST,
        tip="Its place by S among those listed; 1 is the best",
        number=False,
    ),
    Column(
        "action",
        "Action",
        122,
        lambda row: row.candidate.action,
        lambda row: row.candidate.action.casefold(),
        tip="What SA-MB remembers was done",
        number=False,
    ),
    Column(
        "state",
        "In a state like",
        104,
        lambda row: row.candidate.state,
        lambda row: row.candidate.state,
        tip="The state that the item was written in, as it is compared with the question",
        number=False,
        least_room=1_340,
    ),
    Column(
        "bar",
        "What made S",
        96,
        lambda _: "",
        lambda row: -row.candidate.fused,
        tip="S by its parts. SA-MB's share is divided in proportion to its terms",
        number=False,
    ),
    _figure("fused", 44),
    _figure("jaccard", 42, 760),
    _figure("cosine", 42, 760),
    _figure("reward", 42, 760),
    _figure("success", 42, 760),
    _figure("recency", 66, 820),
    _figure("semantic", 72, 895),
    _figure("bank", 50, 590),
    _figure("bank_norm", 50, 1_130),
    _figure("v", 42, 980),
    _figure("rho", 42, 980),
    _figure("graph", 50, 1_030),
    _figure("graph_norm", 50, 1_130),
    Column(
        "became",
        "What became of it",
        176,
        became_text,
        lambda row: (bool(row.candidate.cut) or not row.rank, row.candidate.cut, row.rank),
        tip="Told to the controllers, taken without a model call, or cut and why",
        number=False,
    ),
)


def meaning_of(column: Column, weights: MemoryWeights) -> str:
    """What a column is, with the weights in force."""
    return meaning(column.figure, weights) if column.figure else column.tip


def tip_of(row: CandidateRow, column: Column, weights: MemoryWeights) -> str:
    """A cell's tool tip: the figure to four decimals, and what it is."""
    if column.figure:
        return f"{exact(figure_of(row.candidate, column.figure))}\n{meaning_of(column, weights)}"
    if column.name == "bar":
        return f"{_parts_said(row, weights)}\n{column.tip}"
    if column.name == "rank":
        return _move_said(row)
    if column.name == "action":
        return f"{row.candidate.action}\nin a state like: {row.candidate.state}"
    return column.text(row)


def spoken_cell(row: CandidateRow, column: Column, weights: MemoryWeights) -> str:
    """A cell for a screen reader."""
    if column.name == "bar":
        return f"{column.title}: {_parts_said(row, weights)}"
    if column.name == "rank":
        return f"{_move_said(row)}; entry {row.candidate.entry_id}"
    return f"{column.title}: {column.text(row)}"


def _parts_said(row: CandidateRow, weights: MemoryWeights) -> str:
    parts = parts_of(row.candidate, weights)
    said = ", ".join(f"{SYMBOLS.get(part.name, 'SA-MB')} {part.amount:.2f}" for part in parts)
    return f"S {row.candidate.fused:.2f} = {said.replace(', ', ' + ')}" if said else "S 0.00"


def _move_said(row: CandidateRow) -> str:
    if row.move is Move.FORGOTTEN:
        return f"Rank {row.rank_before}, then forgotten"
    if row.rank == row.rank_before:
        return f"Rank {row.rank}"
    return f"Rank {row.rank_before}, then {row.rank}"
