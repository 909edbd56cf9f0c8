"""Text-game questions about the map that was walked (Table 14, spatial).

The map has a way where an action led from one location to another, in that direction only. It contains the
ways walked before the step asked about; without such a step, all ways of the episode. Locations are
identified by name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth
from pitwall_exam.text import choosing
from pitwall_exam.text.commands import DIRECTIONS, direction_of, folded
from pitwall_exam.text.index import TextIndex, indexed
from pitwall_exam.text.single import Episode, Programs

_LONGEST_WALK = 4
_FARTHEST = 5
_TRIES = 6
_PARTED = re.compile(r"\s*(?:,|;|\bthen\b|\band\b)\s*")


def _here(trace: Episode, step: int) -> str:
    moment = trace.at(step)
    return folded(moment.before.location) if moment is not None else ""


def _compare(trace: Episode, slots: Slots) -> Truth:
    index, step = indexed(trace), int(slots["step"])
    here, ways = _here(trace, step), (folded(str(slots["a"])), folded(str(slots["b"])))
    reach = index.reach(here, step) if here else {}
    if ways[0] == ways[1] or not all(place in reach for place in ways):
        return NO_ANSWER
    nearest = min(reach[place] for place in ways)
    return Truth(tuple(index.places[place] for place in ways if reach[place] == nearest), (step,))


def _direction_count(trace: Episode, slots: Slots) -> Truth:
    lo, hi, way = int(slots["lo"]), int(slots["hi"]), direction_of(str(slots["direction"]))
    if not 1 <= lo <= hi <= len(trace):
        return NO_ANSWER
    directions = indexed(trace).directions
    if not any(directions):
        return NO_ANSWER
    steps = tuple(step for step in range(lo, hi + 1) if directions[step - 1] == way)
    return Truth((str(len(steps)),), steps or tuple(sorted({lo, hi})))


def _reachable_count(trace: Episode, slots: Slots) -> Truth:
    index, here, far = indexed(trace), folded(str(slots["location"])), int(slots["k"])
    if here not in index.places:
        return NO_ANSWER
    reach = index.reach(here, len(trace) + 1)
    count = sum(1 for moves in reach.values() if 1 <= moves <= far)
    return Truth((str(count),), (1, len(trace)) if len(trace) > 1 else (1,))


def _reachable_within(trace: Episode, slots: Slots) -> Truth:
    index = indexed(trace)
    source, target = folded(str(slots["source"])), folded(str(slots["target"]))
    if source not in index.places or target not in index.places:
        return NO_ANSWER
    moves = index.reach(source, len(trace) + 1).get(target)
    within = moves is not None and moves <= int(slots["k"])
    return Truth(("yes" if within else "no",), (1, len(trace)) if len(trace) > 1 else (1,))


def _sequence(trace: Episode, slots: Slots) -> Truth:
    index, step = indexed(trace), int(slots["step"])
    here = _here(trace, step)
    ways = [direction_of(part) for part in _PARTED.split(str(slots["sequence"]).strip()) if part]
    for way in ways:
        here = index.led(here, way, step) if here and way else ""
    return Truth((index.places[here],), (step,)) if here and ways else NO_ANSWER


def _shortest(trace: Episode, slots: Slots) -> Truth:
    first, second = int(slots["first"]), int(slots["second"])
    start, end = _here(trace, first), _here(trace, second)
    if not start or not end:
        return NO_ANSWER
    moves = indexed(trace).reach(start, max(first, second)).get(end)
    return Truth((str(moves),), tuple(sorted({first, second}))) if moves is not None else NO_ANSWER


# ---- choosing


def _two_places_at_step(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    index = indexed(trace)
    strange = choosing.places(index, chance)
    for number, step in enumerate(choosing.steps(len(trace), chance)):
        here = _here(trace, step)
        near = sorted(index.reach(here, step)) if here else []
        if len(near) < 3:
            continue
        pair = [index.places[place] for place in chance.sample([place for place in near if place != here], 2)]
        if number % 4 == 3:
            pair[1] = next(strange, pair[1])
        yield {"step": step, "a": pair[0], "b": pair[1]}


def _place_and_k(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    for place in choosing.places(indexed(trace), chance):
        yield {"location": place, "k": chance.randint(1, _FARTHEST)}


def _two_places_and_k(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    pairs = choosing.paired(choosing.places, choosing.places, ("target", "source"))
    for pair in pairs(trace, chance):
        yield {**pair, "k": chance.randint(1, _FARTHEST)}


def _walks(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    index = indexed(trace)
    for number, step in enumerate(choosing.steps(len(trace), chance)):
        walk = _walk(index, _here(trace, step), step, chance)
        if number % 4 == 3 or not walk:
            walk = [*walk, chance.choice(DIRECTIONS)]
        yield {"step": step, "sequence": ", ".join(walk)}


def _walk(index: TextIndex, here: str, step: int, chance: random.Random) -> list[str]:
    """Draw directions that were walked before a step, one after another, from a location."""
    walk: list[str] = []
    for _ in range(chance.randint(2, _LONGEST_WALK)):
        known = [way for way in DIRECTIONS if index.led(here, way, step)]
        if not known:
            break
        walk.append(chance.choice(known))
        here = index.led(here, walk[-1], step)
    return walk


def _two_steps(trace: Episode, chance: random.Random) -> Iterator[Slots]:
    """Draw two steps at different places, if the episode has them."""
    for first in choosing.steps(len(trace), chance):
        drawn = [chance.randint(1, len(trace)) for _ in range(_TRIES)]
        others = (step for step in drawn if _here(trace, step) != _here(trace, first))
        yield {"first": first, "second": next(others, drawn[0])}


MAP: Programs = {
    "D_compare_distances": (_two_places_at_step, _compare),
    "D_direction_count": (choosing.direction_in_range, _direction_count),
    "D_reachable_locations_count": (_place_and_k, _reachable_count),
    "D_reachable_within": (_two_places_and_k, _reachable_within),
    "D_sequence_moves": (_walks, _sequence),
    "D_shortest_path": (_two_steps, _shortest),
}
