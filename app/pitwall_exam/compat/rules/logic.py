"""Rules of the templates F_*: crafting, inventory, attacks and death."""

from __future__ import annotations

from pitwall_exam.compat.episode import Span
from pitwall_exam.compat.rules.events import rises
from pitwall_exam.compat.rules.steps import step_of
from pitwall_exam.compat.template import NOT_ANSWERABLE, Truth
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Slots

RECIPES: dict[str, dict[str, int]] = {
    "place_table": {"wood": 2},
    "place_furnace": {"stone": 2},
    "build a wood_pickaxe": {"wood": 1},
    "build a stone_pickaxe": {"wood": 1, "stone": 1},
    "build a iron_pickaxe": {"wood": 1, "coal": 1, "iron": 1},
    "build a wood_sword": {"wood": 1},
    "build a stone_sword": {"wood": 1, "stone": 1},
    "build a iron_sword": {"wood": 1, "coal": 1, "iron": 1},
}
"""Published wording of a craft → resources; a table or furnace near by is not required."""
_TAKEN = {"drink": "drink", "eat": "food"}
NOT_CARRIED = frozenset({"health", "food", "drink", "energy"})


def craft(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer F_craft_feasibility."""
    step = step_of(world, slots)
    if step is None:
        return NOT_ANSWERABLE
    needs = RECIPES[str(slots["craft"])]
    return "yes" if all(world.stat(step, name) >= count for name, count in needs.items()) else "no"


def event_steps(world: World, span: Span, slots: Slots) -> Truth:
    """Answer F_event_loc: step numbers, from 1."""
    steps = rises(world, span, _TAKEN[str(slots["event"])])
    return ", ".join(str(step + 1) for step in steps) or NOT_ANSWERABLE


def attack_count(world: World, span: Span, _slots: Slots) -> Truth:
    """Answer F_attack_count: any fall of health counts."""
    return sum(step in span for step in world.drops())


def first_attack(world: World, _span: Span, _slots: Slots) -> Truth:
    """Answer F_first_attack_step, whatever the horizon: a number as a string, as published."""
    return next((str(step + 1) for step in world.drops()), NOT_ANSWERABLE)


def last_attack(world: World, _span: Span, _slots: Slots) -> Truth:
    """Answer F_last_attack_step in the same way."""
    drops = list(world.drops())
    return str(drops[-1] + 1) if drops else NOT_ANSWERABLE


def death_reason(world: World, _span: Span, _slots: Slots) -> Truth:
    """Answer F_death_reason by the stats at zero in the last step; not answerable if the player lives."""
    if world.stat(world.last, "health") > 0:
        return NOT_ANSWERABLE
    starved, dried, tired = (world.stat(world.last, name) <= 0 for name in ("food", "drink", "energy"))
    if starved and dried:
        return "starvation and dehydration"
    if starved:
        return "starvation"
    if dried:
        return "dehydration"
    return "exhaustion" if tired else "damage from enemies or environment"


def contents(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer F_inventory_contents, ordered by name."""
    step = step_of(world, slots)
    if step is None:
        return NOT_ANSWERABLE
    items = sorted(world.steps[step].inventory.items())
    return ", ".join(f"{name}:{n}" for name, n in items if n > 0 and name not in NOT_CARRIED) or "empty"
