"""Draws questions as the published generator words them: seeded, so many of each template, none twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from pitwall_exam.compat.answers import asked, evidence
from pitwall_exam.compat.catalogue import TEMPLATES
from pitwall_exam.compat.episode import Span, name_of
from pitwall_exam.compat.pools import Pools
from pitwall_exam.compat.rules.events import event_step
from pitwall_exam.compat.template import NOT_ANSWERABLE, PublishedQuestion, Template
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Slots

TRIES = 60
"""Most fillings tried for one template."""
_EITHER = ("B_action", "B_keyword", "B_terrain", "D_predict_terrain", "D_nearest_dir", "F_death_reason")
"""Templates published both with and without an answer; each other template always has one, or never."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn question.

    Attributes:
        slots: the values that filled its template. evidence: the steps, from 1, from which its answer
            follows.
    """

    question: PublishedQuestion
    slots: Slots
    evidence: tuple[int, ...]


def drawn(
    world: World, *, seed: int, horizon: int = -1, per_template: int = 2, reasons: bool = True
) -> Iterator[Drawn]:
    """Draw questions over an episode, template by template in the published order.

    The same episode, seed and settings give the same questions everywhere.

    Args:
        horizon: questions about this many first steps, where the published rules respect it; −1: about all.
        per_template: most questions of each template.
        reasons: also ask about reasons, which persons do not give.
    """
    span = Span.until(world.last, horizon)
    pools = Pools(world, span)
    for template in TEMPLATES.values():
        if reasons or not about_reasons(template):
            yield from _of(template, world, span, pools, seed, per_template)


def about_reasons(template: Template) -> bool:
    """Return whether a template asks about the agent's reasons."""
    return template.name == "A_reason" or "keyword" in template.name


def _of(template: Template, world: World, span: Span, pools: Pools, seed: int, most: int) -> Iterator[Drawn]:
    chance = random.Random(f"{seed}/compat/{template.name}")  # by its text: the same in every process
    tried: set[str] = set()
    kept = 0
    for _ in range(TRIES):
        slots = _filled(template, pools, chance)
        if kept >= most or slots is None:
            return
        text = template.ask(slots, span)
        if text in tried or not _apt(template, world, slots):
            continue
        tried.add(text)
        question = asked(template, world, span, slots)
        if _fits(template, question):
            kept += 1
            yield Drawn(question, slots, evidence(template, world, span, slots, question.gt))


def _filled(template: Template, pools: Pools, chance: random.Random) -> Slots | None:
    slots: Slots = {}
    for slot in template.form.slots:
        if slot == "unit":
            slots["unit"] = "step" if slots["offset"] == 1 else "steps"
            continue
        value = pools.of(template, slot, chance)
        if value is None:
            return None
        slots[slot] = value
    return slots


def _apt(template: Template, world: World, slots: Slots) -> bool:
    """Return whether the published generator would ask this: no event beside itself, no terrain underfoot."""
    if template.name == "D_nearest_dir":
        return name_of(world.underfoot(int(slots["step"]) - 1)) != slots["terrain"]
    if "other" not in slots:
        return True
    first, other = event_step(world, slots["event"]), event_step(world, slots["other"])
    if first is None or other is None or slots["event"] == slots["other"]:
        return False
    return template.name == "E_event_order" or first < other


def _fits(template: Template, question: PublishedQuestion) -> bool:
    if question.gt == NOT_ANSWERABLE:
        return template.name.startswith(_EITHER) or _never(template)
    return not _never(template)


def _never(template: Template) -> bool:
    return "missing" in template.name or template.name.startswith("G_")
