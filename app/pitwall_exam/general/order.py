"""Temporal questions of the general set: the order of events, and the steps between them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from pitwall_exam.episode.states import FieldState
from pitwall_exam.general import happenings
from pitwall_exam.general.happenings import Episode, Happening, answer_at, draw_some
from pitwall_exam.general.index import index_of, number, text_of
from pitwall_exam.questions.abilities import Ability, AnswerKind
from pitwall_exam.questions.forms import Form, Slots
from pitwall_exam.questions.template import NO_ANSWER, Template, Truth, declared

_PAIRS = (
    (happenings.ACTION, happenings.ROUTE),
    (happenings.ACTION, happenings.ESCALATION),
    (happenings.ACTION, happenings.CHANGE),
    (happenings.CHANGE, happenings.ESCALATION),
    (happenings.VALUE, happenings.ACTION),
    (happenings.KEYWORD, happenings.ACTION),
)
"""Kinds of happenings that questions compare: their slots have different names."""
_ORDER = "Did the first step {} come before the first step {}? Answer in 'yes' or 'no'."
_INTERVAL = "How many steps lie between the first step {} and the first step {}?"


def _pair(
    name: str,
    words: str,
    answer: AnswerKind,
    kinds: tuple[Happening, Happening],
    compare: Callable[[int, int], Truth],
) -> Template[FieldState]:
    """Build a template about the first steps of two kinds of happening; no answer if one never came."""
    first, other = kinds

    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        ours, theirs = first.choose(trace, chance), other.choose(trace, chance)
        for _ in range(12 if ours and theirs else 0):
            yield {**chance.choice(ours), **chance.choice(theirs)}

    def find(trace: Episode, slots: Slots) -> Truth:
        steps, others = first.steps(trace, slots), other.steps(trace, slots)
        return compare(steps[0], others[0]) if steps and others else NO_ANSWER

    return Template(
        f"T_{name}_{first.name}_{other.name}",
        Ability.TEMPORAL,
        Form(words.format(first.words, other.words)),
        answer,
        choose,
        find,
        ranged=True,
        by_reason=first.by_reason or other.by_reason,
    )


def _came_before(first: int, other: int) -> Truth:
    return NO_ANSWER if first == other else answer_at("yes" if first < other else "no", first, other)


def _interval(first: int, other: int) -> Truth:
    return answer_at(abs(first - other), first, other)


def _again(thing: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        yield from thing.choose(trace, chance)

    def find(trace: Episode, slots: Slots) -> Truth:
        steps = thing.steps(trace, slots)
        return answer_at(steps[1] - steps[0], *steps[:2]) if len(steps) > 1 else NO_ANSWER

    words = f"After the first step {thing.words}, how many steps later did such a step come again?"
    name, form, reason = f"T_again_{thing.name}", Form(words), thing.by_reason
    return Template(name, Ability.TEMPORAL, form, "integer", choose, find, ranged=True, by_reason=reason)


def _fields(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for field in draw_some(chance, index_of(trace).number_fields):
        yield from (
            {**slots, "asked": field} for slots in some_of(chance, happenings.ACTION.choose(trace, chance))
        )


def some_of(chance: random.Random, slots: list[Slots]) -> list[Slots]:
    """Draw two of the fillings."""
    return chance.sample(slots, min(2, len(slots)))


def _field_after_first(trace: Episode, slots: Slots) -> Truth:
    """Return the reading of a field right after the action's first step."""
    steps, field = happenings.ACTION.steps(trace, slots), str(slots["asked"])
    moment = trace.at(steps[0]) if steps else None
    value = number(moment.after, field) if moment else None
    return answer_at(text_of(value), steps[0]) if value is not None else NO_ANSWER


TEMPORAL = (
    *(_pair("order", _ORDER, "yes-no", pair, _came_before) for pair in _PAIRS),
    *(_pair("interval", _INTERVAL, "integer", pair, _interval) for pair in _PAIRS[:4]),
    *(_again(thing) for thing in happenings.THINGS),
    *declared("general", {"T_after_first": (_fields, _field_after_first)}),
)
