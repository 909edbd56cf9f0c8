"""Temporal questions of the general set: what came before what, and how long after."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pitwall.exam.episode.states import FieldState
from pitwall.exam.general.happenings import (
    ACTION,
    CHANGE,
    ESCALATION,
    KEYWORD,
    ROUTE,
    THINGS,
    VALUE,
    Episode,
    Happening,
    answer_at,
    draw_some,
)
from pitwall.exam.general.index import index_of, number, text_of
from pitwall.exam.questions.abilities import Ability
from pitwall.exam.questions.forms import Form, Slots
from pitwall.exam.questions.template import NO_ANSWER, Template, Truth

_PAIRS = (
    (ACTION, ROUTE),
    (ACTION, ESCALATION),
    (ACTION, CHANGE),
    (CHANGE, ESCALATION),
    (VALUE, ACTION),
    (KEYWORD, ACTION),
)
"""What is set against what: kinds whose slots have different names."""


def _firsts(earlier: Happening, other: Happening, trace: Episode, slots: Slots) -> tuple[int, int] | None:
    """Return the first steps of both; None if one of them never came."""
    first, second = earlier.steps(trace, slots), other.steps(trace, slots)
    return (first[0], second[0]) if first and second else None


def _both(first: Happening, other: Happening, trace: Episode, chance: random.Random) -> Iterator[Slots]:
    ours, theirs = first.choose(trace, chance), other.choose(trace, chance)
    for _ in range(12 if ours and theirs else 0):
        yield {**chance.choice(ours), **chance.choice(theirs)}


def _order(first: Happening, other: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        return _both(first, other, trace, chance)

    def find(trace: Episode, slots: Slots) -> Truth:
        steps = _firsts(first, other, trace, slots)
        if steps is None or steps[0] == steps[1]:
            return NO_ANSWER
        return answer_at("yes" if steps[0] < steps[1] else "no", *steps)

    words = (
        f"Did the first step {first.words} come before the first step {other.words}? Answer in 'yes' or 'no'."
    )
    return Template(
        f"T_order_{first.name}_{other.name}",
        Ability.TEMPORAL,
        Form(words),
        "yes-no",
        choose,
        find,
        ranged=True,
        by_reason=first.by_reason or other.by_reason,
    )


def _interval(first: Happening, other: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        return _both(first, other, trace, chance)

    def find(trace: Episode, slots: Slots) -> Truth:
        steps = _firsts(first, other, trace, slots)
        return answer_at(abs(steps[0] - steps[1]), *steps) if steps else NO_ANSWER

    words = f"How many steps lie between the first step {first.words} and the first step {other.words}?"
    return Template(
        f"T_interval_{first.name}_{other.name}",
        Ability.TEMPORAL,
        Form(words),
        "integer",
        choose,
        find,
        ranged=True,
        by_reason=first.by_reason or other.by_reason,
    )


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
        yield from ({**slots, "asked": field} for slots in some_of(chance, ACTION.choose(trace, chance)))


def some_of(chance: random.Random, slots: list[Slots]) -> list[Slots]:
    """Draw two of these."""
    return chance.sample(slots, min(2, len(slots)))


def _field_after_first(trace: Episode, slots: Slots) -> Truth:
    """Return the reading of a field right after the first such step."""
    steps, field = ACTION.steps(trace, slots), str(slots["asked"])
    moment = trace.at(steps[0]) if steps else None
    value = number(moment.after, field) if moment else None
    return answer_at(text_of(value), steps[0]) if value is not None else NO_ANSWER


TEMPORAL = (
    *(_order(first, other) for first, other in _PAIRS),
    *(_interval(first, other) for first, other in _PAIRS[:4]),
    *(_again(thing) for thing in THINGS),
    Template(
        "T_after_first",
        Ability.TEMPORAL,
        Form(
            "Right after '{action:name}' was carried out for the first time, what did the field "
            "'{asked:name}' read?"
        ),
        "float",
        _fields,
        _field_after_first,
        ranged=True,
    ),
)
