"""A person's exam: which question is next, what was answered, and when the time is up.

As in the source: 60 s a question, closed or open book, nothing about the agent's reasons, what the time ran
out on counts as wrong; one can leave and go on later. What is answered is written at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pitwall.exam.questions.folder import ExamFolder
from pitwall.exam.questions.paper import Exam, Question
from pitwall.exam.questions.sheet import NOT_ANSWERABLE, Answer, AnswererKind, Answers

BookMode = Literal["closed", "open"]
SECONDS = 60.0
"""A person has for one question (A.8 of the source)."""
FORGOTTEN = "cannot remember"
TIME_UP = "the time was up"
_KINDS: dict[BookMode, AnswererKind] = {"closed": "person-closed", "open": "person-open"}
_NAMES: dict[BookMode, str] = {"closed": "a person · closed book", "open": "a person · open book"}
_RULES = (f"{SECONDS:g} s a question", "no questions about reasons")
_USES: dict[BookMode, tuple[str, ...]] = {
    "closed": ("their memory alone: a closed book", *_RULES),
    "open": (
        "the open book: the episode's steps in words",
        "the frames of its steps that were kept",
        *_RULES,
    ),
}
"""The closed book's as `pitwall exam answer` has them: a sitting that was left there goes on here."""
_REASONS = re.compile(r"\breason(s|ing)?\b", re.IGNORECASE)


def for_persons(exam: Exam) -> tuple[Question, ...]:
    """The exam's questions without those about the agent's reasons."""
    return tuple(question for question in exam.questions if not _REASONS.search(question.text))


def kept_before(folder: ExamFolder, exam: Exam, book: BookMode) -> tuple[str, Answers] | None:
    """A person's sitting that was left before its end: its key and answers; None where there is none.

    Raises:
        PitwallError: it cannot be read.
    """
    wanted = {question.id for question in for_persons(exam)}
    for file in reversed(folder.sheets()):
        sheet = folder.answers(file.key)
        same = sheet.answerer == _KINDS[book] and sheet.uses == _USES[book]
        if same and wanted - {answer.id for answer in sheet.answers}:
            return file.key, sheet
    return None


@dataclass
class Attempt:
    """An attempt of a person at an exam.

    Attributes:
        exam: that is taken. book: closed or open.
        key: of the answers' file; empty before the first answer. answers: question id → answer.
    """

    exam: Exam
    folder: ExamFolder
    book: BookMode
    key: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()

    def __post_init__(self) -> None:
        self.questions = for_persons(self.exam)

    @classmethod
    def begin(cls, exam: Exam, folder: ExamFolder, book: BookMode, *, fresh: bool = False) -> Attempt:
        """Go on with one that was left, or begin anew.

        Raises:
            PitwallError: what was kept cannot be read.
        """
        before = None if fresh else kept_before(folder, exam, book)
        if before is None:
            return cls(exam, folder, book)
        key, sheet = before
        return cls(exam, folder, book, key, {answer.id: answer for answer in sheet.answers})

    @property
    def current(self) -> Question | None:
        """The next question; None: all are answered."""
        return next((question for question in self.questions if question.id not in self.answers), None)

    @property
    def done(self) -> int:
        """Questions that are answered."""
        return sum(question.id in self.answers for question in self.questions)

    @property
    def number(self) -> int:
        """Of the question in view, from 1."""
        current = self.current
        return self.questions.index(current) + 1 if current is not None else len(self.questions)

    @property
    def sheet(self) -> Answers:
        """The answers so far."""
        return Answers(
            exam_id=self.exam.exam_id,
            answerer=_KINDS[self.book],
            name=_NAMES[self.book],
            uses=_USES[self.book],
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            answers=tuple(
                self.answers[question.id] for question in self.questions if question.id in self.answers
            ),
        )

    def answer(self, text: str, seconds: float) -> None:
        """Answer the question in view; a text that says nothing is not remembering."""
        if text.strip():
            self._keep(Answer(id=self._id, text=text.strip(), seconds=seconds))
        else:
            self.forgotten(seconds)

    def not_answerable(self, seconds: float) -> None:
        """Say that the episode does not say."""
        self._keep(Answer(id=self._id, text=NOT_ANSWERABLE, seconds=seconds))

    def forgotten(self, seconds: float) -> None:
        """Answer that it happened, but is not remembered."""
        self._keep(Answer(id=self._id, text="", problem=FORGOTTEN, seconds=seconds))

    def time_up(self) -> None:
        """The question in view was not answered in time."""
        self._keep(Answer(id=self._id, text="", problem=TIME_UP, seconds=SECONDS))

    @property
    def _id(self) -> str:
        current = self.current
        assert current is not None
        return current.id

    def _keep(self, answer: Answer) -> None:
        self.answers[answer.id] = answer
        self.key = self.folder.save_answers(self.sheet, self.key)
