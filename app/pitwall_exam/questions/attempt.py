"""A person's exam: the next question, the answers so far, and the time limit.

As in the source: 60 s a question, closed or open book, no questions about the agent's reasons. A question
whose time runs out counts as wrong. The person can leave and continue later: each answer is written at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pitwall_exam.questions.folder import ExamFolder
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, AnswererKind, Answers

BookMode = Literal["closed", "open"]
SECONDS = 60.0
"""Seconds that a person has for one question (A.8 of the source)."""
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
"""The closed book's rules are those of `pitwall exam answer`, so a sitting begun there continues here."""
_REASONS = re.compile(r"\breason(s|ing)?\b", re.IGNORECASE)


def for_persons(exam: Exam) -> tuple[Question, ...]:
    """Return the exam's questions without those about the agent's reasons."""
    return tuple(question for question in exam.questions if not _REASONS.search(question.text))


def kept_before(folder: ExamFolder, exam: Exam, book: BookMode) -> tuple[str, Answers] | None:
    """Return the key and answers of a person's unfinished sitting; None if there is none.

    Raises:
        PitwallError: its file cannot be read.
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
    """A person's attempt at an exam.

    Attributes:
        exam: the exam that is taken. book: closed or open.
        key: key of the answer file; empty before the first answer. answers: question id → answer.
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
        """Continue an unfinished attempt, or begin a fresh one.

        Raises:
            PitwallError: the answers kept from before cannot be read.
        """
        before = None if fresh else kept_before(folder, exam, book)
        if before is None:
            return cls(exam, folder, book)
        key, sheet = before
        return cls(exam, folder, book, key, {answer.id: answer for answer in sheet.answers})

    @property
    def current(self) -> Question | None:
        """Return the next question; None if all are answered."""
        return next((question for question in self.questions if question.id not in self.answers), None)

    @property
    def done(self) -> int:
        """Count the answered questions."""
        return sum(question.id in self.answers for question in self.questions)

    @property
    def number(self) -> int:
        """Return the number of the current question, from 1."""
        current = self.current
        return self.questions.index(current) + 1 if current is not None else len(self.questions)

    @property
    def sheet(self) -> Answers:
        """Return the answers so far as an answer sheet."""
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
        """Answer the current question; a blank text counts as not remembered."""
        if text.strip():
            self._keep(Answer(id=self._id, text=text.strip(), seconds=seconds))
        else:
            self.forgotten(seconds)

    def not_answerable(self, seconds: float) -> None:
        """Answer that the episode does not contain the answer."""
        self._keep(Answer(id=self._id, text=NOT_ANSWERABLE, seconds=seconds))

    def forgotten(self, seconds: float) -> None:
        """Answer that the event happened but is not remembered."""
        self._keep(Answer(id=self._id, text="", problem=FORGOTTEN, seconds=seconds))

    def time_up(self) -> None:
        """Record that the current question was not answered in time."""
        self._keep(Answer(id=self._id, text="", problem=TIME_UP, seconds=SECONDS))

    @property
    def _id(self) -> str:
        current = self.current
        assert current is not None
        return current.id

    def _keep(self, answer: Answer) -> None:
        self.answers[answer.id] = answer
        self.key = self.folder.save_answers(self.sheet, self.key)
