"""Induction questions of the general set: counts and extremes over a range of steps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from pitwall_exam.episode.states import FieldState
from pitwall_exam.episode.trace import Moment
from pitwall_exam.general.happenings import (
    THINGS,
    Episode,
    Happening,
    answer_at,
    draw_some,
    span,
)
from pitwall_exam.general.index import index_of, number, text_of
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.forms import Form, Slots
from pitwall_exam.questions.template import NO_ANSWER, Template, Truth, declared

_SPAN = "From steps {lo:int} to {hi:int}"


def within(trace: Episode, slots: Slots) -> Iterable[Moment[FieldState]]:
    """Return the moments of the steps lo … hi that a question is about."""
    return trace.between(int(slots["lo"]), int(slots["hi"]))


def of_span(answer: str | int, slots: Slots) -> Truth:
    """Return an answer whose evidence is the whole range lo … hi."""
    return answer_at(answer, int(slots["lo"]), int(slots["hi"]))


def most_frequent(names: Iterable[str]) -> tuple[str, ...]:
    """Return the most frequent values, several if they are equally frequent, in alphabetical order."""
    counted = Counter(name for name in names if name)
    most = max(counted.values(), default=0)
    return tuple(sorted(name for name, times in counted.items() if times == most))


def _of_field(names: list[str], trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for name in draw_some(chance, names):
        yield {"asked": name, **span(trace, chance)}


def _of_numbers(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    return _of_field(index_of(trace).number_fields, trace, chance)


def _of_words(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    return _of_field(index_of(trace).word_fields, trace, chance)


def _spans(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    yield from (span(trace, chance) for _ in range(6))


def _action_spans(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for name in draw_some(chance, index_of(trace).done):
        yield {"action": name, **span(trace, chance)}


def _most_frequent_action(trace: Episode, slots: Slots) -> Truth:
    actions = most_frequent(moment.action for moment in within(trace, slots))
    return Truth(actions, (int(slots["lo"]), int(slots["hi"])))


def _longest_run(trace: Episode, slots: Slots) -> Truth:
    """Count the longest run: 0 where the action was carried out at other steps alone."""
    wanted = str(slots["action"]).casefold()
    same = groupby(within(trace, slots), lambda moment: moment.action.casefold() == wanted)
    longest = max((len(list(run)) for is_it, run in same if is_it), default=0)
    return of_span(longest, slots) if wanted in index_of(trace).actions else NO_ANSWER


def _distinct_actions(trace: Episode, slots: Slots) -> Truth:
    return of_span(len({moment.action for moment in within(trace, slots)}), slots)


def _distinct_values(trace: Episode, slots: Slots) -> Truth:
    field = str(slots["asked"])
    values = {text_of(moment.before.fields.get(field)) for moment in within(trace, slots)} - {""}
    return of_span(len(values), slots) if values else NO_ANSWER


def _usual_value(trace: Episode, slots: Slots) -> Truth:
    field = str(slots["asked"])
    values = most_frequent(text_of(moment.before.fields.get(field)) for moment in within(trace, slots))
    return Truth(values, (int(slots["lo"]), int(slots["hi"]))) if values else NO_ANSWER


def _net_change(trace: Episode, slots: Slots) -> Truth:
    """Subtract the reading before the first step from the reading after the last one."""
    field, moments = str(slots["asked"]), list(within(trace, slots))
    if not moments:
        return NO_ANSWER
    first, last = number(moments[0].before, field), number(moments[-1].after, field)
    return NO_ANSWER if first is None or last is None else of_span(text_of(last - first), slots)


def _peak(trace: Episode, slots: Slots) -> Truth:
    """Return the step after which a field first read its highest value; no answer if the field never rose."""
    field = str(slots["asked"])
    read = [(number(m.after, field), m.step) for m in trace.moments]
    known = [(value, step) for value, step in read if value is not None]
    start = number(trace.moments[0].before, field) if len(trace) else None
    if not known or (start is not None and max(known)[0] <= start):
        return NO_ANSWER
    highest = max(value for value, _ in known)
    step = next(step for value, step in known if value == highest)
    return answer_at(step, step)


def _named_fields(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for name in draw_some(chance, index_of(trace).number_fields, 10):
        yield {"asked": name}


def _count(thing: Happening) -> Template[FieldState]:
    def choose(trace: Episode, chance: random.Random) -> Iterator[Slots]:
        for slots in thing.choose(trace, chance):
            yield {**slots, **span(trace, chance)}

    def find(trace: Episode, slots: Slots) -> Truth:
        lo, hi = int(slots["lo"]), int(slots["hi"])
        return of_span(sum(lo <= step <= hi for step in thing.steps(trace, slots)), slots)

    words = f"{_SPAN}, how many steps are there {thing.words}?"
    form, reason = Form(words), thing.by_reason
    return Template(
        f"I_count_{thing.name}", Ability.INDUCTION, form, "integer", choose, find, by_reason=reason
    )


INDUCTION = (
    *(_count(thing) for thing in THINGS),
    *declared(
        "general",
        {
            "I_usual_action": (_spans, _most_frequent_action),
            "I_longest_run": (_action_spans, _longest_run),
            "I_distinct_actions": (_spans, _distinct_actions),
            "I_distinct_values": (_of_words, _distinct_values),
            "I_usual_value": (_of_words, _usual_value),
            "I_net_change": (_of_numbers, _net_change),
            "I_peak": (_named_fields, _peak),
        },
    ),
)
