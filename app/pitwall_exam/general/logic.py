"""Logical questions of the general set: joint conditions, causes, and whether something always held."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pitwall_exam.episode.states import FieldState
from pitwall_exam.general import happenings
from pitwall_exam.general.counts import most_frequent
from pitwall_exam.general.happenings import Episode, Happening, answer_at, draw_some, steps_of
from pitwall_exam.general.index import index_of, number, text_of
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.forms import Form, Slots
from pitwall_exam.questions.template import NO_ANSWER, Template, Truth, declared

_NONE = ("none", "nothing", "no fields")
_JOINED = (
    (happenings.ACTION, happenings.VALUE),
    (happenings.ACTION, happenings.ROUTE),
    (happenings.ACTION, happenings.CHANGE),
    (happenings.ROUTE, happenings.CHANGE),
)


def _joined(first: Happening, other: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        ours, theirs = first.choose(trace, chance), other.choose(trace, chance)
        for _ in range(10 if ours and theirs else 0):
            yield {**chance.choice(ours), **chance.choice(theirs)}

    def find(trace: Episode, slots: Slots) -> Truth:
        ours, theirs = first.steps(trace, slots), set(other.steps(trace, slots))
        both = [step for step in ours if step in theirs]
        if not ours or not theirs:
            return NO_ANSWER
        return Truth((str(len(both)),), tuple(both) or (ours[0],))

    words = f"How many steps {first.words} are also steps {other.words}?"
    name, form = f"L_{first.name}_and_{other.name}", Form(words)
    return Template(name, Ability.LOGICAL, form, "integer", choose, find, ranged=True)


def _cause(trace: Episode, slots: Slots) -> Truth:
    """Return the most frequent action among the steps after which the field changed so."""
    steps = happenings.CHANGE.steps(trace, slots)
    actions = most_frequent(moment.action for step in steps if (moment := trace.at(step)))
    return Truth(actions, tuple(steps)) if actions else NO_ANSWER


def _actions_and_fields(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for action in happenings.ACTION.choose(trace, chance):
        yield from ({**action, **change} for change in some_changes(trace, chance))


def some_changes(trace: Episode, chance: random.Random) -> list[Slots]:
    """Draw one change of a field."""
    offered = happenings.CHANGE.choose(trace, chance)
    return chance.sample(offered, min(1, len(offered)))


def _every_time(trace: Episode, slots: Slots) -> Truth:
    done, changed = happenings.ACTION.steps(trace, slots), set(happenings.CHANGE.steps(trace, slots))
    if not done or str(slots["field"]) not in index_of(trace).number_fields:
        return NO_ANSWER
    missed = [step for step in done if step not in changed]
    return answer_at("no", missed[0]) if missed else Truth(("yes",), tuple(done))


def _levels(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for field in draw_some(chance, index_of(trace).number_fields):
        read = sorted({value for m in trace.moments if (value := number(m.before, field)) is not None})
        level = chance.choice(read)
        yield {"asked": field, "level": text_of(int(level) if level == int(level) else level)}


def _ever_above(trace: Episode, slots: Slots) -> Truth:
    field, level = str(slots["asked"]), _as_number(slots["level"])
    read = [(value, m.step) for m in trace.moments if (value := number(m.before, field)) is not None]
    if not read or level is None:
        return NO_ANSWER
    above = [step for value, step in read if value > level]
    return answer_at("yes", above[0]) if above else answer_at("no", read[0][1], read[-1][1])


def _as_number(text: str | int) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _steps(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for step in steps_of(trace, chance, 12):
        yield {"step": step}


def _changed_fields(trace: Episode, slots: Slots) -> Truth:
    moment = trace.at(int(slots["step"]))
    if moment is None:
        return NO_ANSWER
    before, after = moment.before.fields, moment.after.fields
    read = [name for name in sorted(before) if before[name] is not None and after.get(name) is not None]
    if not read:
        return NO_ANSWER
    changed = ", ".join(name for name in read if before[name] != after[name])
    return Truth((changed,) if changed else _NONE, (moment.step,))


def _steps_asked(trace: Episode, slots: Slots) -> Truth:
    steps = happenings.ESCALATION.steps(trace, slots)
    return Truth((", ".join(map(str, steps)),), tuple(steps)) if 0 < len(steps) <= 20 else NO_ANSWER


LOGICAL = (
    *(_joined(first, other) for first, other in _JOINED),
    *declared(
        "general",
        {
            "L_cause": (happenings.CHANGE.choose, _cause),
            "L_every_time": (_actions_and_fields, _every_time),
            "L_ever_above": (_levels, _ever_above),
            "L_changed_fields": (_steps, _changed_fields),
            "L_escalation_steps": (happenings.ESCALATION.choose, _steps_asked),
        },
    ),
)
