"""Helpers for grid templates: reading slots, giving answers, and choosing what to ask."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from pitwall_exam.grid.index import GridIndex, Steps
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth

NTH = ("first", "second", "third", "last")
"""The occurrences that questions ask about."""
MOST = 24
"""Most fillings that a template offers of one kind."""
_MOST_SHOWN = 24

Chooser = Callable[[GridIndex, random.Random], Iterable[Slots]]
Finder = Callable[[GridIndex, Slots], Truth]
Programs = dict[str, tuple[Chooser, Finder]]


# ---- slots, as they may come: read back from a question, in any case


def number(slots: Slots, name: str) -> int:
    """Return a slot's whole number; -1 if it has none."""
    value = slots.get(name)
    return value if isinstance(value, int) else -1


def word(slots: Slots, name: str) -> str:
    """Return a slot's name as the game writes it: lower case, joined by underscores."""
    return str(slots.get(name, "")).strip().casefold().replace(" ", "_")


def text(slots: Slots, name: str) -> str:
    """Return a slot's words in lower case."""
    return " ".join(str(slots.get(name, "")).casefold().split())


def stretch(index: GridIndex, slots: Slots) -> tuple[int, int] | None:
    """Return the range lo … hi; None if the episode does not have all its steps."""
    lo, hi = number(slots, "lo"), number(slots, "hi")
    return (lo, hi) if 1 <= lo <= hi <= len(index) else None


def action_steps(index: GridIndex, slots: Slots) -> Steps:
    """Return the steps whose action the question names."""
    wanted = text(slots, "action")
    exact = index.actions.get(str(slots.get("action", "")))
    if exact is not None:
        return exact
    return next((steps for action, steps in index.actions.items() if action.casefold() == wanted), ())


def nth(steps: Steps, which: str) -> int | None:
    """Return the first, second, third or last of some steps; None if there are fewer."""
    place = NTH.index(which.casefold()) if which.casefold() in NTH else len(NTH)
    if not steps or place == len(NTH):
        return None
    if place == len(NTH) - 1:
        return steps[-1]
    return steps[place] if place < len(steps) else None


# ---- answers


def answers_at(*answers: str | int, steps: Iterable[int] = ()) -> Truth:
    """Return the right answers with their evidence; not answerable if every answer is empty."""
    texts = dict.fromkeys(str(answer) for answer in answers if str(answer))
    return Truth(tuple(texts), shown_evidence(sorted(set(steps)))) if texts else NO_ANSWER


def shown_evidence(steps: Steps) -> tuple[int, ...]:
    """Return every step of the evidence, or only the first and last if there are many."""
    return tuple(steps) if len(steps) <= _MOST_SHOWN else (steps[0], steps[-1])


# ---- choosing


def some_steps(index: GridIndex, chance: random.Random) -> list[int]:
    """Draw steps in random order."""
    return chance.sample(range(1, len(index) + 1), min(len(index), MOST))


def some_stretches(index: GridIndex, chance: random.Random, most: int = MOST) -> Iterator[Slots]:
    """Fill {lo} and {hi} with ranges of at least two steps, if the episode has so many."""
    last = len(index)
    for _ in range(most if last else 0):
        lo, hi = sorted(chance.sample(range(1, last + 1), 2)) if last > 1 else (1, 1)
        yield {"lo": lo, "hi": hi}


def mixed(chance: random.Random, real: Sequence[str], strange: Sequence[str]) -> Iterator[str]:
    """Yield names in drawn order: every third name a strange one, the others from the episode."""
    if not real and not strange:
        return
    rounds = (_round(chance, real), _round(chance, real), _round(chance, strange))
    for turn in range(MOST):
        name = next(rounds[turn % 3], None)
        if name is not None:
            yield name


def occurrence(chance: random.Random, times: int) -> str:
    """Choose which occurrence of an event to ask about, mostly one that exists."""
    there = NTH if times > 2 else (*NTH[:times], NTH[-1]) if times else NTH
    return chance.choice(there if chance.random() < 0.85 else NTH)


def _round(chance: random.Random, names: Sequence[str]) -> Iterator[str]:
    while names:
        yield from chance.sample(names, len(names))
