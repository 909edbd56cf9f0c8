"""A person's exam: the next question, the answers so far, and the time limit.

As in the source: 60 s a question, closed or open book, no questions about the agent's reasons. A question
whose time runs out counts as wrong. The person can leave and continue later: each answer is written at once.
A short sitting asks ten questions and shows the right answer after each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, zip_longest
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
SHORT_COUNT = 10
SHORT = "ten questions, the right answer after each"
"""Among the uses of a short sitting."""
_REASONS = re.compile(r"\breason(s|ing)?\b", re.IGNORECASE)


def for_persons(exam: Exam) -> tuple[Question, ...]:
    """Return the exam's questions without those about the agent's reasons."""
    return tuple(question for question in exam.questions if not _REASONS.search(question.text))


def short_paper(exam: Exam) -> tuple[Question, ...]:
    """Return ten of a person's questions, in the exam's order, of as many abilities as there are."""
    by_ability: dict[str, list[Question]] = {}
    for question in for_persons(exam):
        by_ability.setdefault(question.ability, []).append(question)
    in_turn = chain.from_iterable(zip_longest(*by_ability.values()))
    chosen = {question.id for question in [each for each in in_turn if each is not None][:SHORT_COUNT]}
    return tuple(question for question in exam.questions if question.id in chosen)


def asked_of(exam: Exam, sheet: Answers) -> tuple[Question, ...]:
    """Return the questions that the answerer of a sheet is asked."""
    if SHORT in sheet.uses:
        return short_paper(exam)
    return for_persons(exam) if sheet.answerer.startswith("person") else exam.questions


def kept_before(
    folder: ExamFolder, exam: Exam, book: BookMode, *, short: bool = False
) -> tuple[str, Answers] | None:
    """Return the key and answers of a person's unfinished sitting; None if there is none.

    Raises:
        PitwallError: its file cannot be read.
    """
    wanted = {question.id for question in (short_paper(exam) if short else for_persons(exam))}
    for file in reversed(folder.sheets()):
        sheet = folder.answers(file.key)
        same = sheet.answerer == _KINDS[book] and sheet.uses == _uses(book, short)
        if same and wanted - {answer.id for answer in sheet.answers}:
            return file.key, sheet
    return None


def _uses(book: BookMode, short: bool) -> tuple[str, ...]:
    return (*_USES[book], SHORT) if short else _USES[book]


@dataclass
class Attempt:
    """A person's attempt at an exam. Answers are taken at once, and written by `save_later`.

    Attributes:
        exam: the exam that is taken. book: closed or open. short: ten questions, each with its right answer.
        key: key of the answer file; empty before the first answer. answers: question id → answer.
        seen_s: question id → seconds for which it was seen before the person left.
    """

    exam: Exam
    folder: ExamFolder
    book: BookMode
    key: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)
    short: bool = False
    questions: tuple[Question, ...] = ()
    seen_s: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.questions = short_paper(self.exam) if self.short else for_persons(self.exam)

    @classmethod
    def begin(
        cls, exam: Exam, folder: ExamFolder, book: BookMode, *, short: bool = False, fresh: bool = False
    ) -> Attempt:
        """Continue an unfinished attempt, or begin a fresh one.

        Raises:
            PitwallError: the answers kept from before cannot be read.
        """
        before = None if fresh else kept_before(folder, exam, book, short=short)
        attempt = cls(exam, folder, book, short=short)
        if before is not None:
            attempt.key, sheet = before
            attempt.answers = {answer.id: answer for answer in sheet.answers}
        attempt.seen_s = {} if fresh else folder.seen_s(_KINDS[book])
        return attempt

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
    def spent_s(self) -> float:
        """Return the seconds that the current question's time has run before."""
        current = self.current
        return self.seen_s.get(current.id, 0.0) if current is not None else 0.0

    def leave(self, seconds: float) -> None:
        """Leave the current question after so many seconds of its time; it goes on with the rest of them."""
        self.seen_s[self._id] = seconds

    @property
    def sheet(self) -> Answers:
        """Return the answers so far as an answer sheet."""
        return Answers(
            exam_id=self.exam.exam_id,
            answerer=_KINDS[self.book],
            name=_NAMES[self.book],
            uses=_uses(self.book, self.short),
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
        self.seen_s.pop(answer.id, None)

    def save_later(self) -> Callable[[], None]:
        """Return the work that writes the present answers; works run one after another, on any thread."""
        return partial(self._save, self.sheet, dict(self.seen_s))

    def _save(self, sheet: Answers, seen_s: dict[str, float]) -> None:
        if sheet.answers:
            self.key = self.folder.save_answers(sheet, self.key)
        self.folder.save_seen(sheet.answerer, seen_s)
