"""Answers a sheet question by question; every answer is saved, and an interrupted session can continue."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from pitwall_exam.answering.answerer import Answerer, Progress, ShouldStop, questions_left
from pitwall_exam.questions.sheet import Answer, Answers, Sheet

_KEPT_EACH_S = 2.0
"""Seconds between two writes of the answers, which come fast from a record; the end writes them as well."""
IN_DECLARED_WORDS = "the templates' own words, not paraphrases"

SaveAnswers = Callable[[Answers], None]


def answer_sheet(
    answerer: Answerer,
    sheet: Sheet,
    *,
    keep: SaveAnswers,
    before: Answers | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    stopped: ShouldStop = lambda: False,
    also: tuple[str, ...] = (),
) -> Answers:
    """Let an answerer answer a sheet. The answers are kept in the sheet's order.

    Args:
        before: an interrupted session of the same answerer, whose answers are kept. Answers with a problem
            are asked again, except of a person, who has already seen the question.
        keep: writes the answers so far; called at the end as well, however the session ends.
        on_progress: called after each answer.
        also: further sentences about what was used (`IN_DECLARED_WORDS`).
    """
    given: dict[str, Answer] = {}
    if before is not None:
        given = {
            answer.id: answer for answer in before.answers if not answer.problem or answerer.about.is_person
        }
    of = len(questions_left(answerer, sheet.questions))
    waiting = questions_left(answerer, sheet.questions, answered=given)
    began = kept = time.monotonic()
    try:
        for done, answer in enumerate(answerer.answer(waiting, stopped), start=1):
            given[answer.id] = answer
            now = time.monotonic()
            if now - kept >= _KEPT_EACH_S:
                keep(_answers(answerer, sheet, given, before, also))
                kept = time.monotonic()
            left_s = (now - began) / done * (len(waiting) - done)
            on_progress(Progress(answer=answer, done=of - len(waiting) + done, of=of, left_s=left_s))
            if stopped():
                break
    finally:
        answers = _answers(answerer, sheet, given, before, also)
        keep(answers)
    return answers


def all_answered(answers: Answers, answerer: Answerer, sheet: Sheet) -> bool:
    """Return whether nothing is left to ask: every question is answered, a model's without a problem."""
    settled = {answer.id for answer in answers.answers if not answer.problem or answerer.about.is_person}
    return not questions_left(answerer, sheet.questions, answered=settled)


def same_answerer(answers: Answers, answerer: Answerer, also: tuple[str, ...] = ()) -> bool:
    """Return whether a session was by this very answerer, with the same model, memory and wording.

    A sheet that was written before the model's hash was kept counts as the same.
    """
    about = answerer.about
    if answers.model_hash not in ("", about.model_hash):
        return False
    return (answers.answerer, answers.model, answers.memory, answers.uses) == (
        about.kind,
        about.model,
        about.memory,
        (*about.uses, *also),
    )


def _answers(
    answerer: Answerer,
    sheet: Sheet,
    given: dict[str, Answer],
    before: Answers | None,
    also: tuple[str, ...],
) -> Answers:
    about, tokens = answerer.about, answerer.tokens
    return Answers(
        exam_id=sheet.exam_id,
        answerer=about.kind,
        name=about.name,
        uses=(*about.uses, *also),
        model=about.model,
        model_hash=about.model_hash,
        memory=about.memory,
        prompt_tokens=tokens.prompt + (before.prompt_tokens if before is not None else 0),
        output_tokens=tokens.output + (before.output_tokens if before is not None else 0),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        answers=tuple(given[question.id] for question in sheet.questions if question.id in given),
    )
