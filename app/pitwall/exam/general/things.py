"""Things that happen at steps of any run: what questions of the general set count, order and start from."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pitwall.core.observations import Value
from pitwall.core.signals import Reason, Route
from pitwall.exam.forms import Slots
from pitwall.exam.keywords import UNLIKELY, mentions, vocabulary
from pitwall.exam.states import FieldState
from pitwall.exam.template import NOTHING, Found
from pitwall.exam.trace import Trace

Episode = Trace[FieldState]
Choose = Callable[[Episode, random.Random], Iterable[Slots]]
Find = Callable[[Episode, Slots], Found]

NTH = "first|second|third|last"
_NTH = tuple(NTH.split("|"))
_SOME = 6
"""How many things of a kind are offered to one template."""
_UNHEARD_OF = ("climb_down", "throw", "look_around", "open_gate", "swim", "dance", "whistle", "dig")
"""Actions that few games have: of those a run does not show, questions without an answer are made."""


@dataclass(frozen=True)
class Thing:
    """A kind of happening.

    Attributes:
        name: how its templates are called.
        words: what follows "the first step" in a question.
        steps: at which steps it happened, rising.
        choose: slots for `words`: such as happened, then such as did not.
        by_reason: it is read from reasons.
    """

    name: str
    words: str
    steps: Callable[[Episode, Slots], list[int]]
    choose: Callable[[Episode, random.Random], list[Slots]]
    by_reason: bool = False


# ---- what there is


def said(value: Value) -> str:
    """A field's value as an answer gives it; numbers with at most three decimals."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return f"{round(value, 3):.3f}".rstrip("0").rstrip(".")
    return str(value)


def told(answer: str | int, *steps: int) -> Found:
    """One answer with the steps that it follows from; an empty text is none."""
    return Found((str(answer),), tuple(sorted(set(steps)))) if answer != "" else NOTHING


def actions(trace: Episode) -> list[str]:
    """What was done, each once, by the alphabet."""
    return sorted({moment.action for moment in trace.moments if moment.action})


def number_fields(trace: Episode) -> list[str]:
    """Fields that read numbers (and nothing else, where they were readable), by the alphabet."""
    return _fields(trace, lambda value: isinstance(value, int | float) and not isinstance(value, bool))


def word_fields(trace: Episode) -> list[str]:
    """Fields that read texts or yes and no, by the alphabet."""
    return _fields(trace, lambda value: isinstance(value, str | bool))


def _fields(trace: Episode, fits: Callable[[Value], bool]) -> list[str]:
    kinds: dict[str, bool] = {}
    for moment in trace.moments:
        for name, value in moment.before.fields.items():
            if value is not None:
                kinds[name] = kinds.get(name, True) and fits(value)
    return sorted(name for name, all_fit in kinds.items() if all_fit)


def number(state: FieldState, field: str) -> float | None:
    """A field that reads a number; None where it did not."""
    value = state.fields.get(field)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


# ---- choosing


def some(chance: random.Random, options: Sequence[str], most: int = _SOME) -> list[str]:
    """Some of these, in drawn order."""
    return chance.sample(list(options), min(most, len(options)))


def steps_of(trace: Episode, chance: random.Random, most: int = _SOME) -> list[int]:
    """Some steps of the episode, in drawn order."""
    return chance.sample(range(1, len(trace) + 1), min(most, len(trace)))


def span(trace: Episode, chance: random.Random) -> Slots:
    """A stretch of the episode: two different steps where there are two."""
    lo, hi = sorted(chance.choices(range(1, len(trace) + 1), k=2))
    return {"lo": lo, "hi": hi}


def which(steps: Sequence[int], nth: str) -> int | None:
    """The first, second, third or last of these; None where there are not so many."""
    if nth == "last":
        return steps[-1] if steps else None
    place = _NTH.index(nth.lower())
    return steps[place] if place < len(steps) else None


def occurrences(thing: Thing, trace: Episode, chance: random.Random) -> Iterator[Slots]:
    """Slots of a thing with an ordinal, some of which did not come so often."""
    for slots in thing.choose(trace, chance):
        for nth in some(chance, _NTH, 2):
            yield {**slots, "nth": nth}


