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
    draw_some,
    found_answer,
)
from pitwall.exam.general.index import index_of, number, text_of
from pitwall.exam.questions.abilities import Ability
from pitwall.exam.questions.forms import Form, Slots
from pitwall.exam.questions.template import NOTHING, Found, Template

_PAIRS = (
    (ACTION, ROUTE),
    (ACTION, ESCALATION),
    (ACTION, CHANGE),
    (CHANGE, ESCALATION),
    (VALUE, ACTION),
    (KEYWORD, ACTION),
)
"""What is set against what: kinds whose slots have different names."""


def _firsts(one: Happening, other: Happening, trace: Episode, slots: Slots) -> tuple[int, int] | None:
    """Return the first steps of both; None if one of them never came."""
    first, second = one.steps(trace, slots), other.steps(trace, slots)
    return (first[0], second[0]) if first and second else None


def _both(one: Happening, other: Happening, trace: Episode, chance: random.Random) -> Iterator[Slots]:
    ours, theirs = one.choose(trace, chance), other.choose(trace, chance)
    for _ in range(12 if ours and theirs else 0):
        yield {**chance.choice(ours), **chance.choice(theirs)}


def _order(one: Happening, other: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        return _both(one, other, trace, chance)

    def find(trace: Episode, slots: Slots) -> Found:
        steps = _firsts(one, other, trace, slots)
        if steps is None or steps[0] == steps[1]:
            return NOTHING
        return found_answer("yes" if steps[0] < steps[1] else "no", *steps)

    words = (
        f"Did the first step {one.words} come before the first step {other.words}? Answer in 'yes' or 'no'."
    )
    return Template(
        f"T_order_{one.name}_{other.name}",
        Ability.TEMPORAL,
        Form(words),
        "yes-no",
        choose,
        find,
        ranged=True,
        by_reason=one.by_reason or other.by_reason,
    )


def _interval(one: Happening, other: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        return _both(one, other, trace, chance)

    def find(trace: Episode, slots: Slots) -> Found:
        steps = _firsts(one, other, trace, slots)
        return found_answer(abs(steps[0] - steps[1]), *steps) if steps else NOTHING

    words = f"How many steps lie between the first step {one.words} and the first step {other.words}?"
    return Template(
        f"T_interval_{one.name}_{other.name}",
        Ability.TEMPORAL,
        Form(words),
        "integer",
        choose,
        find,
        ranged=True,
        by_reason=one.by_reason or other.by_reason,
    )


def _again(thing: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        yield from thing.choose(trace, chance)

    def find(trace: Episode, slots: Slots) -> Found:
        steps = thing.steps(trace, slots)
        return found_answer(steps[1] - steps[0], *steps[:2]) if len(steps) > 1 else NOTHING

    words = f"After the first step {thing.words}, how many steps later did such a step come again?"
    name, form, reason = f"T_again_{thing.name}", Form(words), thing.by_reason
    return Template(name, Ability.TEMPORAL, form, "integer", choose, find, ranged=True, by_reason=reason)


def _fields(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for field in draw_some(chance, index_of(trace).number_fields):
        yield from ({**slots, "asked": field} for slots in some_of(chance, ACTION.choose(trace, chance)))


def some_of(chance: random.Random, slots: list[Slots]) -> list[Slots]:
    """Draw two of these."""
    return chance.sample(slots, min(2, len(slots)))


def _field_after_first(trace: Episode, slots: Slots) -> Found:
    """Return the reading of a field right after the first such step."""
    steps, field = ACTION.steps(trace, slots), str(slots["asked"])
    moment = trace.at(steps[0]) if steps else None
    value = number(moment.after, field) if moment else None
    return found_answer(text_of(value), steps[0]) if value is not None else NOTHING


TEMPORAL = (
    *(_order(one, other) for one, other in _PAIRS),
    *(_interval(one, other) for one, other in _PAIRS[:4]),
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
