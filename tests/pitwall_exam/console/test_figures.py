"""Marks, rows and comparisons of the Exam page, without a screen."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.pitwall_exam.console.made_exams import make_answers, make_exam, write_exam

from pitwall.core.paths import DataFolder
from pitwall.core.quantities import interval_text, points_text
from pitwall_exam.console.format import horizon_words, score_words, steps_words, truth_words
from pitwall_exam.console.questions.evidence import evidence_of
from pitwall_exam.console.questions.rows import QuestionSelection, rows_of, selected_rows
from pitwall_exam.marking.baselines import BASELINES, best_of
from pitwall_exam.marking.comparison import correctness, differences, marks_of
from pitwall_exam.marking.scoring import marks
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.repository import ExamRepository

EXAM = make_exam(1, repeats=3)
RECALL = marks_of(EXAM, make_answers(EXAM, "recall", "recall"), "recall-1")
PART = marks_of(EXAM, make_answers(EXAM, "retrieval", "retrieval", answered=20), "retrieval-1")


def test_marks_of_a_whole_sheet_are_the_scorers_and_of_a_part_those_of_what_is_answered() -> None:
    assert RECALL.whole
    assert RECALL.marks == marks(EXAM, RECALL.sheet)
    assert not PART.whole
    assert PART.marks.overall.n == 20
    answered = EXAM.model_copy(update={"questions": EXAM.questions[:20]})
    assert PART.marks == marks(answered, PART.sheet)


def test_persons_have_answered_the_whole_where_nothing_but_reasons_is_left() -> None:
    sheet = make_answers(EXAM, "person-closed", "a person · closed book")
    kept = [answer for answer in sheet.answers if "reason" not in EXAM.questions[int(answer.id) - 1].text]
    side = marks_of(EXAM, sheet.model_copy(update={"answers": tuple(kept)}), "a-person-1")
    assert side.whole
    assert side.of == len(kept) < len(EXAM.questions)


def test_rows_are_narrowed_by_everything_that_is_wanted_at_once() -> None:
    rows = rows_of(EXAM, RECALL, PART)
    assert [row.at for row in rows] == list(range(1, len(EXAM.questions) + 1))
    temporal = selected_rows(rows, QuestionSelection(ability=Ability.TEMPORAL, words="food FIRST"))
    assert {row.question.template for row in temporal} == {"E_before"}
    assert all(
        correctness(row.score) == "right" for row in selected_rows(rows, QuestionSelection(right="right"))
    )
    late = selected_rows(rows_of(EXAM, PART), QuestionSelection(right="unanswered"))
    assert [row.at for row in late] == list(range(21, len(EXAM.questions) + 1))
    assert all(math.isnan(row.score) for row in late)
    none = selected_rows(rows, QuestionSelection(answerable=False))
    assert {row.question.ability for row in none} == {Ability.ADVERSARIAL}
    assert selected_rows(rows_of(EXAM, None), QuestionSelection(differs=True)) == []


def test_two_answerers_are_compared_over_what_both_answered() -> None:
    overall, *_ = differences(EXAM, RECALL, PART)
    assert overall.n == 20
    common = EXAM.questions[:20]
    wanted = sum(RECALL.marks.scores[item.id] - PART.marks.scores[item.id] for item in common) / 20
    assert overall.difference == pytest.approx(wanted)
    empty = marks_of(EXAM, make_answers(EXAM, "in-context", "in context", answered=0), "in-context-1")
    assert differences(EXAM, RECALL, empty) == ()


def test_evidence_names_each_step_once_with_who_names_it() -> None:
    result = evidence_of((5, 9), {"recall": (9, 12), "retrieval": (12,)})
    assert [(item.step, item.named_by) for item in result] == [
        (5, "truth"),
        (9, "truth, recall"),
        (12, "recall, retrieval"),
    ]


def test_published_marks_are_the_sources() -> None:
    assert best_of("visual").overall == 43.8
    assert best_of("text").overall == 51.9
    assert best_of("visual", "steps 1 to 50").overall == 48.2
    assert best_of("text", "steps 1 to 50").overall == 54.7
    assert all(len(baseline.accuracy) == len(Ability) for baseline in BASELINES)
    assert len({item.name for item in BASELINES}) == len(BASELINES)
    persons = [element for element in BASELINES if element.who == "Persons, open book"]
    assert [person.of(Ability.SPATIAL) for person in persons] == [34.7, 54.9]


def test_words_of_scores_intervals_and_steps() -> None:
    assert [score_words(item) for item in (1.0, 0.0, 0.82, math.nan)] == ["✓ 1", "✗ 0", "≈ 0.82", "–"]
    assert interval_text(0.31, 0.86) == "31 … 86 %"
    assert [points_text(element) for element in (0.12, -0.035, 0.0, 0.325)] == ["+12", "−3.5", "0", "+32"]
    assert steps_words((57, 58, 90, 101), 3) == "57, 58, 90 … (4)"
    assert truth_words(("up 3", "right 2", "left 1")) == "up 3  (or 2 more)"
    assert horizon_words(50, 199) == "steps 1 to 50"
    assert horizon_words(300, 199) == "whole episode, 199 steps"


def test_the_shelf_reads_what_changed_and_says_what_it_cannot_read(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    shelf = ExamRepository(data)
    assert shelf.read() == ()
    write_exam(data, EXAM, [RECALL.sheet, RECALL.sheet])
    (first,) = shelf.read()
    assert [side.name for side in first.sides] == ["recall", "recall (2)"]
    assert first.counts[Ability.SINGLE_HOP] == 12
    (again,) = shelf.read()
    assert again.sides[0] is first.sides[0]
    folder = data.exams / EXAM.exam_id
    (folder / "answers-recall-2.json").write_text("{", encoding="utf-8")
    (folder / "exam.json").touch()
    (third,) = shelf.read()
    assert len(third.sides) == 1
    assert "answers-recall-2.json is damaged" in third.unread[0]
    (folder / "exam.json").write_text("[]", encoding="utf-8")
    (fourth,) = shelf.read()
    assert fourth.exam is None
    assert "is damaged" in fourth.fault
