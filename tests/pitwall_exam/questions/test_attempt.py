"""A person's sitting, without a screen: what is asked, kept, left out, and gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pitwall_exam.console.made_exams import make_answers, make_exam, record_grid_run

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall_exam.answering.person import PersonAnswerer, Reply
from pitwall_exam.answering.run_record import recorded
from pitwall_exam.answering.session import same_answerer
from pitwall_exam.questions.attempt import SECONDS, Attempt, for_persons, kept_before
from pitwall_exam.questions.folder import ExamFolder
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import NOT_ANSWERABLE


@pytest.fixture
def exam() -> Exam:
    return make_exam(1)


@pytest.fixture
def folder(tmp_path: Path, exam: Exam) -> ExamFolder:
    result = ExamFolder(DataFolder(tmp_path), exam.exam_id)
    result.save(exam)
    return result


def test_nothing_is_asked_about_reasons(exam: Exam) -> None:
    left_out = {question.id for question in exam.questions} - {
        for_person.id for for_person in for_persons(exam)
    }
    assert {item.template for item in exam.questions if item.id in left_out} == {"A_reason", "B_keyword"}


def test_every_answer_is_kept_and_a_sitting_that_was_left_goes_on(exam: Exam, folder: ExamFolder) -> None:
    sitting = Attempt.begin(exam, folder, "closed")
    assert folder.sheets() == ()
    sitting.answer("  1 ", 3.5)
    first = sitting.save_later()
    sitting.not_answerable(2.0)
    sitting.answer("   ", 1.0)
    sitting.time_up()
    first()
    sitting.save_later()()
    (file,) = folder.sheets()
    kept = folder.answers(file.key)
    assert [(answer.text, answer.problem) for answer in kept.answers] == [
        ("1", ""),
        (NOT_ANSWERABLE, ""),
        ("", "cannot remember"),
        ("", "the time was up"),
    ]
    again = Attempt.begin(exam, folder, "closed")
    assert again.current == sitting.current
    assert (again.done, again.number) == (4, 5)
    assert kept_before(folder, exam, "open") is None
    while again.current is not None:
        again.answer("x", 1.0)
        again.save_later()()
    assert len(folder.sheets()) == 1
    assert Attempt.begin(exam, folder, "closed").done == 0


def test_a_question_that_was_left_goes_on_with_the_rest_of_its_time(exam: Exam, folder: ExamFolder) -> None:
    """Leaving gives no new minute, not even before the first answer; a fresh sitting begins anew."""
    sitting = Attempt.begin(exam, folder, "closed")
    sitting.leave(42.0)
    sitting.save_later()()
    assert folder.sheets() == ()
    again = Attempt.begin(exam, folder, "closed")
    assert (again.current, again.spent_s) == (sitting.current, 42.0)
    assert Attempt.begin(exam, folder, "open").spent_s == 0.0
    again.answer("1", 50.0)
    again.save_later()()
    assert folder.seen_s("person-closed") == {}
    again.leave(7.0)
    again.save_later()()
    assert Attempt.begin(exam, folder, "closed").spent_s == 7.0
    fresh = Attempt.begin(exam, folder, "closed", fresh=True)
    assert fresh.spent_s == 0.0


def test_a_fresh_sitting_leaves_the_old_one_be(exam: Exam, folder: ExamFolder) -> None:
    old = Attempt.begin(exam, folder, "open")
    old.answer("1", 1.0)
    old.save_later()()
    fresh = Attempt.begin(exam, folder, "open", fresh=True)
    assert fresh.done == 0
    fresh.forgotten(4.0)
    fresh.save_later()()
    assert [file.number for file in folder.sheets()] == [1, 2]


def test_other_answerers_sheets_are_no_sitting(exam: Exam, folder: ExamFolder) -> None:
    folder.save_answers(make_answers(exam, "recall", "recall", answered=3))
    assert kept_before(folder, exam, "closed") is None


def test_a_sheet_that_cannot_be_read_is_said(exam: Exam, folder: ExamFolder) -> None:
    (folder.root / "answers-a-person-closed-book-1.json").write_text("{", encoding="utf-8")
    with pytest.raises(PitwallError, match="is damaged"):
        Attempt.begin(exam, folder, "closed")


def test_a_closed_sitting_is_the_same_at_the_terminal(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    exam = make_exam(record_grid_run(data, frames=0)).model_copy(update={"inventory": "general"})
    folder = ExamFolder(data, exam.exam_id)
    sitting = Attempt.begin(exam, folder, "closed")
    sitting.answer("1", 1.0)
    sitting.save_later()()
    kept = folder.answers(folder.sheets()[0].key)
    terminal = PersonAnswerer(
        exam.sheet(),
        recorded(data, exam.sheet()),
        kind="person-closed",
        ask=lambda *_: Reply("leave"),
        seconds=SECONDS,
    )
    assert same_answerer(kept, terminal)
    asked = [question.id for question in exam.sheet().questions if not terminal.passes_over(question)]
    assert asked == [for_person.id for for_person in for_persons(exam)]
