"""The steps from which an answer follows, for the replay; the published rules name none."""

from __future__ import annotations

import re

from pitwall_exam.compat.question import NOT_ANSWERABLE
from pitwall_exam.compat.rules.events import event_step
from pitwall_exam.compat.rules.steps import occurrence_step
from pitwall_exam.compat.span import Span
from pitwall_exam.compat.template import Template
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Slots

_STEP_ANSWERS = ("A_occ_", "C_resource_peak", "D_min_dist", "D_max_dist")
_STEPS_NAMED = ("F_event_loc", "F_first_attack_step", "F_last_attack_step")


def evidence(template: Template, world: World, span: Span, slots: Slots, truth: object) -> tuple[int, ...]:
    """Return the steps, from 1, rising; for a range that counts as a whole, its first and last step."""
    step = slots.get("step")
    if isinstance(step, int):
        return (step,) if 1 <= step <= world.last + 1 else ()
    steps = _evidence_steps(template.name, world, span, slots, truth)
    if not steps or truth == NOT_ANSWERABLE:
        whole = template.covers == "episode"
        steps = {0, world.last} if whole else {span.lo, span.hi}
    return tuple(sorted(at + 1 for at in steps))


def _evidence_steps(name: str, world: World, span: Span, slots: Slots, truth: object) -> set[int]:
    if isinstance(truth, int) and name.startswith(_STEP_ANSWERS):
        return {truth - 1}
    if name in _STEPS_NAMED:
        return {int(number) - 1 for number in re.findall(r"\d+", str(truth))}
    if name == "F_attack_count":
        return {step for step in world.drops() if step in span}
    if name.startswith("B_"):
        return _beside({occurrence_step(world, span, slots)}, slots, world.last)
    if name.startswith("E_"):
        events = {event_step(world, slots[slot]) for slot in ("event", "other") if slot in slots}
        sided = {**slots, "side": "before" if name == "E_state_before_event" else "after"}
        return _beside(events, sided, world.last)
    return set()


def _beside(steps: set[int | None], slots: Slots, last: int) -> set[int]:
    """Return the steps, and the steps at the asked offset from them."""
    known = {step for step in steps if step is not None}
    offset = int(slots.get("offset", 0)) * (-1 if slots.get("side") == "before" else 1)
    return {there for step in known for there in (step, step + offset) if 0 <= there <= last}
