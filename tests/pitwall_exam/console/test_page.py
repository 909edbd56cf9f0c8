"""The Exam page on real data folders, driven through Qt; what it begins are real `pitwall exam` commands."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import bridge_with_engine, button, texts
from tests.console.recorded_runs import record_run
from tests.pitwall_exam.console.made_exams import make_answers, make_exam, record_grid_run, write_exam

from pitwall.console.kit.language.catalogue import Catalogue, use
from pitwall.console.kit.theme import Look
from pitwall.core.paths import DataFolder
from pitwall_exam.console.choices import ExamChoices, SnapshotChoice
from pitwall_exam.console.commands import AnswerOrder
from pitwall_exam.console.dialogs import AnswerDialog, NewExam
from pitwall_exam.console.page import ExamPage
from pitwall_exam.marking.scoring import marks
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.attempt import for_persons, short_paper
from pitwall_exam.questions.folder import ExamFolder, exams_of
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answers

_WAIT_MS = 120_000


@dataclass
class PageHarness:
    """The page under test."""

    page: ExamPage
    data: DataFolder
    bot: QtBot

    def wait(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=_WAIT_MS)

    def press(self, name: str, inside: QWidget | None = None) -> None:
        QTest.mouseClick(button(inside or self.page, name), Qt.MouseButton.LeftButton)

    def read(self) -> None:
        """Read what there is now."""
        self.page.read()
        self.wait(lambda: not self.page.again.reading)

    def exam(self, answered: bool = True) -> Exam:
        """An exam over a recorded run, answered by two; in view."""
        exam = make_exam(record_grid_run(self.data, frames=20), repeats=2)
        sheets = [
            make_answers(exam, "recall", "recall"),
            make_answers(exam, "retrieval", "retrieval · small", model="small"),
        ]
        write_exam(self.data, exam, sheets if answered else ())
        self.read()
        self.wait(lambda: self.page.exam is not None and self.page.questions.rows != [])
        return exam


@pytest.fixture
def desk(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[PageHarness]:
    """The page, on a data folder where no exam was made."""
    assert screen
    bridge, _ = bridge_with_engine(tmp_path)
    page = ExamPage(bridge, Look(qapp, "dark"))
    page.resize(1216, 640)
    page.show()
    page.opened()
    qtbot.waitUntil(lambda: page.exams is not None, timeout=_WAIT_MS)
    yield PageHarness(page, bridge.data, qtbot)
    page.close_reading()
    qtbot.waitUntil(lambda: not page.doing.job.running, timeout=_WAIT_MS)
    bridge.shutdown()
    shiboken6.delete(page)


# ---- marks


def test_with_no_exam_the_page_says_what_comes_and_offers_one(desk: PageHarness) -> None:
    assert "No exam was made here yet" in texts(desk.page)
    assert button(desk.page, "New exam…").isVisible()
    assert not desk.page.head.answer.isVisible()


def test_marks_are_those_of_the_scorer_by_ability_with_the_published_ones_beside(desk: PageHarness) -> None:
    exam = desk.exam()
    page = desk.page
    side = page.marks.sides[0]
    assert side is not None
    assert side.key == "recall-1"
    wanted = marks(exam, ExamFolder(desk.data, exam.exam_id).answers("recall-1"))
    *lines, f1 = page.marks.table.lines
    assert f1.first is not None
    assert (f1.title, f1.first.accuracy) == ("F1", wanted.overall.f1)
    assert f1.published == pytest.approx(0.39)
    shown = {line.ability: line for line in lines}
    assert shown[None].first == wanted.overall
    for ability in Ability:
        assert shown[ability].first == wanted.of(ability)
        assert shown[ability].of == sum(question.ability is ability for question in exam.questions)
    assert shown[Ability.SINGLE_HOP].published == pytest.approx(0.63)
    assert shown[None].published == pytest.approx(0.438)
    page.marks.radar.read(0)
    assert "GPT-5.1" in page.marks.radar.read_text
    assert "recall" in page.marks.radar.read_text


def test_accuracy_over_distance_counts_each_answerable_question_once(desk: PageHarness) -> None:
    exam = desk.exam()
    page = desk.page
    far = [question for question in exam.questions if question.evidence and question.answerable]
    spots = page.marks.distances.spots
    assert [spot.head for spot in spots][-1] == "over 100 steps back"
    (recalled,) = [value for spot in spots[-1:] for value in spot.rows]
    older = [question for question in far if exam.last_step - max(question.evidence) > 100]
    assert (f"{len(older)} question" in recalled.strong) == bool(older)
    as_csv = page.marks.distances.csv
    assert as_csv is not None
    written = list(csv.DictReader(io.StringIO(as_csv())))
    assert sum(int(row["questions"]) for row in written) == len(far)


def test_a_click_on_an_answerer_shows_its_marks(desk: PageHarness) -> None:
    desk.exam()
    page = desk.page
    page.marks.choose("recall-1")
    table = page.marks.systems
    assert [side.name for side in table.rows.rows] == ["recall", "retrieval · small"]
    row = table.visualRect(table.rows.index(1, 0))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert page.marks.first.current == "retrieval-small-1"
    shown = page.marks.sides[0]
    assert shown is not None
    assert page.marks.table.lines[0].first == shown.marks.of(Ability.SINGLE_HOP)


def test_two_answerers_are_compared_over_the_same_questions(desk: PageHarness) -> None:
    desk.exam()
    page = desk.page
    page.marks.choose("recall-1", "retrieval-small-1")
    assert "recall is above retrieval · small" in texts(page.marks)
    assert len(page.marks.radar.lines) == 3
    page.questions.filter.differs.setChecked(True)
    rows = page.questions.rows
    assert rows
    assert all(row.score != row.other_score for row in rows)
    page.marks.choose("recall-1", "recall-1")
    assert page.marks.sides[1] is None


def test_an_ability_of_the_table_leads_to_its_questions(desk: PageHarness) -> None:
    desk.exam()
    table = desk.page.marks.table
    table.activated.emit(table.rows.index(3, 0))
    assert {row.question.ability for row in desk.page.questions.rows} == {Ability.SPATIAL}
    assert desk.page.questions.isVisible()


# ---- questions


def test_questions_are_narrowed_by_score_answerability_and_words(desk: PageHarness) -> None:
    exam = desk.exam()
    desk.page.room.bring(desk.page.questions)
    questions, bar = desk.page.questions, desk.page.questions.filter
    bar.right.setCurrentText("✗ wrong")
    assert all(row.score == 0 for row in questions.rows)
    bar.clear()
    bar.answerable.setCurrentText("not answerable")
    assert {row.question.truth for row in questions.rows} == {(NOT_ANSWERABLE,)}
    bar.clear()
    bar.search.setText("WATER nearest")
    desk.wait(lambda: 0 < len(questions.rows) < len(exam.questions))
    assert {row.question.template for row in questions.rows} == {"D_direction"}
    bar.search.setText("zebra")
    desk.wait(lambda: not questions.rows)
    desk.press("Show every question")
    assert len(questions.rows) == len(exam.questions)


def test_questions_are_sorted_and_what_has_no_score_comes_last(desk: PageHarness) -> None:
    exam = make_exam(record_grid_run(desk.data, frames=0), repeats=2)
    write_exam(desk.data, exam, [make_answers(exam, "recall", "recall", answered=20, skill=0.5)])
    desk.read()
    desk.wait(lambda: bool(desk.page.questions.rows))
    table = desk.page.questions.table
    at = [column.title for column in table.rows.columns].index("Score")
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        table.sortByColumn(at, order)
        assert [row.score != row.score for row in table.rows.rows][-12:] == [True] * 12
    assert "20 of 32 answered so far" in texts(desk.page.marks)


def test_the_evidence_steps_of_a_question_lead_to_the_replay(desk: PageHarness) -> None:
    exam = desk.exam()
    page, view = desk.page, desk.page.questions.evidence
    page.room.bring(desk.page.questions)
    page.questions.table.choose("012")
    steps = [item.step for item in view.listed if item.truth]
    assert steps == [9, 31, 93]
    assert view.step == 9
    desk.wait(lambda: "the tree is" in texts(view))
    desk.wait(lambda: not view.frame.image.isNull())
    wanted: list[tuple[int, int]] = []
    page.step_wanted.connect(lambda run, step: wanted.append((run, step)))
    view.steps.choose(31)
    desk.wait(lambda: view.frame.image.isNull())
    desk.press("Show this step in the replay")
    assert wanted == [(exam.run_id, 31)]


def test_what_is_read_again_keeps_the_chosen_question(desk: PageHarness) -> None:
    exam = desk.exam()
    desk.page.questions.table.choose("007")
    write_exam(desk.data, exam, [make_answers(exam, "in-context", "in context")])
    desk.read()
    desk.wait(lambda: desk.page.exam is not None and len(desk.page.exam.sides) == 3)
    row = desk.page.questions.table.current
    assert row is not None
    assert row.question.id == "007"


def test_damaged_files_are_said_and_the_rest_is_shown(desk: PageHarness) -> None:
    exam = desk.exam()
    folder = desk.data.exams / exam.exam_id
    (folder / "answers-broken-1.json").write_text("{", encoding="utf-8")
    desk.read()
    desk.wait(lambda: "answers-broken-1.json is damaged" in texts(desk.page.marks))
    assert desk.page.marks.sides[0] is not None
    (folder / "exam.json").write_text("{", encoding="utf-8")
    desk.read()
    desk.wait(lambda: "This exam cannot be read" in texts(desk.page))


def test_keys_lead_from_the_search_to_a_step_and_into_a_sitting(desk: PageHarness) -> None:
    exam = desk.exam()
    page, key = desk.page, Qt.Key
    page.activateWindow()
    desk.wait(page.isActiveWindow)
    QTest.keyClick(page, key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.questions.filter.search.hasFocus()
    table, steps = page.questions.table, page.questions.evidence.steps
    table.setFocus()
    QTest.keyClick(table, key.Key_Down)
    row = table.current
    assert row is not None
    assert row.question.id == "002"
    QTest.keyClick(table, key.Key_Return)
    assert steps.hasFocus()
    desk.wait(lambda: "Step 31 · " in texts(page.questions.evidence))
    with desk.bot.waitSignal(page.step_wanted) as asked:
        QTest.keyClick(steps, key.Key_Return)
    assert asked.args == [exam.run_id, 31]
    QTest.keyClick(page, key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert page.sitting.isVisible()
    desk.press("How many questions: All questions", page.sitting)
    page.sitting.begin()
    QTest.keyClick(page, key.Key_Y, Qt.KeyboardModifier.AltModifier)
    assert page.sitting.question == exam.questions[1].asked
    QTest.keyClick(page, key.Key_Escape)
    assert not page.sitting.isVisible()


# ---- a person's exam


def test_a_person_answers_leaves_and_goes_on(desk: PageHarness) -> None:
    exam = desk.exam(answered=False)
    page, view = desk.page, desk.page.sitting
    page.sit()
    desk.press("How many questions: All questions", view)
    desk.press("Begin", view)
    assert view.question == exam.questions[0].asked
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClicks(field, "1")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert view.question == exam.questions[1].asked
    desk.press("Not answerable", view)
    assert view.question == exam.questions[3].asked  # the third is about a reason
    desk.press("Cannot remember", view)
    desk.press("Leave for now", view)
    assert page.marks.isVisible()
    desk.wait(lambda: page.exam is not None and bool(page.exam.sides))
    page.sit()
    assert "You answered 3 before" in texts(view)
    desk.press("Go on", view)
    assert view.question == exam.questions[4].asked
    while view.question:
        view.answer.setText("something")
        view.answer.returnPressed.emit()
    assert "of 28 questions right" in texts(view)
    desk.press("Show the marks", view)
    sheet = ExamFolder(desk.data, exam.exam_id).answers("a-person-closed-book-1")
    assert [answer.text for answer in sheet.answers[:3]] == ["1", NOT_ANSWERABLE, ""]
    assert sheet.answerer == "person-closed"
    assert len(sheet.answers) == 28


def test_ten_questions_are_followed_by_their_right_answers_and_kept(desk: PageHarness) -> None:
    exam = desk.exam(answered=False)
    page, view = desk.page, desk.page.sitting
    page.sit()
    assert "10 questions, 60 s each." in texts(view)
    desk.press("Begin", view)
    asked = short_paper(exam)
    assert len({question.ability for question in asked}) == 7
    view.answer.setText(asked[0].truth[0])
    view.answer.returnPressed.emit()
    assert "That is right" in texts(view)
    assert not view.asking
    next_button = QApplication.focusWidget()
    assert next_button is not None
    QTest.keyClick(next_button, Qt.Key.Key_Return)
    for question in asked[1:]:
        assert view.question == question.asked
        desk.press("Cannot remember", view)
        assert "Wrong" in texts(view)
        assert " ".join(question.truth[0].split()) in texts(view)
        desk.press("Next question", view)
    assert "of 10 questions right" in texts(view)
    desk.press("Show the marks", view)
    desk.wait(lambda: page.exam is not None and any(side.whole for side in page.exam.sides))
    assert page.exam is not None
    [side] = page.exam.sides
    assert (side.of, side.whole, side.name) == (10, True, "a person · closed book · ten questions")


def test_an_answer_in_the_words_that_the_screen_shows_counts(desk: PageHarness) -> None:
    exam = desk.exam(answered=False)
    asked = short_paper(exam)
    at = next(at for at, question in enumerate(asked) if question.kind == "string" and question.truth[0])
    truth = asked[at].truth[0]
    use(Catalogue({truth: "what a player reads"}))
    try:
        desk.page.sit()
        view = desk.page.sitting
        desk.press("Begin", view)
        for _ in range(at):
            desk.press("Cannot remember", view)
            desk.press("Next question", view)
        view.answer.setText("what a player reads")
        view.answer.returnPressed.emit()
        assert "That is right" in texts(view)
    finally:
        use(None)


def test_fast_answers_count_once_each_beside_a_slow_disk(
    desk: PageHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(folder: ExamFolder, answers: Answers, key: str = "") -> str:
        free.wait(60)
        written.append(len(answers.answers))
        return save(folder, answers, key)

    save, free = ExamFolder.save_answers, threading.Event()
    written: list[int] = []
    monkeypatch.setattr(ExamFolder, "save_answers", slow)
    exam = desk.exam(answered=False)
    view = desk.page.sitting
    desk.page.sit()
    desk.press("How many questions: All questions", view)
    view.begin()
    QApplication.processEvents()
    asked = [question.asked for question in for_persons(exam)]
    for number in range(4):  # typed ahead: the keys wait in the window's queue
        for key, text in ((Qt.Key.Key_1, str(number)), (Qt.Key.Key_Return, "\r")):
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                QApplication.postEvent(
                    view.answer, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text)
                )
    QApplication.processEvents()
    assert view.question == asked[4]
    assert written == [], "no question waits for the disk"
    free.set()
    none, window = button(view, "Not answerable"), view.window().windowHandle()
    place = none.mapTo(view.window(), none.rect().center())
    for number in range(4, 14):  # the pointer stays where it is, and questions have one to three lines
        QTest.mouseClick(window, Qt.MouseButton.LeftButton, pos=place)
        QApplication.processEvents()
        assert view.question == asked[number + 1]
    view.leave()
    given = ExamFolder(desk.data, exam.exam_id).answers("a-person-closed-book-1").answers
    assert [answer.text for answer in given] == ["0", "1", "2", "3", *10 * [NOT_ANSWERABLE]]


def test_the_open_book_has_the_log_and_the_closed_one_hides_it(desk: PageHarness) -> None:
    desk.exam(answered=False)
    page, view = desk.page, desk.page.sitting
    page.sit()
    view.begin()
    assert not view.book.isVisible()
    assert view.book.list.keys == []
    view.leave()
    page.sit()
    desk.press("Book: Open book", view)
    view.begin()
    desk.wait(lambda: view.book.isVisible() and len(view.book.list.keys) == 160)  # and the outcome
    view.book.search.setText("place_table 5 steps")
    desk.wait(lambda: 0 < len(view.book.list.keys) < 40)
    assert "place_table" in texts(view.book)


def test_when_the_time_is_up_the_question_counts_as_wrong(
    desk: PageHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    exam = desk.exam(answered=False)
    view = desk.page.sitting
    monkeypatch.setattr("pitwall_exam.console.person.view.SECONDS", 0.3)
    desk.page.sit()
    desk.press("How many questions: All questions", view)
    view.begin()
    view.answer.setText("1")
    desk.wait(lambda: view.question != exam.questions[0].asked)
    assert "The time for the last question was up" in texts(view)
    desk.page.closed()
    desk.page.hide()
    clocks = [view.asking]
    waiting = view.question
    desk.page.show()
    clocks.append(view.asking)
    assert clocks == [False, True]
    assert view.question == waiting
    left_s = view.seconds_left
    view.leave()
    sheet = ExamFolder(desk.data, exam.exam_id).answers("a-person-closed-book-1")
    assert sheet.answers[0].problem == "the time was up"
    view.begin()
    assert view.question == waiting and view.seconds_left <= left_s + 0.1, "leaving gave new time"
    view.leave()
    assert marks(exam, sheet).scores["001"] == 0


# ---- commands


def test_the_dialogs_say_what_the_commands_are_asked(desk: PageHarness) -> None:
    exam = desk.exam()
    desk.page.opened()
    desk.wait(lambda: bool(desk.page.facts.runs))
    new = desk.page.new_exam()
    assert isinstance(new, NewExam)
    new.form.enter({"about": "first", "inventory": "both"})
    assert new.order.words[:3] == ["exam", "make", str(exam.run_id)]
    assert new.order.words[-2:] == ["--horizon", "50"]
    new.form.combo("wording").setCurrentIndex(1)
    assert new.order.words[-1] == "--reworded"
    new.reject()
    dialog = desk.page.answer()
    assert isinstance(dialog, AnswerDialog)
    assert dialog.order.words == ["exam", "answer", exam.exam_id, "--answerer", "recall"]
    dialog.choose("retrieval")
    assert not dialog.go.isEnabled()
    assert "It needs a model" in texts(dialog)
    dialog.reject()


def test_a_sitting_that_was_ended_is_offered_to_go_on(desk: PageHarness) -> None:
    exam = make_exam(record_grid_run(desk.data, frames=0))
    now = make_answers(exam, "retrieval", "retrieval · small", model="small", memory="ab" * 32, answered=5)
    old = now.model_copy(update={"memory": "cd" * 32, "answers": now.answers[:3]})
    write_exam(desk.data, exam, [now, old])
    desk.read()
    shelf = desk.page.exam
    assert shelf is not None
    assert [side.name for side in shelf.sides] == [
        "retrieval · small · memory ababab",
        "retrieval · small · memory cdcdcd (2)",
    ]
    facts = ExamChoices(models=("small",), snapshots=(SnapshotChoice("cd" * 32, "", "yesterday"),))
    dialog = AnswerDialog(shelf, facts, desk.page)
    assert dialog.go.text() == "Answer"
    dialog.choose("retrieval")
    assert dialog.go.text() == "Go on"
    assert "It answered 5 of 16 questions before" in texts(dialog)
    assert "unless the memory changed" in texts(dialog)
    dialog.form.combo("memory").setCurrentIndex(1)
    assert "It answered 3 of 16 questions before, and goes on there." in texts(dialog)
    dialog.form.enter({"fresh": True})
    assert dialog.order.words[-3:] == ["--memory", "cd" * 32, "--fresh"]
    dialog.reject()


def test_an_exam_of_a_run_that_is_looked_at_can_be_asked_for(desk: PageHarness) -> None:
    first, second = (record_run(desk.data, 8) for _ in range(2))
    assert first < second
    desk.page.take_run(first)
    desk.wait(lambda: bool(desk.page.findChildren(NewExam)))
    (dialog,) = desk.page.findChildren(NewExam)
    assert dialog.order.run_id == first
    dialog.reject()


def test_real_commands_make_an_exam_and_answer_it(desk: PageHarness) -> None:
    record_run(desk.data, 60)
    page = desk.page
    page.opened()
    desk.wait(lambda: bool(page.facts.runs))
    dialog = page.new_exam()
    dialog.form.enter({"inventory": "general"})
    desk.press("Make the exam", dialog)
    desk.wait(lambda: page.exam is not None and page.marks.isVisible() and page.doing.order is None)
    (folder,) = exams_of(desk.data)
    assert page.exam is not None
    assert page.exam.exam == folder.exam()
    assert "No answers to this exam yet" in texts(page.marks)
    desk.press("Answer with structured recall")
    assert page.head.cancel.isVisible()
    assert not page.head.answer.isEnabled()
    desk.press("Cancel what goes on")
    desk.wait(lambda: page.doing.order is None)
    assert "Answering is ended" in page.notifications.text
    page.doing.do(AnswerOrder(exam_id=page.exam.exam_id))
    desk.wait(lambda: page.doing.order is None)
    desk.wait(lambda: page.exam is not None and any(side.whole for side in page.exam.sides))
    side = page.marks.sides[0]
    assert side is not None
    assert side.name == "recall"
    assert (side.marks.overall.accuracy or 0) > 0.9
