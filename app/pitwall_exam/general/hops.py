"""Single-hop and multi-hop questions of the general set: facts of a step, and steps found by an event."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from pitwall_exam.episode.states import FieldState
from pitwall_exam.episode.trace import Moment
from pitwall_exam.general.happenings import (
    NTH,
    THINGS,
    Choose,
    Episode,
    Find,
    Happening,
    answer_at,
    draw_some,
    occurrences,
    steps_of,
    which,
)
from pitwall_exam.general.index import index_of, text_of
from pitwall_exam.questions.abilities import Ability, AnswerKind
from pitwall_exam.questions.forms import Form, Slots
from pitwall_exam.questions.template import NO_ANSWER, Template, Truth, declared

_FARTHEST = 5
"""Most steps between the event and the step asked about."""

_ACTION = "Which action was carried out"
_FIELD = "What did the field '{asked:name}' read"


# ---- one step


def _steps(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for step in steps_of(trace, chance, 12):
        yield {"step": step}


def _fields_at(trace: Episode, chance: random.Random, names: list[str]) -> Iterator[Slots]:
    for step in steps_of(trace, chance, 12):
        for name in draw_some(chance, names, 1):
            yield {"asked": name, "step": step}


def _numbers_at(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    return _fields_at(trace, chance, index_of(trace).number_fields)


def _words_at(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    return _fields_at(trace, chance, index_of(trace).word_fields)


def _at_step(read: Callable[[Moment[FieldState], Slots], str]) -> Callable[[Episode, Slots], Truth]:
    def find(trace: Episode, slots: Slots) -> Truth:
        moment = trace.at(int(slots["step"]))
        return answer_at(read(moment, slots), moment.step) if moment else NO_ANSWER

    return find


_field_at = _at_step(lambda moment, slots: text_of(moment.before.fields.get(str(slots["asked"]))))

ONE_STEP = declared(
    "general",
    {
        "S_action": (_steps, _at_step(lambda moment, _: moment.action)),
        "S_reason": (_steps, _at_step(lambda moment, _: moment.reason)),
        "S_route": (_steps, _at_step(lambda moment, _: moment.before.route)),
        "S_escalations": (_steps, _at_step(lambda moment, _: ", ".join(moment.before.escalations))),
        "S_number": (_numbers_at, _field_at),
        "S_word": (_words_at, _field_at),
    },
)


# ---- the first, second … step of a kind


def _occurrence(thing: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        return occurrences(thing, trace, chance)

    def find(trace: Episode, slots: Slots) -> Truth:
        step = which(thing.steps(trace, slots), str(slots["nth"]))
        return answer_at(str(step), step) if step else NO_ANSWER

    return Template(
        f"S_occ_{thing.name}",
        Ability.SINGLE_HOP,
        Form(f"Give the number of the {{nth:{NTH}}} step {thing.words}."),
        "integer",
        choose,
        find,
        ranged=True,
        by_reason=thing.by_reason,
    )


def _other_step(thing: Happening, trace: Episode, slots: Slots) -> tuple[int, Moment[FieldState]] | None:
    """Return the event's step, and the moment some steps before or after it."""
    step = which(thing.steps(trace, slots), str(slots["nth"]))
    if step is None:
        return None
    away = int(slots["offset"]) * (1 if str(slots["side"]).lower() == "after" else -1)
    moment = trace.at(step + away)
    return (step, moment) if moment else None


def _away(thing: Happening, trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for slots in occurrences(thing, trace, chance):
        yield {**slots, "offset": chance.randint(1, _FARTHEST), "side": chance.choice(("before", "after"))}


def _hop_to_action(thing: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        return _away(thing, trace, chance)

    def find(trace: Episode, slots: Slots) -> Truth:
        hop = _other_step(thing, trace, slots)
        return answer_at(hop[1].action, *sorted((hop[0], hop[1].step))) if hop else NO_ANSWER

    return _hop(f"M_{thing.name}_action", _ACTION, "string", thing, choose, find)


def _hop_to_field(thing: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        names = index_of(trace).number_fields
        for slots in _away(thing, trace, chance):
            yield from ({**slots, "asked": name} for name in draw_some(chance, names, 1))

    def find(trace: Episode, slots: Slots) -> Truth:
        hop = _other_step(thing, trace, slots)
        if hop is None:
            return NO_ANSWER
        value = text_of(hop[1].before.fields.get(str(slots["asked"])))
        return answer_at(value, *sorted((hop[0], hop[1].step)))

    return _hop(f"M_{thing.name}_field", _FIELD, "float", thing, choose, find)


def _hop(
    name: str, asked: str, kind: AnswerKind, thing: Happening, choose: Choose, find: Find
) -> Template[FieldState]:
    words = f"{asked} {{offset:int}} step(s) {{side:before|after}} the {{nth:{NTH}}} step {thing.words}?"
    form, reason = Form(words), thing.by_reason
    return Template(name, Ability.MULTI_HOP, form, kind, choose, find, ranged=True, by_reason=reason)


SINGLE_HOP = (*ONE_STEP, *(_occurrence(thing) for thing in THINGS))
MULTI_HOP = tuple(hop(thing) for thing in THINGS for hop in (_hop_to_action, _hop_to_field))