# ---- the things


def _acted(trace: Episode, slots: Slots) -> list[int]:
    wanted = str(slots["action"]).casefold()
    return [moment.step for moment in trace.moments if moment.action.casefold() == wanted]


def _actions(trace: Episode, chance: random.Random) -> list[Slots]:
    done = actions(trace)
    never = [name for name in _UNHEARD_OF if name not in done]
    return [{"action": name} for name in (*some(chance, done), *some(chance, never, 2))]


def _mentioned(trace: Episode, slots: Slots) -> list[int]:
    keyword = str(slots["keyword"])
    return [moment.step for moment in trace.moments if mentions(moment.reason, keyword)]


def _keywords(trace: Episode, chance: random.Random) -> list[Slots]:
    known = vocabulary(moment.reason for moment in trace.moments)
    if not known:
        return []
    never = sorted(set(UNLIKELY).difference(known))
    return [{"keyword": word} for word in (*some(chance, known[:60]), *some(chance, never, 2))]


def _routed(trace: Episode, slots: Slots) -> list[int]:
    wanted = str(slots["route"]).lower()
    return [moment.step for moment in trace.moments if moment.before.route == wanted]


def _routes(trace: Episode, chance: random.Random) -> list[Slots]:
    taken = {moment.before.route for moment in trace.moments}
    drawn = some(chance, [route.value for route in Route])
    return [{"route": route} for route in sorted(drawn, key=lambda route: route not in taken)]


def _escalated(trace: Episode, slots: Slots) -> list[int]:
    wanted = str(slots["escalation"]).lower()
    return [moment.step for moment in trace.moments if wanted in moment.before.escalations]


def _escalations(trace: Episode, chance: random.Random) -> list[Slots]:
    came = sorted({reason for moment in trace.moments for reason in moment.before.escalations})
    never = [reason.value for reason in Reason if reason.value not in came]
    return [{"escalation": reason} for reason in (*some(chance, came), *some(chance, never, 2))]


def _read(trace: Episode, slots: Slots) -> list[int]:
    field, wanted = str(slots["field"]), str(slots["value"]).casefold()
    return [m.step for m in trace.moments if said(m.before.fields.get(field)).casefold() == wanted]


def _values(trace: Episode, chance: random.Random) -> list[Slots]:
    offered: list[Slots] = []
    for field in some(chance, word_fields(trace)):
        seen = sorted({said(m.before.fields.get(field)) for m in trace.moments} - {""})
        offered += [{"field": field, "value": value} for value in some(chance, seen, 2)]
    return offered


def _turned(trace: Episode, slots: Slots) -> list[int]:
    field, rose = str(slots["field"]), str(slots["change"]).lower() == "rose"
    found = []
    for moment in trace.moments:
        before, after = number(moment.before, field), number(moment.after, field)
        if before is not None and after is not None and (after > before if rose else after < before):
            found.append(moment.step)
    return found


def _changes(trace: Episode, chance: random.Random) -> list[Slots]:
    fields = some(chance, number_fields(trace))
    return [
        {"field": field, "change": change} for field in fields for change in some(chance, ("rose", "fell"))
    ]


ACTION = Thing("action", "at which '{action:name}' was carried out", _acted, _actions)
KEYWORD = Thing(
    "keyword", "whose reason has the word '{keyword:word}'", _mentioned, _keywords, by_reason=True
)
ROUTE = Thing("route", f"decided on the {{route:{'|'.join(Route)}}} route", _routed, _routes)
ESCALATION = Thing(
    "escalation", "at which the planner was asked because of '{escalation:word}'", _escalated, _escalations
)
VALUE = Thing("value", "at which the field '{field:name}' read '{value:name}'", _read, _values)
CHANGE = Thing("change", "after which the field '{field:name}' {change:rose|fell}", _turned, _changes)

THINGS = (ACTION, KEYWORD, ROUTE, ESCALATION, VALUE, CHANGE)
