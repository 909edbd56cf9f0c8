"""Temporal questions (E): the order of events, the steps between them, and stats right after them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from pitwall_exam.grid.declaration import MOST, Programs, answers_at, text, word
from pitwall_exam.grid.index import GridIndex
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth


def _first(index: GridIndex, slots: Slots, slot: str) -> int | None:
    """Return the step of an event's first occurrence."""
    event = index.catalogue.get(text(slots, slot))
    steps = index.happened(event) if event is not None else ()
    return steps[0] if steps else None


def _order(index: GridIndex, slots: Slots) -> Truth:
    """Compare the first occurrences of two events; not answerable unless both happened."""
    first, other = _first(index, slots, "event_a"), _first(index, slots, "event_b")
    if first is None or other is None:
        return NO_ANSWER
    return answers_at("yes" if first < other else "no", steps=[first, other])


def _interval(index: GridIndex, slots: Slots) -> Truth:
    first, other = _first(index, slots, "event_a"), _first(index, slots, "event_b")
    if first is None or other is None or other < first:
        return NO_ANSWER
    return answers_at(other - first, steps=[first, other])


def _state_after(index: GridIndex, slots: Slots) -> Truth:
    step, stat = _first(index, slots, "event"), word(slots, "stat")
    if step is None:
        return NO_ANSWER
    after = index.moments[step - 1].after
    if after.dead or stat not in after.stats:
        return NO_ANSWER
    return answers_at(after.stats[stat], steps=[step])


def _pairs(index: GridIndex, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Draw two events of different steps; each third time one that did not happen beside one that did."""
    happened, missing = _events(index)
    if not happened:
        return
    for turn in range(MOST):
        event = chance.choice(happened)
        if turn % 3 == 2 and missing:
            first, second = chance.sample((event, chance.choice(missing)), 2)
            yield first, second
            continue
        here = _first(index, {"event": event}, "event")
        others = [other for other in happened if _first(index, {"event": other}, "event") != here]
        if others:
            yield event, chance.choice(others)


def _choose_order(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    for first, other in _pairs(index, chance):
        yield {"event_a": first, "event_b": other}


def _choose_interval(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Name two events in the order in which they happened; one pair in eight is reversed."""
    for turn, (first, other) in enumerate(_pairs(index, chance)):
        steps = _first(index, {"event": first}, "event"), _first(index, {"event": other}, "event")
        late = steps[0] is not None and steps[1] is not None and steps[0] > steps[1]
        if late != (turn % 8 == 7):
            first, other = other, first
        yield {"event_a": first, "event_b": other}


def _choose_after(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Choose an event and a stat, but not the stat whose fall is the event."""
    happened, missing = _events(index)
    for turn in range(MOST):
        event = chance.choice((missing if turn % 3 == 2 else happened) or happened or missing)
        about = index.catalogue[event].about
        stats = [stat for stat in index.words.stats if stat != about]
        if stats:
            yield {"event": event, "stat": chance.choice(stats)}


def _events(index: GridIndex) -> tuple[Sequence[str], Sequence[str]]:
    """Return the phrases of events that happened, and of those that did not.

    Sights of the first frame are left out: they show only that the episode began.
    """
    happened, missing = [], []
    for when, event in index.catalogue.items():
        steps = index.happened(event)
        if not steps:
            missing.append(when)
        elif event.kind != "sight" or steps[0] > 1:
            happened.append(when)
    return happened, missing


TEMPORAL: Programs = {
    "E_event_order": (_choose_order, _order),
    "E_event_interval": (_choose_interval, _interval),
    "E_state_after_event": (_choose_after, _state_after),
}
