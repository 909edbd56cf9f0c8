"""A published template: its words, its rule, and how its lines give range and difficulty."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pitwall_exam.compat.question import Kind, Truth
from pitwall_exam.compat.span import Span
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Form, Slots

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
