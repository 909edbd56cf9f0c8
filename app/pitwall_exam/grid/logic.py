"""Logical questions (F): crafting, attacks, inventory, and the cause of death."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from pitwall_exam.grid.declaration import Programs, answers_at, mixed, number, some_steps, text, word
from pitwall_exam.grid.events import ATTACK, DEADLY, cause_of_harm
from pitwall_exam.grid.index import GridIndex, Steps
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth

_FEW = 8
_MOST_LISTED = 12
"""Most steps that an answer has to list."""


def _craft(index: GridIndex, slots: Slots) -> Truth:
    """Check whether the carried resources suffice; a table or furnace near by is not asked about."""
    moment, recipe = index.at(number(slots, "step")), index.words.recipes.get(word(slots, "craft"))
    if moment is None or recipe is None or not moment.before.stats:
        return NO_ANSWER
    enough = all(moment.before.items.get(item, 0) >= count for item, count in recipe.items())
    return answers_at("yes" if enough else "no", steps=[moment.step])


def _choose_craft(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Alternate between things that could be crafted and things that could not, as far as there are both."""
    yes, no = list[Slots](), list[Slots]()
    for step in some_steps(index, chance):
        for craft in index.words.recipes:
            slots: Slots = {"craft": craft, "step": step}
            (yes if _craft(index, slots).answers == ("yes",) else no).append(slots)
    for pair in zip(_drawn(chance, yes, no), _drawn(chance, no, yes), strict=True):
        yield from pair


def _drawn(chance: random.Random, some: Sequence[Slots], others: Sequence[Slots]) -> Sequence[Slots]:
    """Draw a few of some slots, or of the others if there are none."""
    pool = some or others
    return [chance.choice(pool) for _ in range(_FEW if pool else 0)]


def _deed(index: GridIndex, slots: Slots) -> Truth:
    event = index.deeds.get(text(slots, "deed"))
    steps = index.happened(event) if event is not None else ()
    return answers_at(", ".join(map(str, steps)), steps=steps) if steps else NO_ANSWER


def _choose_deed(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Choose an action that was done, and not too often to be listed, and one that was never done."""
    times = {deed: len(index.happened(event)) for deed, event in index.deeds.items()}
    real = [deed for deed, count in times.items() if 0 < count <= _MOST_LISTED]
    for deed in mixed(chance, real, [deed for deed, count in times.items() if not count]):
        yield {"deed": deed}


def _attacks(index: GridIndex, slots: Slots) -> Truth:  # noqa: ARG001  # a finder's contract
    attacks = index.attacks
    return answers_at(len(attacks), steps=attacks or (1, len(index))) if len(index) else NO_ANSWER


def _attack(place: int) -> Callable[[GridIndex, Slots], Truth]:
    def find(index: GridIndex, slots: Slots) -> Truth:  # noqa: ARG001
        attacks: Steps = index.attacks
        return answers_at(attacks[place], steps=[attacks[place]]) if attacks else NO_ANSWER

    return find


def _death(index: GridIndex, slots: Slots) -> Truth:  # noqa: ARG001
    if not len(index) or not index.moments[-1].after.dead:
        return NO_ANSWER
    last = index.moments[-1]
    cause = cause_of_harm(last, index.words)
    if cause == ATTACK:
        return answers_at(
            "an attack", "attack", "enemies", "damage from enemies", "an enemy", steps=[last.step]
        )
    if cause == DEADLY:
        names = sorted(index.words.deadly)
        return answers_at(*names, *(f"stepping into {name}" for name in names), steps=[last.step])
    wants = cause.split(" and ")
    return answers_at(cause, " and ".join(reversed(wants)), *wants, steps=[last.step])


def _inventory(index: GridIndex, slots: Slots) -> Truth:
    moment = index.at(number(slots, "step"))
    if moment is None or not moment.before.stats:
        return NO_ANSWER
    held = {name: count for name, count in moment.before.items.items() if count > 0}
    if not held:
        return answers_at("nothing", "empty", "none", "no items", steps=[moment.step])
    names = [name for name in index.words.items if name in held]
    names += [name for name in held if name not in names]
    return answers_at(
        ", ".join(names),
        ", ".join(f"{name}:{held[name]}" for name in names),
        ", ".join(f"{name}: {held[name]}" for name in names),
        ", ".join(f"{held[name]} {name}" for name in names),
        steps=[moment.step],
    )


def _choose_inventory(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Choose mostly steps at which something was carried."""
    for turn, step in enumerate(some_steps(index, chance)):
        if index.moments[step - 1].before.items or turn % 6 == 5:
            yield {"step": step}


def _once(index: GridIndex, chance: random.Random) -> Iterator[Slots]:  # noqa: ARG001
    yield {}


LOGICAL: Programs = {
    "F_craft_feasibility": (_choose_craft, _craft),
    "F_event_loc": (_choose_deed, _deed),
    "F_attack_count": (_once, _attacks),
    "F_death_reason": (_once, _death),
    "F_first_attack_step": (_once, _attack(0)),
    "F_last_attack_step": (_once, _attack(-1)),
    "F_inventory_contents": (_choose_inventory, _inventory),
}
