"""Spatial questions of the general set: places recognised by the picture's descriptor, numbered in turn."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from pitwall_exam.general.counts import most_frequent, of_span, within
from pitwall_exam.general.happenings import Episode, answer_at, span, steps_of
from pitwall_exam.general.index import index_of
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth, declared


def _known(trace: Episode, chance: random.Random) -> list[int]:
    known = sorted(index_of(trace).places)
    return chance.sample(known, min(6, len(known)))


def _of_places(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    known = _known(trace, chance)
    last = max(index_of(trace).places, default=0)
    beyond = [last + more for more in chance.sample(range(1, 9), 3)] if known else []
    for place in (*known, *beyond):
        yield {"place": place}


def _of_steps(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for step in steps_of(trace, chance):
        yield {"step": step}


def _of_pairs(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for _ in range(6 if len(trace) > 1 else 0):
        first, other = chance.sample(range(1, len(trace) + 1), 2)
        yield {"one": first, "other": other}


def _of_spans(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    yield from (span(trace, chance) for _ in range(6))


def _whole(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    if _known(trace, chance):
        yield {}


def _place_at(trace: Episode, slots: Slots) -> Truth:
    moment = trace.at(int(slots["step"]))
    return answer_at(moment.before.place, moment.step) if moment and moment.before.place else NO_ANSWER


def _entered(trace: Episode, slots: Slots) -> Truth:
    steps = index_of(trace).places.get(int(slots["place"]))
    return answer_at(steps[0], steps[0]) if steps else NO_ANSWER


def _stay(trace: Episode, slots: Slots) -> Truth:
    steps = index_of(trace).places.get(int(slots["place"]))
    return answer_at(len(steps), steps[0], steps[-1]) if steps else NO_ANSWER


def _first_done(trace: Episode, slots: Slots) -> Truth:
    steps = index_of(trace).places.get(int(slots["place"]))
    moment = trace.at(steps[0]) if steps else None
    return answer_at(moment.action, moment.step) if moment else NO_ANSWER


def _done_most(trace: Episode, slots: Slots) -> Truth:
    place = int(slots["place"])
    there = [moment for moment in trace.moments if moment.before.place == place]
    if not there:
        return NO_ANSWER
    return Truth(most_frequent(m.action for m in there), tuple(m.step for m in there))


def _same(trace: Episode, slots: Slots) -> Truth:
    first, other = trace.at(int(slots["one"])), trace.at(int(slots["other"]))
    if not first or not other or not first.before.place or not other.before.place:
        return NO_ANSWER
    return answer_at("yes" if first.before.place == other.before.place else "no", first.step, other.step)


def _how_many(trace: Episode, slots: Slots) -> Truth:
    places = {moment.before.place for moment in within(trace, slots)} - {0}
    return of_span(len(places), slots) if places else NO_ANSWER


def _longest(trace: Episode, slots: Slots) -> Truth:  # noqa: ARG001
    stays = Counter({place: len(steps) for place, steps in index_of(trace).places.items()})
    if not stays:
        return NO_ANSWER
    most = max(stays.values())
    return Truth(tuple(str(place) for place in sorted(stays) if stays[place] == most), (1, len(trace)))


SPATIAL = declared(
    "general",
    {
        "P_at": (_of_steps, _place_at),
        "P_entered": (_of_places, _entered),
        "P_stay": (_of_places, _stay),
        "P_first_action": (_of_places, _first_done),
        "P_usual_action": (_of_places, _done_most),
        "P_same": (_of_pairs, _same),
        "P_count": (_of_spans, _how_many),
        "P_longest": (_whole, _longest),
    },
)
