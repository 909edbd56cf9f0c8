"""The view in which a person takes the exam: one question at a time, 60 s each, closed or open book."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.command import bind_keys
from pitwall.console.kit.elements import column, holder, row
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.language.catalogue import own_words
from pitwall.console.kit.panes import stacked
from pitwall.console.kit.theme import WIDE, Look
from pitwall.console.services.background import BackgroundWorker, RunLogWorker
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import interval_text, share
from pitwall_exam.console.format import ANSWERERS
from pitwall_exam.console.person.open_book import OpenBook
from pitwall_exam.console.person.screens import QuestionScreen, ResultScreen, RightAnswerScreen, StartScreen
from pitwall_exam.marking.comparison import marks_of
from pitwall_exam.marking.scoring import score
from pitwall_exam.questions.attempt import SECONDS, Attempt, for_persons, kept_before, short_paper
from pitwall_exam.questions.folder import ExamFolder
from pitwall_exam.repository import StoredExam

_Deed = Callable[[Attempt], object]
_ROOM = 720
"""Widest column of text in pixels: longer lines are hard to read."""
_TICK_MS = 100


class AttemptView(QWidget):
    """Shows an attempt's screens: the start, a question, its right answer, the end.

    Answers are written beside the window, so a slow disk holds no question back.

    Signals: left(): back to the exam. kept(): an answer was written.
    Attributes: answer: the line that takes the answer.
    """

    left = Signal()
    kept = Signal()

    def __init__(self, data: DataFolder, look: Look, reading: RunLogWorker) -> None:
        super().__init__()
        self._data = data
        self._exam: StoredExam | None = None
        self.sitting: Attempt | None = None
        self._spent, self._since = 0.0, 0.0
        self._book_open = False
        self.setAccessibleName("Taking the exam")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.book = OpenBook(data, look, reading)
        self.book.setFixedWidth(380)
        self._begin, self._asking, self._end = StartScreen(), QuestionScreen(look), ResultScreen()
        self._right = RightAnswerScreen()
        self.answer = self._asking.answer
        self._writing = BackgroundWorker("exam answers", self)
        screens = (self._begin, self._asking, self._right, self._end)
        self._stack = stacked(*(_centred(screen) for screen in screens))
        self.setLayout(row(self._stack, self.book, gap=0, stretch=0))
        self.book.hide()
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._look_at_clock)
        self._connect()

    # ---- what the page asks

    @property
    def question(self) -> str:
        """Return the current question; empty if none is asked."""
        current = self.sitting.current if self.sitting is not None else None
        return current.asked if current is not None else ""

    @property
    def seconds_left(self) -> float:
        running = time.monotonic() - self._since if self._tick.isActive() else 0.0
        return max(0.0, SECONDS - self._spent - running)

    @property
    def asking(self) -> bool:
        """Return whether a question is shown and its time runs."""
        return self._tick.isActive()

    def show_exam(self, exam: StoredExam) -> None:
        """Show the start screen of an exam; nothing is asked yet."""
        self._exam = exam
        self.sitting = None
        self.book.hide()
        self._show_begin()
        self._show_page(0)

    def begin(self, *, fresh: bool = False) -> None:
        """Ask the first question, or the next one of an unfinished sitting."""
        exam = self._exam.exam if self._exam is not None else None
        if exam is None:
            return
        folder = ExamFolder(self._data, exam.exam_id)
        try:
            self.sitting = Attempt.begin(exam, folder, self._begin.book, short=self._begin.short, fresh=fresh)
        except PitwallError as error:
            self._begin.say_fault(error_sentence(error))
            return
        opened = self.sitting.book == "open"
        self.book.setVisible(opened)
        if opened:
            self.book.show_run(exam)
        else:
            self.book.close_book()
        self._asking.make_room([question.asked for question in self.sitting.questions])
        self._ask()

    def pause(self) -> None:
        """Stop the clock while the page is out of view; the question waits."""
        if self._tick.isActive():
            self._spent += time.monotonic() - self._since
            self._tick.stop()

    def leave(self) -> None:
        """End for now; answers are kept, and the current question goes on later with the rest of its time."""
        sitting = self.sitting
        if sitting is not None and sitting.current is not None and self._stack.currentIndex() == 1:
            sitting.leave(self._took())
            self._writing.ask(sitting.save_later(), lambda _: None, self._not_kept)
        self._tick.stop()
        self._writing.finish()
        self.book.hide()
        self.book.close_book()
        if self.sitting is not None:
            self.sitting = None
            self.left.emit()

    # ---- inside

    def _connect(self) -> None:
        self._begin.go.clicked.connect(lambda *_: self.begin())
        self._begin.anew.clicked.connect(lambda *_: self.begin(fresh=True))
        for choice in (self._begin.books, self._begin.lengths):
            choice.chosen.connect(lambda _: self._show_begin())
        self._begin.back.clicked.connect(lambda *_: self._back())
        self._end.back.clicked.connect(lambda *_: self._back())
        self._right.next.clicked.connect(lambda *_: self._ask())
        asking = self._asking
        self.answer.returnPressed.connect(self._answer)
        asking.give.clicked.connect(lambda *_: self._answer())
        asking.none.clicked.connect(lambda *_: self._not_answerable())
        asking.forgot.clicked.connect(lambda *_: self._forgotten())
        asking.leave.clicked.connect(lambda *_: self._back())
        bind_keys(self, ("Escape", self._escape), ("Ctrl+L", self.book.search.setFocus))
        # A key that is held down answers one question, not the next ones too.
        answers = (("Alt+Y", self._not_answerable), ("Alt+C", self._forgotten))
        bind_keys(self, *answers, repeats=False)
        bind_keys(self._right, ("Return", self._ask), ("Enter", self._ask), repeats=False)

    def _escape(self) -> None:
        """Leave the search field first, then the sitting."""
        search = self.book.search
        if search.hasFocus() and self.sitting is not None:
            search.clear()
            self.answer.setFocus()
        else:
            self._back()

    def _back(self) -> None:
        if self.sitting is None:
            self.left.emit()
        else:
            self.leave()

    def _show_begin(self) -> None:
        exam = self._exam.exam if self._exam is not None else None
        if exam is None:
            return
        short, reasonless = self._begin.short, for_persons(exam)
        asked = short_paper(exam) if short else reasonless
        folder = ExamFolder(self._data, exam.exam_id)
        try:
            before = kept_before(folder, exam, self._begin.book, short=short)
        except PitwallError as error:
            self._begin.say_fault(error_sentence(error))
            return
        done = len(before[1].answers) if before is not None else 0
        self._begin.show_counts(len(asked), len(exam.questions) - len(reasonless), done)

    def _show_page(self, at: int) -> None:
        self._stack.setCurrentIndex(at)
        (self._begin.go, self.answer, self._right.next, self._end.back)[at].setFocus()

    def _ask(self) -> None:
        if self.sitting is None:
            return
        current = self.sitting.current
        if current is None:
            self._finish()
            return
        self._spent, self._since = self.sitting.spent_s, time.monotonic()
        self._tick.start()
        self._asking.show_question(current.asked, self.sitting.number, len(self.sitting.questions))
        self._asking.show_time(self.seconds_left)
        self._show_page(1)

    def _took(self) -> float:
        return round(min(SECONDS, SECONDS - self.seconds_left), 1)

    def _answer(self) -> None:
        if self.sitting is not None and self.asking and self.answer.text().strip():
            self._do(lambda sitting: sitting.answer(self._typed(sitting), self._took()))

    def _typed(self, sitting: Attempt) -> str:
        """Return what was typed, in the exam's words where the screen shows others for the right answer."""
        typed, question = self.answer.text(), sitting.current
        own = own_words(typed)
        better = question is not None and score(question, own) > score(question, typed)
        return own if better else typed

    def _not_answerable(self) -> None:
        self._do(lambda sitting: sitting.not_answerable(self._took()))

    def _forgotten(self) -> None:
        self._do(lambda sitting: sitting.forgotten(self._took()))

    def _do(self, deed: _Deed) -> None:
        """Take an answer to the question in view, have it written, and go on."""
        sitting = self.sitting
        question = sitting.current if sitting is not None else None
        if sitting is None or question is None or self._stack.currentIndex() != 1:
            return
        deed(sitting)
        self._writing.ask(sitting.save_later(), lambda _: self.kept.emit(), self._not_kept)
        if not sitting.short:
            self._ask()
            return
        self._tick.stop()
        answer = sitting.answers[question.id]
        self._right.show_answer(question, answer, last=sitting.current is None)
        self._show_page(2)

    def _not_kept(self, error: PitwallError) -> None:
        self._tick.stop()
        self._begin.say_fault(error_sentence(error))
        self.sitting = None
        self._show_page(0)

    def _look_at_clock(self) -> None:
        left_s = self.seconds_left
        self._asking.show_time(left_s)
        if left_s <= 0:
            self._do(lambda sitting: sitting.time_up())
            self._asking.say("The time for the last question was up.")

    def _finish(self) -> None:
        self._tick.stop()
        self._writing.finish()
        self.book.hide()
        sitting = self.sitting
        if sitting is None:  # the last answer could not be written
            return
        side = marks_of(
            sitting.exam.model_copy(update={"questions": sitting.questions}), sitting.sheet, sitting.key
        )
        mark = side.marks.overall
        self._end.show_marks(
            ANSWERERS[sitting.sheet.answerer][0],
            share(mark.accuracy) if mark.accuracy is not None else "",
            interval_text(mark.low or 0.0, mark.high or 0.0) if mark.n else "",
            mark.n,
            side.seconds / max(1, mark.n),
        )
        self._show_page(3)

    def showEvent(self, event: QShowEvent) -> None:
        """Restart the clock of the question that waited."""
        super().showEvent(event)
        waits = self.sitting is not None and self.sitting.current is not None
        if waits and not self._tick.isActive() and self._stack.currentIndex() == 1:
            self._since = time.monotonic()
            self._tick.start()


def _centred(page: QWidget) -> QWidget:
    """Return the centre a page, no wider than can be read well."""
    page.setMaximumWidth(_ROOM)
    page.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    across = row(None, page, None, gap=0)
    across.setStretch(1, 100)
    layout = column(None, across, None, gap=0, margins=(2 * WIDE, WIDE, 2 * WIDE, WIDE))
    layout.setStretch(0, 2)
    layout.setStretch(2, 3)
    return holder(layout)
