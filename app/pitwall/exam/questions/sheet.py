"""The questions as an answerer gets them, and its answers: nothing in here says what would be right."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

NOT_ANSWERABLE = "not answerable"
"""The answer where the episode does not say (SPEC §7)."""

RuleSet = Literal["paper", "compat"]
"""Whose words, names and truths: the source text's with its errors mended, or the published generator's."""

AnswererKind = Literal["in-context", "retrieval", "recall", "person-closed", "person-open"]


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SheetQuestion(_Words):
    """A question as it is asked: `text` is its paraphrase where it has one."""

    id: str
    text: str


class Sheet(_Words):
    """An exam without its truths.

    Attributes:
        exam_id: of the exam that it belongs to.
        run_id: whose episode is asked about.
        inventory: grid, text, general or several, joined by +.
        last_step: questions are about steps 1 … last_step.
        rule_set: in whose words they are asked.
    """

    exam_id: str
    game_id: str
    run_id: int
    inventory: str
    last_step: int = Field(ge=0)
    rule_set: RuleSet = "paper"
    questions: tuple[SheetQuestion, ...] = ()


class Answer(_Words):
    """Holds one answer.

    Attributes:
        id: the question's.
        text: as it is scored; NOT_ANSWERABLE where the episode does not say.
        evidence: steps that it was read from, rising.
        explanation: half a sentence: how it was found.
        problem: why there is none (a model failed, the time was up); empty where there is one.
    """

    id: str
    text: str
    evidence: tuple[int, ...] = ()
    explanation: str = ""
    seconds: float = Field(0.0, ge=0)
    problem: str = ""


class Answers(_Words):
    """Holds an answerer's answers to a sheet.

    Attributes:
        answerer: its kind; `name`: how tables call it ("recall", "retrieval · tiny-q4").
        uses: sentences: what it was given to read ("the run log: what it saw and did in steps 1 to 199").
        model: that was asked; empty: none. memory: hash of the memory snapshot; empty: none.
        prompt_tokens, output_tokens: of all its model calls together.
        at: UTC, ISO 8601.
    """

    exam_id: str
    answerer: AnswererKind
    name: str
    uses: tuple[str, ...]
    model: str = ""
    memory: str = ""
    prompt_tokens: int = 0
    output_tokens: int = 0
    at: str
    answers: tuple[Answer, ...] = ()
