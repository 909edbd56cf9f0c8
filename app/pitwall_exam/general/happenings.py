"""Kinds of events in any run, which the general set counts, orders and starts from."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pitwall.core.signals import Reason, Route
from pitwall_exam.episode.keywords import UNLIKELY, unlike, unmistakable
from pitwall_exam.episode.states import FieldState
from pitwall_exam.episode.trace import Trace
from pitwall_exam.general.index import index_of
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth

Episode = Trace[FieldState]
Choose = Callable[[Episode, random.Random], Iterable[Slots]]
Find = Callable[[Episode, Slots], Truth]

NTH = "first|second|third|last"
_NTH = tuple(NTH.split("|"))
_SOME = 6
"""How many events of a kind one template is offered."""
_WORTH = 60
"""How many of the most frequent keywords may be asked about."""
_UNHEARD_OF = ("climb_down", "throw", "look_around", "open_gate", "swim", "dance", "whistle", "dig")
"""Actions that few games have. Those missing in a run make questions without an answer."""


@dataclass(frozen=True)
class Happening:
    """A kind of event.

    Attributes:
        name: part of its templates' names.
        words: the words after "the first step" in a question.
        steps: returns the steps at which it happened, rising.
        choose: returns slots for `words`: first of events that happened, then of some that did not.
        by_reason: it is read from reasons.
    """

    name: str
    words: str
    steps: Callable[[Episode, Slots], list[int]]
    choose: Callable[[Episode, random.Random], list[Slots]]
    by_reason: bool = False


def answer_at(answer: str | int, *steps: int) -> Truth:
    """Return one answer with the steps from which it follows; an empty text is no answer."""
    return Truth((str(answer),), tuple(sorted(set(steps)))) if answer != "" else NO_ANSWER


# ---- choosing


def draw_some(chance: random.Random, options: Sequence[str], most: int = _SOME) -> list[str]:
    """Draw some of the options, in drawn order."""
    return chance.sample(list(options), min(most, len(options)))


def steps_of(trace: Episode, chance: random.Random, most: int = _SOME) -> list[int]:
    """Draw some steps of the episode, in drawn order."""
    return chance.sample(range(1, len(trace) + 1), min(most, len(trace)))


def span(trace: Episode, chance: random.Random) -> Slots:
    """Draw a range of the episode: two different steps if there are two."""
    lo, hi = sorted(chance.choices(range(1, len(trace) + 1), k=2))
    return {"lo": lo, "hi": hi}


def which(steps: Sequence[int], nth: str) -> int | None:
    """Return the first, second, third or last of some steps; None if there are fewer."""
    if nth == "last":
        return steps[-1] if steps else None
    place = _NTH.index(nth.lower())
    return steps[place] if place < len(steps) else None


def occurrences(thing: Happening, trace: Episode, chance: random.Random) -> Iterator[Slots]:
    """Yield slots of an event with an ordinal; some events did not occur so often."""
    for slots in thing.choose(trace, chance):
        for nth in draw_some(chance, _NTH, 2):
            yield {**slots, "nth": nth}


# ---- the things


def _acted(trace: Episode, slots: Slots) -> list[int]:
    return index_of(trace).actions.get(str(slots["action"]).casefold(), [])


def _actions(trace: Episode, chance: random.Random) -> list[Slots]:
    done = index_of(trace).done
    never = unlike(_UNHEARD_OF, done)
    return [{"action": name} for name in (*draw_some(chance, done), *draw_some(chance, never, 2))]


def _mentioned(trace: Episode, slots: Slots) -> list[int]:
    return index_of(trace).mentioning(str(slots["keyword"]))


def _keywords(trace: Episode, chance: random.Random) -> list[Slots]:
    known = index_of(trace).words_of_reasons
    if not known:
        return []
    never = unlike(UNLIKELY, known)
    plain = unmistakable(known, (moment.reason for moment in trace.moments))
    return [{"keyword": word} for word in (*draw_some(chance, plain[:_WORTH]), *draw_some(chance, never, 2))]


def _routed(trace: Episode, slots: Slots) -> list[int]:
    return index_of(trace).routes.get(str(slots["route"]).casefold(), [])


def _routes(trace: Episode, chance: random.Random) -> list[Slots]:
    drawn = draw_some(chance, [route.value for route in Route])
    taken = index_of(trace).routes
    return [{"route": route} for route in sorted(drawn, key=lambda route: route not in taken)]


def _escalated(trace: Episode, slots: Slots) -> list[int]:
    return index_of(trace).escalations.get(str(slots["escalation"]).casefold(), [])


def _escalations(trace: Episode, chance: random.Random) -> list[Slots]:
    came = index_of(trace).escalations
    never = [reason.value for reason in Reason if reason.value not in came]
    return [
        {"escalation": reason} for reason in (*draw_some(chance, sorted(came)), *draw_some(chance, never, 2))
    ]


def _read(trace: Episode, slots: Slots) -> list[int]:
    return index_of(trace).values(str(slots["field"])).get(str(slots["value"]).casefold(), [])


def _values(trace: Episode, chance: random.Random) -> list[Slots]:
    offered: list[Slots] = []
    for field in draw_some(chance, index_of(trace).word_fields):
        seen = sorted(index_of(trace).values(field))
        offered += [{"field": field, "value": value} for value in draw_some(chance, seen, 2)]
    return offered


def _turned(trace: Episode, slots: Slots) -> list[int]:
    rose, fell = index_of(trace).turns(str(slots["field"]))
    return rose if str(slots["change"]).lower() == "rose" else fell


def _changes(trace: Episode, chance: random.Random) -> list[Slots]:
    return [
        {"field": field, "change": change}
        for field in draw_some(chance, index_of(trace).number_fields)
        for change in draw_some(chance, ("rose", "fell"))
    ]


ACTION = Happening("action", "at which '{action:name}' was carried out", _acted, _actions)
KEYWORD = Happening(
    "keyword", "whose reason has the word '{keyword:word}'", _mentioned, _keywords, by_reason=True
)
ROUTE = Happening("route", f"decided on the {{route:{'|'.join(Route)}}} route", _routed, _routes)
ESCALATION = Happening(
    "escalation", "at which the planner was asked because of '{escalation:word}'", _escalated, _escalations
)
VALUE = Happening("value", "at which the field '{field:name}' read '{value:name}'", _read, _values)
CHANGE = Happening("change", "after which the field '{field:name}' {change:rose|fell}", _turned, _changes)

THINGS = (ACTION, KEYWORD, ROUTE, ESCALATION, VALUE, CHANGE)
