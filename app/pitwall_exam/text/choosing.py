"""Draws the slots of text-game questions from the episode, and sometimes from elsewhere.

Every fourth filling names an item, a place, a keyword or a command that such games have but this episode
lacks: its precondition is broken (SPEC §7, adversarial).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from pitwall_exam.episode.keywords import UNLIKELY, unlike, unmistakable
from pitwall_exam.episode.states import TextState
from pitwall_exam.episode.trace import Trace
from pitwall_exam.questions.forms import Slots
from pitwall_exam.text.commands import DIRECTIONS, folded
from pitwall_exam.text.index import TextIndex, indexed

Chooser = Callable[[Trace[TextState], random.Random], Iterable[Slots]]

_MOST = 48
_LONGEST_DELTA = 8
_SHORTEST_RANGE = 5
_ITEMS = (
    "sword", "velvet cloak", "silver coin", "crowbar", "golden idol", "glass bottle", "parchment", "compass",
    "skeleton key", "ruby", "broken mirror", "candle", "hourglass", "leather boots", "cheese", "umbrella",
)  # fmt: skip
_PLACES = (
    "Throne Room", "Attic", "Library", "Dungeon", "Graveyard", "Observatory", "Chapel", "Armoury", "Ballroom",
    "Swamp", "Mine Shaft", "Market Square", "Treasury", "Crypt", "Greenhouse", "Railway Platform",
)  # fmt: skip
_COMMANDS = ("sing", "cast light", "dance", "call the guards", "fly away", "summon a ghost", "drink poison")


def mixed(chance: random.Random, real: Sequence[str], strange: Sequence[str]) -> Iterator[str]:
    """Yield names in drawn order, each real name once a round; every fourth name is a strange one."""
    if not real and not strange:
        return
    for _ in range(_MOST // max(1, len(real)) + 1):
        for number, name in enumerate(chance.sample(list(real), len(real))):
            yield name
            if number % 3 == 2 and strange:
                yield chance.choice(strange)
        if strange:
            yield chance.choice(strange)


def items(index: TextIndex, chance: random.Random) -> Iterator[str]:
    """Yield items gained in the episode, mixed with items that were not."""
    real = sorted(index.carried[item] for item in index.gains)
    return mixed(chance, real, unlike(_ITEMS, index.carried))


def again(index: TextIndex, chance: random.Random) -> Iterator[str]:
    """Yield items gained twice first, then the others."""
    twice = sorted(index.carried[item] for item, steps in index.gains.items() if len(steps) > 1)
    yield from chance.sample(twice, len(twice))
    yield from items(index, chance)


def held(index: TextIndex, chance: random.Random) -> Iterator[str]:
    """Yield items carried at any time, mixed with items that never were."""
    return mixed(chance, sorted(index.carried.values()), unlike(_ITEMS, index.carried))


def places(index: TextIndex, chance: random.Random) -> Iterator[str]:
    """Yield locations of the episode, mixed with locations that it does not have."""
    return mixed(chance, sorted(index.places.values()), unlike(_PLACES, index.places))


def reason_keywords(index: TextIndex, chance: random.Random) -> Iterator[str]:
    """Yield words of the reasons, mixed with words that no reason has."""
    words = index.reason_keywords
    plain = unmistakable(words, (moment.reason for moment in index.trace.moments))
    return mixed(chance, plain, unlike(UNLIKELY, words))


def observation_keywords(index: TextIndex, chance: random.Random) -> Iterator[str]:
    """Yield words of the observations, mixed with words that no observation has."""
    words = index.observation_keywords
    plain = unmistakable(words, (moment.after.observation for moment in index.trace.moments))
    return mixed(chance, plain, unlike(UNLIKELY, words))


def steps(count: int, chance: random.Random) -> Iterator[int]:
    """Yield steps in drawn order."""
    yield from chance.sample(range(1, count + 1), min(count, _MOST))


def ranges(count: int, chance: random.Random) -> Iterator[Slots]:
    """Yield ranges lo … hi of at least six steps, if the episode has so many."""
    for _ in range(_MOST if count else 0):
        lo = chance.randint(1, max(1, count - _SHORTEST_RANGE))
        yield {"lo": lo, "hi": chance.randint(min(lo + _SHORTEST_RANGE, count), count)}


# ---- choosers


def at_steps(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
    """Fill {step}."""
    for step in steps(len(trace), chance):
        yield {"step": step}


def in_ranges(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
    """Fill {lo} and {hi}."""
    return ranges(len(trace), chance)


def whole_episode(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:  # noqa: ARG001
    """Fill no slot: the question is about the whole episode."""
    yield {}


def later(names: Callable[[TextIndex, random.Random], Iterator[str]], slot: str) -> Chooser:
    """Fill {slot} with a name, and {delta} with a number of steps after it."""

    def choose(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
        for name in names(indexed(trace), chance):
            yield {slot: name, "delta": chance.randint(1, _LONGEST_DELTA)}

    return choose


def named(
    names: Callable[[TextIndex, random.Random], Iterator[str]], slot: str, which: Sequence[str] = ()
) -> Chooser:
    """Fill {slot} with a name, and {which} if there are several occurrences to choose from."""

    def choose(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
        for name in names(indexed(trace), chance):
            yield {slot: name, "which": chance.choice(which)} if which else {slot: name}

    return choose


def twice(names: Callable[[TextIndex, random.Random], Iterator[str]], slots: tuple[str, str]) -> Chooser:
    """Fill two slots with the same name."""

    def choose(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
        for name in names(indexed(trace), chance):
            yield dict.fromkeys(slots, name)

    return choose


def paired(
    first: Callable[[TextIndex, random.Random], Iterator[str]],
    second: Callable[[TextIndex, random.Random], Iterator[str]],
    slots: tuple[str, str],
) -> Chooser:
    """Draw two different names."""

    def choose(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
        index = indexed(trace)
        others = second(index, chance)
        for name in first(index, chance):
            other = next(others, None)
            if other is not None and folded(other) == folded(name):
                other = next(others, None)
            if other is None:
                others = second(index, chance)
            elif folded(other) != folded(name):
                yield {slots[0]: name, slots[1]: other}

    return choose


def item_at_step(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
    """Fill {step} and {item}."""
    for item in held(indexed(trace), chance):
        yield {"step": chance.randint(1, len(trace)), "item": item}


def command_at_step(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
    """Fill {step} and {action}: half of the time a command valid there, else one from another step."""
    known = sorted({name for moment in trace.moments for name in moment.before.valid or ()})
    for number, step in enumerate(steps(len(trace), chance)):
        moment = trace.at(step)
        here = sorted((moment.before.valid if moment is not None else None) or ())
        pool = (here if number % 2 else known) or _COMMANDS
        yield {"step": step, "action": chance.choice(pool)}


def keyword_in_range(names: Callable[[TextIndex, random.Random], Iterator[str]]) -> Chooser:
    """Fill {lo}, {hi} and {keyword}."""

    def choose(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
        for word, part in zip(names(indexed(trace), chance), ranges(len(trace), chance), strict=False):
            yield {**part, "keyword": word}

    return choose


def direction_in_range(trace: Trace[TextState], chance: random.Random) -> Iterator[Slots]:
    """Fill {lo}, {hi} and {direction}, mostly with a direction that was walked."""
    walked = sorted(set(indexed(trace).directions) - {""})
    for number, part in enumerate(ranges(len(trace), chance)):
        yield {**part, "direction": chance.choice(walked if walked and number % 4 else DIRECTIONS)}
