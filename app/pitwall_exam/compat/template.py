"""Published questions and templates: words, rule, and how their lines give range and difficulty."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall_exam.compat.episode import Span
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Form, Slots

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


Rule = Callable[[World, Span, Slots], Truth]
Range = Literal["stretch", "episode", "step", "state", "events"]
Effort = Literal["range", "one", "stretch", "one, or the horizon", "between"]

_BEGINNING = re.compile(r"From step (\d+) to (\d+), ")


@dataclass(frozen=True)
class Template:
    """One of the published templates.

    Attributes:
        name: as published. kind: its `type` if there is an answer.
        form: its words without a horizon's beginning.
        find: computes its answer.
        prefixed: a horizon begins its question with "From step 1 to N, ".
        covers: the published `range`: the range up to the horizon, the whole episode, the step asked about,
            the step at an offset from an event, or the two events' steps.
        effort: what `difficulty` counts: the range's steps, one, the stretch's steps, one (or the stretch's
            steps under a horizon), or the steps between two events.
    """

    name: str
    kind: Kind
    form: Form
    find: Rule
    prefixed: bool = True
    covers: Range = "stretch"
    effort: Effort = "range"

    def read(self, question: str) -> tuple[Slots, Span | None] | None:
        """Read the slots and the range of a question back; None if it has another form."""
        named = _BEGINNING.match(question) if self.prefixed else None
        slots = self.form.read(question[named.end() :] if named else question)
        if slots is None:
            return None
        return slots, Span(int(named.group(1)) - 1, int(named.group(2)) - 1) if named else None

    def ask(self, slots: Slots, span: Span) -> str:
        """Write the question over a range."""
        words = self.form.ask(slots)
        return (
            f"From step {span.lo + 1} to {span.hi + 1}, {words}"
            if self.prefixed and not span.whole
            else words
        )
