"""A retrieval as rows, and what it would be under other weights and figures; what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.pitwall_memory_editor.console.why.retrieval_case import SETTINGS, entries, retrieval

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import MemoryWeights, Retrieval
from pitwall.core.settings import MemorySettings
from pitwall_memory_editor.console.why.columns import became_text, candidate_columns, rank_text
from pitwall_memory_editor.console.why.format import (
    MEANINGS,
    SYMBOLS,
    WEIGHT_TITLES,
    figure_of,
    formulas,
    meaning,
    outcome,
    size_words,
    why_not_asked,
)
from pitwall_memory_editor.console.why.rows import (
    CandidateRow,
    Move,
    imagine,
    parts_of,
    rows_of,
    summary_of,
)

BACK, STRAFE, FIRE = 1, 2, 3
"""Entries of the memory: what they did."""


def row_of(rows: tuple[CandidateRow, ...], entry_id: int) -> CandidateRow:
    return next(row for row in rows if row.candidate.entry_id == entry_id)


def tried(
    result: Retrieval, weights: MemoryWeights | None = None, *changes: MemoryEntry
) -> tuple[CandidateRow, ...]:
    changed = {entry.entry_id: entry for entry in changes}
    return rows_of(result, imagine(result, weights or result.weights, changed))


def with_figures(
    entry_id: int, *, reward: float, successes: int, attempts: int, forgotten: bool = False
) -> MemoryEntry:
    """An entry of the memory with other figures."""
    entry = next(entry for entry in entries() if entry.entry_id == entry_id)
    assert isinstance(entry.content, ActionMemory)
    content = replace(entry.content, reward=reward, successes=successes, attempts=attempts)
    return replace(entry, content=content, forgotten=forgotten)


def test_as_it_is_nothing_moves() -> None:
    result = retrieval()
    rows = tried(result)
    assert len(rows) == len(result.candidates)
    assert {row.move for row in rows} == {Move.NONE}
    assert summary_of(rows) == ""
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    assert [row.candidate.fused for row in rows] == sorted(
        (row.candidate.fused for row in rows), reverse=True
    )


def test_what_was_told_and_what_was_cut_say_so() -> None:
    rows = tried(retrieval())
    assert became_text(row_of(rows, STRAFE)) == "✓ hint"
    assert became_text(row_of(rows, BACK)) == "✓ hint"
    assert became_text(row_of(rows, FIRE)).startswith("✕ its state is not like enough")
    illegal = tried(retrieval(legal=frozenset({"back_to_doorway"})))
    assert became_text(row_of(illegal, STRAFE)) == "✕ not legal here"


def test_what_acts_by_itself_is_marked() -> None:
    sure = retrieval(settings=SETTINGS.model_copy(update={"act_at": 0.8, "reward": 1.0}))
    acts = [row for row in tried(sure) if row.acted]
    assert sure.acted == "back_to_doorway"
    assert [row.candidate.action for row in acts] == [sure.acted]
    assert became_text(acts[0]) == "✓ acted, no model asked"
    assert sure.acted in outcome(sure)


def test_another_weight_moves_them_and_another_threshold_lets_one_in() -> None:
    result = retrieval()
    rows = tried(result, replace(result.weights, reward=0.6))
    assert row_of(rows, BACK).move is Move.UP
    assert row_of(rows, STRAFE).move is Move.DOWN
    assert rank_text(row_of(rows, BACK)) == "2 → 1"
    looser = imagine(result, replace(result.weights, hint_at=0.3), {})
    text = {candidate.entry_id for candidate in looser.candidates if not candidate.cut}
    stricter = rows_of(result, imagine(result, replace(result.weights, hint_at=0.95), {}))
    assert text == {STRAFE, BACK}  # still two hints: there is no room for more
    assert row_of(stricter, BACK).move is Move.CUT
    assert "1 is cut" in summary_of(stricter)
    one_told = retrieval(settings=SETTINGS.model_copy(update={"hint_at": 0.95}))
    entered = tried(one_told, replace(one_told.weights, hint_at=0.6, fuse_graph=0.0))
    assert {row.move for row in entered if row.candidate.entry_id == STRAFE} <= {
        Move.NONE,
        Move.CUT,
        Move.DOWN,
    }
    assert row_of(entered, BACK).move is Move.ENTERS


def test_other_figures_of_an_entry_change_its_r_and_p() -> None:
    result = retrieval()
    rows = tried(result, None, with_figures(STRAFE, reward=7.0, successes=45, attempts=45))
    changed = row_of(rows, STRAFE)
    assert changed.candidate.reward == 1.0
    assert changed.candidate.success == 1.0
    assert changed.before.success == pytest.approx(20 / 45)
    assert changed.candidate.bank > changed.before.bank
    untried = with_figures(STRAFE, reward=0.5, successes=0, attempts=0)
    assert row_of(tried(result, None, untried), STRAFE).candidate.success == 0.0


def test_a_forgotten_one_leaves_the_ranking_and_the_next_moves_up() -> None:
    result = retrieval()
    gone = with_figures(STRAFE, reward=0.4, successes=1, attempts=1, forgotten=True)
    rows = tried(result, None, gone)
    last = rows[-1]
    assert last.candidate.entry_id == STRAFE
    assert last.move is Move.FORGOTTEN
    assert rank_text(last) == "1 → –"
    assert became_text(last) == "✕ forgotten"
    assert row_of(rows, BACK).rank == 1
    assert "1 is forgotten" in summary_of(rows)


def test_an_entry_that_is_no_candidate_changes_nothing() -> None:
    result = retrieval()
    other = with_figures(FIRE, reward=1.0, successes=1, attempts=1)
    assert imagine(result, result.weights, {999: other}) is result


def test_the_parts_of_a_score_add_up_to_it() -> None:
    result = retrieval()
    for candidate in result.candidates:
        whole = sum(part.amount for part in parts_of(candidate, result.weights))
        assert whole == pytest.approx(candidate.fused, abs=1e-9)
    flat = replace(result.candidates[0], jaccard=0.0, cosine=0.0, reward=0.0, success=0.0)
    assert {part.name for part in parts_of(flat, result.weights)} <= {"bank", "graph"}


def test_every_figure_is_explained_by_its_letter_with_the_weights_in_force() -> None:
    weights = MemoryWeights(jaccard=0.31, graph_success=0.77, fuse_graph=0.2)
    assert SYMBOLS.keys() == MEANINGS.keys()
    for name, symbol in SYMBOLS.items():
        assert meaning(name, weights).startswith(symbol.split("_")[0][:1])
    assert "0.31 J" in meaning("bank", weights)
    assert "0.77 ρ" in meaning("graph", weights)
    assert "0.2 × knowledge graph" in formulas(weights)
    assert WEIGHT_TITLES.keys() == set(MemoryWeights.__slots__)
    columns = candidate_columns(weights, advanced=True)
    assert {column.key for column in columns if column.number} == SYMBOLS.keys()
    row = tried(retrieval())[0]
    for column in columns:
        assert column.tip
        assert column.text(row) or (column.cell_tip is not None and column.cell_tip(row))


def test_where_the_graph_says_nothing_there_is_a_dash() -> None:
    result = retrieval(settings=SETTINGS.model_copy(update={"knowledge_graph": False}))
    assert result.graph == ()
    assert {figure_of(candidate, "v") for candidate in result.candidates} == {None}
    columns = candidate_columns(result.weights, advanced=True)
    column = next(column for column in columns if column.key == "rho")
    assert column.text(tried(result)[0]) == "–"
    assert "graph not asked" in size_words(result)


def test_why_a_step_has_no_retrieval() -> None:
    title, _ = why_not_asked(7, None)
    assert title == "Step 7 was decided without asking the memory"
    assert "Global memory only" in why_not_asked(7, MemorySettings(global_only=True))[1]
    off = MemorySettings(action_bank=False, knowledge_graph=False)
    assert "both switched off" in why_not_asked(7, off)[1]
    assert why_not_asked(7, MemorySettings(), "The memory is locked.")[1] == "The memory is locked."


def test_hostile_texts_are_only_texts() -> None:
    result = retrieval()
    bad = replace(result.candidates[0], action="<b>x</b>\n; DROP TABLE entries", state="<img src=x>")
    rows = rows_of(result, replace(result, candidates=(bad, *result.candidates[1:])))
    columns = candidate_columns(result.weights, advanced=True)
    column = next(column for column in columns if column.key == "action")
    assert column.text(row_of(rows, bad.entry_id)) == bad.action
