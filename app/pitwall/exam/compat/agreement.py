"""Compares our answers with published ones, item by item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pitwall.core.errors import ExamError, nearest
from pitwall.exam.compat.answers import answered
from pitwall.exam.compat.catalogue import TEMPLATES
from pitwall.exam.compat.episode import Episode
from pitwall.exam.compat.json_lines import objects_of, unlike
from pitwall.exam.compat.question import PublishedQuestion, Truth
from pitwall.exam.compat.world import World


@dataclass(frozen=True, slots=True)
class Item:
    """Holds one published question with both answers.

    Attributes:
        line: in its file, from 1.
        published, ours: the two answers; `ours` None where there is none.
        problem: why it could not be answered, in a sentence that names file and line; else empty.
    """

    line: int
    template: str
    question: str
    published: object
    ours: Truth | None
    problem: str = ""

    @property
    def agreed(self) -> bool:
        """Whether both answers are the same, in value and in kind."""
        same_kind = isinstance(self.published, str) == isinstance(self.ours, str)
        return not self.problem and same_kind and self.published == self.ours


@dataclass(frozen=True)
class Agreement:
    """All items of a file of questions; those that could not be answered count as disagreeing."""

    questions: Path
    items: tuple[Item, ...]

    @property
    def agreed(self) -> int:
        """Count the items that agree."""
        return sum(item.agreed for item in self.items)


def compared(episode: Episode, questions: Path) -> Agreement:
    """Answer every question of a file over an episode.

    Raises:
        ExamError: the file is missing, empty or foreign, or a line is no JSON object; names file and line.
    """
    world = World(episode)
    items = tuple(_item(world, questions, number, found) for number, found in objects_of(questions))
    if not items:
        raise ExamError(f"{questions} is empty.", "It should hold one question a line, as JSON.")
    return Agreement(questions, items)


def by_template(items: Iterable[Item]) -> dict[str, tuple[int, int]]:
    """Items and agreed ones of each template, in the published order, unknown ones last."""
    counts: dict[str, tuple[int, int]] = dict.fromkeys(TEMPLATES, (0, 0))
    for item in items:
        asked, agreed = counts.get(item.template, (0, 0))
        counts[item.template] = (asked + 1, agreed + item.agreed)
    return {name: count for name, count in counts.items() if count[0]}


def _item(world: World, file: Path, number: int, found: dict[str, object]) -> Item:
    name, text, truth = str(found.get("template", "")), str(found.get("question", "")), found.get("gt")

    def without(problem: str) -> Item:
        return Item(number, name, text, truth, None, f"{file}:{number}: {problem}")

    template = TEMPLATES.get(name)
    if template is None:
        near = nearest(name, TEMPLATES)
        return without(f"no template is called {name!r}.{f' Did you mean {near!r}?' if near else ''}")
    try:
        question = PublishedQuestion.model_validate(found)
    except ValidationError as error:
        return without(f"the question {unlike(error)}.")
    try:
        ours = answered(template, world, question)
    except ValueError as error:
        return without(f"{error}.")
    if ours is None:
        return without(f"the question is not worded as {name}'s are: {text[:120]!r}.")
    return Item(number, name, text, question.gt, ours)
