"""A person takes the exam: closed or open book, a time limit per question, nothing about reasons.

As in the source (A.8): a question whose time is up counts as wrong, "not answerable" and "cannot remember"
are answers of their own, and the person may leave and continue later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from pitwall_exam.answering.answerer import AnswererInfo, ShouldStop, Tokens
from pitwall_exam.answering.run_record import RunRecord, horizon_of
from pitwall_exam.answering.turns import last_turns, turn_text
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, Sheet, SheetQuestion
from pitwall_exam.reading.recall import Recall

TIME_UP = "the time was up"
CANNOT_REMEMBER = "cannot remember"
LONGEST_ANSWER = 1000
ReplyKind = Literal["text", "not-answerable", "cannot-remember", "time-up", "leave"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's reply to a question. seen_s: seconds for which it was seen before the person left."""

    kind: ReplyKind
    text: str = ""
    seen_s: float = 0.0


AskPerson = Callable[[SheetQuestion, int, int, float], Reply]
"""Asks a person: the question, its number, the number of questions, and the seconds for it."""


class PersonAnswerer:
    """A person at the terminal, or on the console's page.

    Args:
        ask: shows a question and waits for the reply.
        seconds: for one question.
    """

    def __init__(
        self,
        sheet: Sheet,
        recorded: RunRecord,
        *,
        kind: Literal["person-closed", "person-open"],
        ask: AskPerson,
        seconds: float,
    ) -> None:
        self._recall = Recall(recorded.records, examples={}, last_step=horizon_of(sheet, recorded))
        self._ask = ask
        self._seconds = seconds
        self._of = sum(1 for question in sheet.questions if not self.passes_over(question))
        opened = kind == "person-open"
        book = (
            "the open book: the episode's steps in words" if opened else "their memory alone: a closed book"
        )
        self.about = AnswererInfo(
            kind=kind,
            name="a person · open book" if opened else "a person · closed book",
            uses=(book, f"{seconds:g} s a question", "no questions about reasons"),
        )
        self.tokens = Tokens()

    def answer(self, questions: Sequence[SheetQuestion], stopped: ShouldStop) -> Iterator[Answer]:
        """Answer as `Answerer` says; end if the person leaves."""
        before = self._of - len(questions)
        for number, question in enumerate(questions, start=before + 1):
            if stopped():
                return
            began = time.monotonic()
            reply = self._ask(question, number, self._of, self._seconds)
            seconds = min(reply.seen_s + time.monotonic() - began, self._seconds)
            if reply.kind == "leave":
                return
            yield _answer(question.id, reply, seconds)

    def passes_over(self, question: SheetQuestion) -> bool:
        """Return whether a question is about reasons: persons gave none while they played."""
        reading = self._recall.matcher.declared(question.text)
        if reading is not None:
            return reading.template.by_reason
        return any(word in question.text.lower() for word in ("reason", "your thinking", "why did you"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: no file is held."""


def open_book(sheet: Sheet, recorded: RunRecord) -> str:
    """Write the episode in words, one line per step, for a person with an open book."""
    last = horizon_of(sheet, recorded)
    turns = last_turns(recorded, last=last, most=0)
    return "".join(f"{turn_text(turn)}\n" for turn in turns)


def _answer(question_id: str, reply: Reply, seconds: float) -> Answer:
    match reply.kind:
        case "time-up":
            return Answer(id=question_id, text="", seconds=seconds, problem=TIME_UP)
        case "cannot-remember":
            return Answer(id=question_id, text="", seconds=seconds, problem=CANNOT_REMEMBER)
        case "not-answerable":
            return Answer(id=question_id, text=NOT_ANSWERABLE, seconds=seconds)
    text = " ".join(reply.text.split())[:LONGEST_ANSWER]
    return Answer(id=question_id, text=text, seconds=seconds, problem="" if text else CANNOT_REMEMBER)
