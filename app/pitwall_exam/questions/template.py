"""Templates: small programs that draw a question's slots and compute its answer."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pitwall.core.paths import resources_dir
from pitwall_exam.episode.trace import Trace
from pitwall_exam.questions.abilities import Ability, AnswerKind
from pitwall_exam.questions.forms import Form, Slots


@dataclass(frozen=True, slots=True)
class Truth:
    """The right answers to a question, with the steps from which they follow.

    Attributes:
        answers: every right answer, the first as it is shown; empty: not answerable.
        steps: evidence, rising; see Question.evidence.
    """

    answers: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()


NO_ANSWER = Truth()


S = TypeVar("S")
Chooser = Callable[[Trace[S], random.Random], Iterable[Slots]]
Finder = Callable[[Trace[S], Slots], Truth]
Program = tuple[Chooser[S], Finder[S]]
"""Draws the slots of a template's questions, and computes their answer."""


@dataclass(frozen=True)
class Template(Generic[S]):
    """A template of an inventory, over episodes with states of type S.

    Attributes:
        name: as in the source's tables ("A_occ_action").
        form: its question without the horizon's prefix.
        choose: yields slots that make a question about this episode, answerable or not, in any order. It
            draws only from the given generator, never from hash order, so that a seed gives the same exam
            everywhere.
        find: computes the answer from the trace and the slots alone.
        ranged: the question covers the whole episode, so a horizon may precede it.
        by_reason: the question is about reasons, which persons do not give.
    """

    name: str
    ability: Ability
    form: Form
    kind: AnswerKind
    choose: Chooser[S]
    find: Finder[S]
    ranged: bool = False
    by_reason: bool = False


@dataclass(frozen=True)
class Inventory(Generic[S]):
    """A named set of question templates for one kind of game, in the order of the source's table."""

    name: str
    templates: tuple[Template[S], ...]


@lru_cache(maxsize=1)
def templates_table() -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """Read `resources/exam/templates.toml`: inventory → ability → template → its row."""
    return tomllib.loads((resources_dir() / "exam" / "templates.toml").read_text(encoding="utf-8"))


def declared(inventory: str, programs: Mapping[str, Program[S]]) -> tuple[Template[S], ...]:
    """Build the templates of an inventory, in the order of their programs, with the words of the table."""
    rows = {
        name: (Ability(ability), row)
        for ability, templates in templates_table()[inventory].items()
        for name, row in templates.items()
    }
    return tuple(_template(name, *rows[name], *program) for name, program in programs.items())


def _template(
    name: str, ability: Ability, row: Mapping[str, Any], choose: Chooser[S], find: Finder[S]
) -> Template[S]:
    flags = {flag: row.get(flag, False) for flag in ("ranged", "by_reason")}
    return Template(name, ability, Form(row["asks"]), row["answer"], choose, find, **flags)
