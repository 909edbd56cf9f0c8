"""The events of a grid world: gains, things placed and made, falling stats, attacks, death.

Each event is worded as "the step when you first …". It is read from the screen before and after one step, so
anyone who saw the episode can name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pitwall_exam.episode.states import GridState
from pitwall_exam.episode.trace import Moment
from pitwall_exam.grid.vocabulary import GridVocabulary

EventKind = Literal[
    "gain", "making", "placing", "ground", "sight", "fall", "rise", "attack", "sleep", "death"
]

STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
"""Direction → tiles to the right, and down."""
ATTACK, DEADLY = "attack", "deadly terrain"
_WANT_TAKES = 1
"""Most health that a want takes in one step. A larger loss was an attack."""
_LOWEST, _FULL = 2, 9
"""Questions ask whether stats fall below values from 2 on; 9 is full."""


@dataclass(frozen=True)
class Event:
    """A kind of event.

    Attributes:
        when: its first occurrence, as a noun: "the step when you first collected wood".
        about: the item, terrain or stat that it is about; empty if that is obvious.
        in_step: whether a step caused it. Not for sights: a sight belongs to the frame before a step.
        deed: an infinitive if it is the player's own action: "collect wood".
    """

    when: str
    kind: EventKind
    about: str
    in_step: Callable[[Moment[GridState]], bool]
    deed: str = ""


def catalogue(words: GridVocabulary) -> Iterator[Event]:
    """Yield every event that a game can have, always in the same order."""
    yield from _of_things(words)
    yield from _of_places(words)
    for stat in words.stats:
        for value in range(_FULL, _LOWEST - 1, -1):
            when = f"the step when your {stat} first fell below {value}"
            yield Event(when, "fall", stat, _falls(stat, value))
    for stat, verb in words.restores.items():
        deed = f"raise your {stat}"
        yield Event(f"the step when you first {verb}", "rise", stat, _rises(stat), deed)
    yield Event(
        "the step when you were first attacked",
        "attack",
        words.health,
        lambda moment: cause_of_harm(moment, words) == ATTACK,
    )
    if words.sleep:
        when = "the step when you first went to sleep"
        yield Event(when, "sleep", "", lambda moment: moment.action == words.sleep, "go to sleep")
    yield Event("the step when you died", "death", "", lambda moment: moment.after.dead)


def cause_of_harm(moment: Moment[GridState], words: GridVocabulary) -> str:
    """Return the cause that took health in a step: ATTACK, DEADLY or the name of a want; "" if none did.

    A want took it if a stat that one can die of was at zero and the loss is no larger than a want takes; two
    wants are joined by "and". The cause of death is read from the state before it, because the end screen
    shows none.
    """
    before, health = moment.before, words.health
    if health not in before.stats or health not in moment.after.stats:
        return ""
    lost = before.stats[health] - moment.after.stats[health]
    if lost <= 0:
        return ""
    if moment.after.dead and _steps_onto(moment, words) in words.deadly:
        return DEADLY
    wants = [name for stat, name in words.wants.items() if before.stats.get(stat, 1) <= 0]
    return " and ".join(wants) if wants and lost <= _WANT_TAKES else ATTACK


def as_player_knows(moment: Moment[GridState], words: GridVocabulary) -> Moment[GridState]:
    """Return the moment as its player can know it: at death, only that health reached zero."""
    if not moment.after.dead:
        return moment
    stats = {**moment.before.stats, words.health: 0} if moment.before.stats else {}
    return replace(moment, after=replace(moment.before, stats=stats, moved=False, dead=True))


def _of_things(words: GridVocabulary) -> Iterator[Event]:
    for item in words.resources:
        when, deed = f"the step when you first collected {item}", f"collect {item}"
        yield Event(when, "gain", item, _gains(item), deed)
    for tool in words.tools:
        name = _a(tool)
        yield Event(f"the step when you first made {name}", "making", tool, _gains(tool), deed=f"make {name}")
    for action, thing in words.places.items():
        name = _a(thing)
        placed = _places(action, thing, words)
        yield Event(f"the step when you first placed {name}", "placing", thing, placed, deed=f"place {name}")


def _of_places(words: GridVocabulary) -> Iterator[Event]:
    for terrain in words.terrains:
        if terrain in words.walkable:
            when, deed = f"the step when you first stepped onto {terrain}", f"step onto {terrain}"
            yield Event(when, "ground", terrain, _enters(terrain), deed)
    for terrain in words.terrains:
        yield Event(f"the step when you first saw {terrain}", "sight", terrain, lambda _: False)


def _gains(item: str) -> Callable[[Moment[GridState]], bool]:
    def gained(moment: Moment[GridState]) -> bool:
        before, after = moment.before, moment.after
        return bool(before.stats and after.stats) and after.items.get(item, 0) > before.items.get(item, 0)

    return gained


def _places(action: str, thing: str, words: GridVocabulary) -> Callable[[Moment[GridState]], bool]:
    """Build the test for placing a thing: it worked if the materials are gone afterwards."""
    recipe = words.recipes.get(thing, {})

    def placed(moment: Moment[GridState]) -> bool:
        if moment.action != action or moment.after.dead or not moment.after.stats:
            return False
        left, had = moment.after.items, moment.before.items
        if recipe:
            return all(had.get(name, 0) - left.get(name, 0) >= count for name, count in recipe.items())
        count = sum(terrain == thing for terrain in moment.after.seen.values())
        return count > sum(terrain == thing for terrain in moment.before.seen.values())

    return placed


def _enters(terrain: str) -> Callable[[Moment[GridState]], bool]:
    return lambda moment: moment.after.ground == terrain and moment.before.ground not in ("", terrain)


def _falls(stat: str, value: int) -> Callable[[Moment[GridState]], bool]:
    return lambda moment: moment.before.stats.get(stat, -1) >= value > moment.after.stats.get(stat, value)


def _rises(stat: str) -> Callable[[Moment[GridState]], bool]:
    return lambda moment: moment.after.stats.get(stat, -1) > moment.before.stats.get(stat, 10**9)


def _steps_onto(moment: Moment[GridState], words: GridVocabulary) -> str:
    here, way = moment.before.at, STEPS.get(words.moves.get(moment.action, ""))
    if here is None or way is None:
        return ""
    return moment.before.seen.get((here[0] + way[0], here[1] + way[1]), "")


def _a(thing: str) -> str:
    return f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"
