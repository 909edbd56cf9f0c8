"""Templates: small declared programs that choose evidence, ask, compute, and say when there is an answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pitwall.exam.episode.trace import Trace
from pitwall.exam.questions.abilities import Ability, AnswerKind
from pitwall.exam.questions.forms import Form, Slots


@dataclass(frozen=True, slots=True)
class Truth:
    """Holds the truth of a question, with the steps that it follows from.

    Attributes:
        answers: every right one, the first as it is shown; empty: not answerable.
        steps: evidence, rising; see Question.evidence.
    """

    answers: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()


NO_ANSWER = Truth()


S = TypeVar("S")


@dataclass(frozen=True)
class Template(Generic[S]):
    """Holds one template of an inventory, over episodes with states of type S.

    Attributes:
        name: as the source's tables have it ("A_occ_action").
        form: its question without the horizon's prefix.
        choose: slots that make a question about this episode, answerable or not, in any order; drawn from the
            given generator alone (never from hash order), so that a seed gives the same exam everywhere.
        find: the answer, from the trace and the slots alone.
        ranged: the question is about a stretch of the episode: a horizon prefixes it.
        by_reason: it asks about reasons, which persons do not give.
    """

    name: str
    ability: Ability
    form: Form
    kind: AnswerKind
    choose: Callable[[Trace[S], random.Random], Iterable[Slots]]
    find: Callable[[Trace[S], Slots], Truth]
    ranged: bool = False
    by_reason: bool = False


@dataclass(frozen=True)
class Inventory(Generic[S]):
    """The templates of one kind of game, in the order of the source's table."""

    name: str
    templates: tuple[Template[S], ...]
