"""The columns of a retrieval's candidates: text, order, explanation and drawing of each."""

from __future__ import annotations

from functools import lru_cache, partial

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter

from pitwall.console.kit.row_drawing import font_of
from pitwall.console.kit.table.model import RIGHT, Column
from pitwall.console.kit.theme import SMALL_PX, TEXT_PX, Look
from pitwall.core.retrieval import MemoryWeights
from pitwall_memory_editor.console.why.format import PART_NAMES, SYMBOLS, exact, figure_of, meaning, score
from pitwall_memory_editor.console.why.rows import CandidateRow, Move, parts_of
from pitwall_memory_editor.console.why.score_bar import paint_parts

_LAST = 1_000_000
"""Rank by which a candidate that is not ranked any more is sorted."""
_BAR_PX = 9
_UNUSED_OPACITY = 0.45
_MOVES: dict[Move, tuple[str, str]] = {
    Move.UP: ("▲", "ok"),
    Move.DOWN: ("▼", "neutral"),
    Move.ENTERS: ("▲ in", "ok"),
    Move.CUT: ("▼ out", "stop"),
    Move.FORGOTTEN: ("✕", "stop"),
}
"""The sign beside the rank of a candidate that moved, and the sign's tone."""
_FIGURES = (
    ("fused", 46, 0),
    ("jaccard", 46, 765),
    ("cosine", 46, 765),
    ("reward", 46, 765),
    ("success", 46, 765),
    ("recency", 66, 830),
    ("semantic", 72, 905),
    ("bank", 56, 590),
    ("bank_norm", 56, 1_170),
    ("v", 46, 1_000),
    ("rho", 46, 1_000),
    ("graph", 56, 1_060),
    ("graph_norm", 56, 1_170),
)
"""Each figure: name, width of its column, and width of the table from which on it is shown, in pixels."""


def _figure_column(
    name: str, width: int, least_room: int, weights: MemoryWeights, *, title: str = ""
) -> Column[CandidateRow]:
    explained = meaning(name, weights)

    def changed(row: CandidateRow) -> bool:
        return figure_of(row.candidate, name) != figure_of(row.before, name)

    return Column(
        title or SYMBOLS[name],
        lambda row: score(figure_of(row.candidate, name)),
        key=name,
        number=True,
        tip=explained,
        sort=lambda row: figure_of(row.candidate, name),
        descends=True,
        cell_tip=lambda row: f"{exact(figure_of(row.candidate, name))}\n{explained}",
        tone=lambda row: "text" if row.entered or changed(row) else "dim",
        bold=lambda row: changed(row) or (name == "fused" and row.entered),
        width=width,
        least_room=least_room,
    )


def rank_text(row: CandidateRow) -> str:
    """Return the rank: "3", "3 → 1", "2 → –", "last"."""
    if not row.rank:
        return f"{row.rank_before} → –"
    if row.last and row.rank == row.rank_before:
        return "last"
    return f"{row.rank}" if row.rank == row.rank_before else f"{row.rank_before} → {row.rank}"


def became_text(row: CandidateRow) -> str:
    """Say whether a candidate became a hint, acted or was cut, and why."""
    if not row.rank:
        return "✕ forgotten"
    if row.candidate.cut:
        return f"✕ {row.candidate.cut}"
    if row.acted:
        return "✓ acted, no model asked"
    return "✓ hint" if row.hinted else "✓ entered, no hint"


def _became_tone(row: CandidateRow) -> str:
    if row.entered:
        return "ok"
    return "stop" if row.move in (Move.CUT, Move.FORGOTTEN) else "dim"


def _parts_text(row: CandidateRow, weights: MemoryWeights) -> str:
    """Return a score with its parts: "0.71 · shared words J 0.30 · graph 0.41"."""
    parts = [f"{PART_NAMES[part.name]} {part.amount:.2f}" for part in parts_of(row.candidate, weights)]
    return " · ".join((f"{row.candidate.fused:.2f}", *parts))


