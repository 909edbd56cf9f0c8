"""Compares our answers with published ones, item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pitwall.core.errors import ExamError
from pitwall_exam.compat.catalogue import TEMPLATES
from pitwall_exam.compat.json_lines import objects_of, unlike
from pitwall_exam.compat.template import PublishedQuestion, Truth

Answering = Callable[[PublishedQuestion, int], Truth]
"""Answers a question, given the last step (from 0) of its file's questions; ValueError says why it cannot."""


@dataclass(frozen=True, slots=True)
class Item:
    """One published question with both answers.

    Attributes:
        line: in its file, from 1.
        published, ours: the two answers; `ours` is None if there is none.
        problem: a sentence with file and line saying why it could not be answered; else empty.
    """

    line: int
    template: str
    question: str
    published: object
    ours: Truth | None
    problem: str = ""

    @property
    def agreed(self) -> bool:
        """Return whether both answers are equal in value and type."""
        same_kind = isinstance(self.published, str) == isinstance(self.ours, str)
        return not self.problem and same_kind and _trimmed(self.published) == _trimmed(self.ours)


@dataclass(frozen=True)
class Agreement:
    """The items of a file of questions; items that could not be answered count as disagreeing."""

    questions: Path
    items: tuple[Item, ...]

    @property
    def agreed(self) -> int:
        """Count the items that agree."""
        return sum(item.agreed for item in self.items)


def _trimmed(answer: object) -> object:
    """Return an answer without blanks around its texts: logs write "Living " and mean "Living"."""
    if isinstance(answer, list | tuple):
        return type(answer)(_trimmed(part) for part in answer)
    return answer.strip() if isinstance(answer, str) else answer


def compared(answer: Answering, questions: Path) -> Agreement:
    """Answer every question of a file.

    Args:
        answer: answers by the rules of the log's kind of game.

    Raises:
        ExamError: the file is missing, empty or foreign, or a line is no JSON object; names file and line.
    """
    read = [(number, fields, _read(fields)) for number, fields in objects_of(questions)]
    if not read:
        raise ExamError(f"{questions} is empty.", "It should hold one question a line, as JSON.")
    last = max(
        (question.range[1] for _, _, question in read if isinstance(question, PublishedQuestion)), default=0
    )
    items = []
    for number, fields, question in read:
        ours, problem = None, question if isinstance(question, str) else ""
        if isinstance(question, PublishedQuestion):
            try:
                ours = answer(question, last)
            except ValueError as error:
                problem = f"{error}."
        items.append(
            Item(
                line=number,
                template=str(fields.get("template", "")),
                question=str(fields.get("question", "")),
                published=fields.get("gt"),
                ours=ours,
                problem=f"{questions}:{number}: {problem}" if problem else "",
            )
        )
    return Agreement(questions, tuple(items))


def by_template(items: Iterable[Item]) -> dict[str, tuple[int, int]]:
    """Count each template's items, and those that agree, in the published order, unknown templates last."""
    counts: dict[str, tuple[int, int]] = dict.fromkeys(TEMPLATES, (0, 0))
    for item in items:
        asked, agreed = counts.get(item.template, (0, 0))
        counts[item.template] = (asked + 1, agreed + item.agreed)
    return {name: count for name, count in counts.items() if count[0]}


def _read(fields: dict[str, object]) -> PublishedQuestion | str:
    """Return the question, or its fault as the rest of a sentence."""
    try:
        return PublishedQuestion.model_validate(fields)
    except ValidationError as error:
        return f"the question {unlike(error)}."
