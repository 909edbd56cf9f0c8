"""The questions as an answerer gets them, and its answers; nothing here reveals the right answers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

NOT_ANSWERABLE = "not answerable"
"""The answer if the episode does not contain one (SPEC §7)."""

RuleSet = Literal["paper", "compat"]
"""The rules for words, names and truths: the source text's, corrected, or the published generator's."""

AnswererKind = Literal["in-context", "retrieval", "recall", "system", "person-closed", "person-open"]


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SheetQuestion(_Words):
    """A question as it is asked: `text` is its paraphrase if it has one."""

    id: str
    text: str


class Sheet(_Words):
    """An exam without its truths.

    Attributes:
        exam_id: id of its exam.
        run_id: the run whose episode is asked about.
        inventory: grid, text, general or several, joined by +.
        last_step: questions cover steps 1 … last_step.
        rule_set: the rules for the questions' words.
    """

    exam_id: str
    game_id: str
    run_id: int
    inventory: str
    last_step: int = Field(ge=0)
    rule_set: RuleSet = "paper"
    questions: tuple[SheetQuestion, ...] = ()


class Answer(_Words):
    """One answer.

    Attributes:
        id: id of the question.
        text: the scored text; NOT_ANSWERABLE if the episode does not contain the answer.
        evidence: the steps that the answer was read from, rising.
        explanation: a phrase saying how the answer was found.
        problem: why there is no answer (a model failed, the time was up); else empty.
    """

    id: str
    text: str
    evidence: tuple[int, ...] = ()
    explanation: str = ""
    seconds: float = Field(0.0, ge=0)
    problem: str = ""


class Answers(_Words):
    """An answerer's answers to a sheet.

    Attributes:
        answerer: its kind; `name`: its name in tables ("recall", "retrieval · tiny-q4").
        uses: sentences about what it was given to read ("the run log: what it saw and did in steps 1 to
            199").
        model: the model that was asked; empty: none. memory: hash of the memory snapshot; empty: none.
        model_hash: of the file or endpoint behind the model's name; empty: none, or it was not kept.
        prompt_tokens, output_tokens: totals over all its model calls.
        at: UTC, ISO 8601.
    """

    exam_id: str
    answerer: AnswererKind
    name: str
    uses: tuple[str, ...]
    model: str = ""
    model_hash: str = ""
    memory: str = ""
    prompt_tokens: int = 0
    output_tokens: int = 0
    at: str
    answers: tuple[Answer, ...] = ()
