"""The screens of a person's exam: the start, a question with its clock, the right answer, and the end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import Choice, ShareBar
from pitwall.console.kit.elements import (
    Button,
    Card,
    KeyCap,
    KeyValue,
    Label,
    PrimaryButton,
    column,
    holder,
    row,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.form.inputs import Line
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE, Look, ui_font
from pitwall.core.quantities import counted
from pitwall_exam.console.format import answer_words, steps_words, truth_words
from pitwall_exam.console.format import sign as sign_of
from pitwall_exam.marking.comparison import correctness
from pitwall_exam.marking.scoring import score as scored
from pitwall_exam.questions.attempt import SECONDS, BookMode
from pitwall_exam.questions.paper import Question
from pitwall_exam.questions.sheet import Answer

LAST_S = 10.0
"""Seconds left from which the clock counts every second."""
_QUESTION_PX, _ANSWER_PX, _MARKS_PX = 22, 17, 44


class StartScreen(QWidget):
    """Lets the person choose a book, explains the rules, and begins."""

    def __init__(self) -> None:
        super().__init__()
        self._title = _big("Take the exam yourself", _QUESTION_PX, bold=True)
        self.books = Choice(
            "Book",
            (
                ("closed", "Closed book", "From memory alone"),
                ("open", "Open book", "With the run log and its kept frames"),
            ),
        )
        self.lengths = Choice(
            "How many questions",
            (
                ("short", "Ten questions", "You see the right answer after each"),
                ("whole", "All questions", "You see the right answers at the end"),
            ),
        )
        self._explanation = Label("", "dim", wrap=True)
        self._count = Label("", wrap=True)
        self._fault = Label("", "error", wrap=True)
        self.go = PrimaryButton("Begin")
        self.anew = Button("Start over", kind="quiet")
        self.back = Button("Back to the exam")
        texts = (self._explanation, self._count, self._fault)
        buttons = row(self.go, self.anew, None, self.back, margins=(0, GAP, 0, 0))
        self.setLayout(
            column(self._title, row(self.lengths, None), row(self.books, None), *texts, buttons, gap=PAD)
        )
        self.say_fault("")
        for choice in (self.books, self.lengths):
            choice.chosen.connect(lambda _: self._say())
        self._say()

    @property
    def book(self) -> BookMode:
        return "open" if self.books.current == "open" else "closed"

    @property
    def short(self) -> bool:
        """Return whether ten questions are asked, each followed by its right answer."""
        return self.lengths.current == "short"

    def show_counts(self, asked: int, left_out: int, done: int) -> None:
        """Show the number of questions, and how many are answered."""
        words = [f"{counted(asked, 'question')}, {SECONDS:.0f} s each."]
        if left_out:
            words.append(f"{counted(left_out, 'question')} about the agent's reasons are left out.")
        if done:
            words.append(f"You answered {done:,} before and continue there.")
        self._count.set_text(" ".join(words))
        self.go.setText("Go on" if done else "Begin")
        self.go.setAccessibleName(self.go.text())
        self.go.setEnabled(bool(asked))
        self.anew.setVisible(bool(done))
        self._fault.hide()

    def say_fault(self, text: str) -> None:
        """Show why the exam cannot begin or continue."""
        self._fault.show_text(text)

    def _say(self) -> None:
        self._explanation.set_text(
            "You see one question at a time. A question not answered in time counts as wrong; “not "
            "answerable” is right if the episode does not contain the answer. Each answer is kept at once: "
            "you can leave at any time and continue later."
            + (" The run log and its frames are shown beside the question." if self.book == "open" else "")
            + ("\nAfter each answer you see the right one." if self.short else "")
        )


class QuestionScreen(QWidget):
    """The question, its clock, and the ways to answer."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._number = Label("", "dim")
        self._note = Label("", "note")
        self._clock = Label("", "dim")
        self._clock.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = ShareBar(look, "dim", height=6)
        self._bar.setAccessibleName("Time left")
        self._question = _big("", _QUESTION_PX)
        self.answer = Line("Your answer", "Your answer")
        self.answer.setFont(ui_font(_ANSWER_PX))
        self.answer.setMinimumHeight(44)
        self.give = PrimaryButton("Answer")
        self.none = Button("Not answerable", tip="The episode does not contain the answer (Alt+Y)")
        self.forgot = Button("Cannot remember", tip="It happened, but you do not remember it (Alt+C)")
        self.leave = Button("Leave for now", kind="quiet", tip="Continue later at the same question (Esc)")
        ways = Flow(GAP)
        for button, chord in ((self.give, "Enter"), (self.none, "Alt+Y"), (self.forgot, "Alt+C")):
            ways.flow.addWidget(holder(row(button, KeyCap(chord), gap=STEP + 2)))
        line = row(self._number, self._note, None, self._clock, gap=PAD)
        head = column(line, self._bar, gap=STEP + 2)
        leave = row(None, self.leave)
        self.setLayout(column(head, self._question, self.answer, ways, leave, gap=WIDE))
        self.answer.textChanged.connect(lambda text: self.give.setEnabled(bool(text.strip())))
        self.give.setEnabled(False)
        self._texts: Sequence[str] = ()

    def make_room(self, texts: Sequence[str]) -> None:
        """Give the question the height of the longest of these: no button moves between two clicks."""
        self._texts = texts
        metrics, width = self._question.fontMetrics(), max(1, self._question.width())
        flags = Qt.TextFlag.TextWordWrap.value
        heights = [metrics.boundingRect(0, 0, width, 9_999, flags, text).height() for text in texts]
        self._question.setFixedHeight(max(heights, default=0) + STEP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.make_room(self._texts)

    def show_question(self, text: str, number: int, of: int) -> None:
        self._number.set_text(f"Question {number:,} of {of:,}")
        self._question.set_text(text)
        self._note.set_text("")
        self.answer.clear()
        self.answer.setAccessibleDescription(text)

    def say(self, text: str) -> None:
        """Show a note about the last question until the next one."""
        self._note.set_text(text)

    def show_time(self, left_s: float) -> None:
        late = left_s <= LAST_S
        self._bar.show_share(left_s / SECONDS, "stop" if late else "dim")
        self._clock.set_text(f"{left_s:.0f} s left" if late else f"{int(-(-left_s // 5) * 5)} s")
        self._clock.set_tone("stop" if late else "neutral")


class RightAnswerScreen(QWidget):
    """Shows whether an answer was right, with the right answer and its steps. Enter goes on."""

    def __init__(self) -> None:
        super().__init__()
        self._verdict = _big("", _QUESTION_PX, bold=True)
        self._question = Label("", "dim", wrap=True)
        self._lines = {name: KeyValue(name, wrap=True) for name in ("Your answer", "Right answer", "Steps")}
        self.next = PrimaryButton("Next question", tip="Enter")
        parts = (self._verdict, self._question, Card(*self._lines.values(), gap=GAP))
        self.setLayout(column(*parts, row(self.next, KeyCap("Enter"), None, gap=STEP + 2), gap=PAD))

    def show_answer(self, question: Question, answer: Answer, *, last: bool) -> None:
        """Show an answered question."""
        score = scored(question, answer.text)
        sign, tone = sign_of(score)
        word = {"right": "That is right", "partly": "Partly right"}.get(correctness(score), "Wrong")
        self._verdict.set_text(f"{sign} {spoken(word)}")
        self._verdict.set_tone(tone)
        self._question.set_text(question.asked)
        values = (answer_words(answer), truth_words(question.truth), steps_words(question.evidence))
        for line, value in zip(self._lines.values(), values, strict=True):
            line.set_value(value)
        self.next.setText("See the result" if last else "Next question")


class ResultScreen(QWidget):
    """Shows the result."""

    def __init__(self) -> None:
        super().__init__()
        self._title = _big("Done", _QUESTION_PX, bold=True)
        self._marks = _big("", _MARKS_PX, bold=True)
        self._explanation = Label("", "dim", wrap=True)
        self.back = PrimaryButton("Show the marks")
        self.setLayout(column(self._title, self._marks, self._explanation, row(self.back, None), gap=PAD))

    def show_marks(self, name: str, accuracy: str, interval: str, count: int, seconds: float) -> None:
        self._title.set_text(name)
        self._marks.set_text(accuracy)
        self._explanation.set_text(
            f"of {counted(count, 'question')} right (95 %: {interval}), {seconds:.0f} s a question. "
            "The right answers and their steps are shown beside yours."
            if accuracy
            else "No question was asked."
        )


def _big(text: str, pixels: int, *, bold: bool = False) -> Label:
    label = Label(text, wrap=True)
    label.setFont(ui_font(pixels, bold=bold))
    return label
