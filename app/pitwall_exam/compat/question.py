"""A published question: one line of JSON, with its answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Truth = int | str | list[str]
"""A number, a string, or several right answers."""

NOT_ANSWERABLE = "not answerable"

Kind = Literal["Single‑Hop", "Multi‑Hop", "Inducing", "Spatial", "Time", "Logical", "adversarial"]
"""The values of a question's `type`; the hyphen is U+2011, as published."""


class PublishedQuestion(BaseModel):
    """One line of a published exam.

    Attributes:
        type: one of Kind. template: one of the 66 names.
        paraphrase: another wording, or the same text again.
        difficulty: how many steps must be examined.
        range: first and last step asked about, inclusive, from 0.
        gt: the answer.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    type: str
    template: str
    question: str
    paraphrase: str = ""
    difficulty: int = 1
    range: list[int] = Field(min_length=2, max_length=2)
    gt: Truth | list[int] | float
