"""Declares grid templates over an episode's index, before they are bound to one game's words."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from pitwall.exam.grid.index import GridIndex, Steps
from pitwall.exam.questions.forms import Slots
from pitwall.exam.questions.template import NO_ANSWER, Truth

NTH = ("first", "second", "third", "last")
"""Occurrences that are asked about."""
MOST = 24
"""Fillings that a template offers of a kind."""
_MOST_SHOWN = 24

Chooser = Callable[[GridIndex, random.Random], Iterable[Slots]]
Finder = Callable[[GridIndex, Slots], Truth]
Programs = dict[str, tuple[Chooser, Finder]]


# ---- slots, as they may come: read back from a question, in any case


def number(slots: Slots, name: str) -> int:
    """A whole number; -1 where there is none."""
    value = slots.get(name)
    return value if isinstance(value, int) else -1


def word(slots: Slots, name: str) -> str:
    """A name of the game: in small letters, joined by underscores."""
    return str(slots.get(name, "")).strip().casefold().replace(" ", "_")


def text(slots: Slots, name: str) -> str:
    """Words, in small letters."""
    return " ".join(str(slots.get(name, "")).casefold().split())


def stretch(index: GridIndex, slots: Slots) -> tuple[int, int] | None:
    """The steps lo … hi; None where the episode does not have them all."""
    lo, hi = number(slots, "lo"), number(slots, "hi")
    return (lo, hi) if 1 <= lo <= hi <= len(index) else None


def action_steps(index: GridIndex, slots: Slots) -> Steps:
    """Steps whose action a question names."""
    wanted = text(slots, "action")
    exact = index.actions.get(str(slots.get("action", "")))
    if exact is not None:
        return exact
    return next((steps for action, steps in index.actions.items() if action.casefold() == wanted), ())


def nth(steps: Steps, which: str) -> int | None:
    """The first, second, third or last of some steps."""
    place = NTH.index(which.casefold()) if which.casefold() in NTH else len(NTH)
    if not steps or place == len(NTH):
        return None
    if place == len(NTH) - 1:
        return steps[-1]
    return steps[place] if place < len(steps) else None


# ---- answers


def answers_at(*answers: str | int, steps: Iterable[int] = ()) -> Truth:
    """Truth: the answers that are right, and the steps that say so; nothing where no answer says anything."""
    texts = dict.fromkeys(str(answer) for answer in answers if str(answer))
    return Truth(tuple(texts), shown_evidence(sorted(set(steps)))) if texts else NO_ANSWER


def shown_evidence(steps: Steps) -> tuple[int, ...]:
    """Evidence: every step, or of many the first and the last one."""
    return tuple(steps) if len(steps) <= _MOST_SHOWN else (steps[0], steps[-1])


# ---- choosing


def some_steps(index: GridIndex, chance: random.Random) -> list[int]:
    """Steps in drawn order."""
    return chance.sample(range(1, len(index) + 1), min(len(index), MOST))


def some_stretches(index: GridIndex, chance: random.Random, most: int = MOST) -> Iterator[Slots]:
    """{lo} {hi}: stretches of the episode, of two steps at least where it has so many."""
    last = len(index)
    for _ in range(most if last else 0):
        lo, hi = sorted(chance.sample(range(1, last + 1), 2)) if last > 1 else (1, 1)
        yield {"lo": lo, "hi": hi}


def mixed(chance: random.Random, real: Sequence[str], strange: Sequence[str]) -> Iterator[str]:
    """Names in drawn order: each third one strange where there are any, the others of the episode."""
    if not real and not strange:
        return
    rounds = (_round(chance, real), _round(chance, real), _round(chance, strange))
    for turn in range(MOST):
        name = next(rounds[turn % 3], None)
        if name is not None:
            yield name


def occurrence(chance: random.Random, times: int) -> str:
    """Choose the occurrence to ask about, of an event with so many: mostly one that exists."""
    there = NTH if times > 2 else (*NTH[:times], NTH[-1]) if times else NTH
    return chance.choice(there if chance.random() < 0.85 else NTH)


def _round(chance: random.Random, names: Sequence[str]) -> Iterator[str]:
    while names:
        yield from chance.sample(names, len(names))