def _rank_spoken(row: CandidateRow) -> str:
    if row.move is Move.FORGOTTEN:
        return f"Rank {row.rank_before}, then forgotten"
    if row.rank == row.rank_before:
        return f"Rank {row.rank}"
    return f"Rank {row.rank_before}, then {row.rank}"


def _draw_move(painter: QPainter, room: QRect, row: CandidateRow, look: Look) -> QRect:
    """Draw the sign of a move at the right of the rank."""
    sign, tone = _MOVES.get(row.move, ("", "neutral"))
    painter.setFont(font_of(SMALL_PX, False))
    painter.setPen(look.colour(tone))
    painter.drawText(room, RIGHT, sign)
    return room


def _draw_parts(
    weights: MemoryWeights, painter: QPainter, room: QRect, row: CandidateRow, look: Look
) -> QRect:
    """Draw the score as a bar of its parts."""
    area = QRectF(room.left(), room.top() + (room.height() - _BAR_PX) / 2, room.width(), _BAR_PX)
    painter.setOpacity(1.0 if row.entered else _UNUSED_OPACITY)
    whole = max(1e-9, weights.fuse_bank + weights.fuse_graph)
    paint_parts(painter, area, look, parts_of(row.candidate, weights), whole)
    painter.setOpacity(1.0)
    return room


_RANK: Column[CandidateRow] = Column(
    "Rank",
    rank_text,
    key="rank",
    tip="Its place by S among those listed; 1 is the best",
    sort=lambda row: row.rank or _LAST,
    cell_tip=_rank_spoken,
    spoken=lambda row: f"{_rank_spoken(row)}; entry {row.candidate.entry_id}",
    tone=lambda row: "text" if row.entered or row.move is not Move.NONE else "dim",
    bold=lambda row: row.move is not Move.NONE,
    px=TEXT_PX,
    width=96,
    draw=_draw_move,
)
_ACTION: Column[CandidateRow] = Column(
    "Action",
    lambda row: row.candidate.action,
    key="action",
    tip="The remembered action of the action bank (SA-MB)",
    cell_tip=lambda row: f"{row.candidate.action}\nin a state like: {row.candidate.state}",
    tone=lambda row: "text" if row.entered else "dim",
    bold=lambda row: row.entered,
    px=TEXT_PX,
    width=122,
)
_STATE: Column[CandidateRow] = Column(
    "In a state like",
    lambda row: row.candidate.state,
    key="state",
    tip="The state that the item was written in, as it is compared with the question",
    tone="dim",
    width=104,
    stretch=1,
    least_room=1_340,
)
_OUTCOME: Column[CandidateRow] = Column(
    "Outcome",
    became_text,
    key="became",
    tip="Told to the controllers, taken without a model call, or cut and why",
    sort=lambda row: (bool(row.candidate.cut) or not row.rank, row.candidate.cut, row.rank),
    tone=_became_tone,
    width=176,
    stretch=1,
)


@lru_cache(maxsize=4)
def candidate_columns(weights: MemoryWeights, *, advanced: bool) -> tuple[Column[CandidateRow], ...]:
    """Return the columns of a retrieval with these weights; every figure has one where *Advanced* is on."""
    fused, *others = _FIGURES
    figures = [
        _figure_column(*fused, weights, title="" if advanced else "Score"),
        *(_figure_column(*figure, weights) for figure in others if advanced),
    ]
    parts = Column(
        "Parts of S",
        lambda _: "",
        key="bar",
        tip="S by its parts. The action bank's share is divided in proportion to its terms",
        sort=lambda row: row.candidate.fused,
        descends=True,
        cell_tip=lambda row: _parts_text(row, weights),
        spoken=lambda row: f"Parts of S: {_parts_text(row, weights)}",
        exact=lambda row: _parts_text(row, weights),
        width=96,
        draw=partial(_draw_parts, weights),
    )
    return (_RANK, _ACTION, _STATE, parts, *figures, _OUTCOME)
