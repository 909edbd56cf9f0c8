"""Answers a published question with its evidence, and writes a template's question as a published line."""

from __future__ import annotations

import re

from pitwall.core.errors import nearest
from pitwall_exam.compat.catalogue import TEMPLATES
from pitwall_exam.compat.episode import Span
from pitwall_exam.compat.rules.events import event_step
from pitwall_exam.compat.rules.steps import occurrence_step
from pitwall_exam.compat.template import NOT_ANSWERABLE, PublishedQuestion, Template, Truth
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Slots


def asked(template: Template, world: World, span: Span, slots: Slots) -> PublishedQuestion:
    """Write the published line for a template's question over a range, with its answer."""
    truth = template.find(world, span, slots)
    covers = _covers(template, world, span, slots)
    question = template.ask(slots, span)
    return PublishedQuestion(
        type="adversarial" if truth == NOT_ANSWERABLE else template.kind,
        template=template.name,
        question=question,
        paraphrase=question,
        difficulty=_difficulty(template, span, covers),
        range=[covers.lo, covers.hi],
        gt=truth,
    )


def answered(world: World, question: PublishedQuestion) -> Truth:
    """Answer a published question.

    The range is the one that the text names, else its `range`, cut to the length of the episode.

    Raises:
        ValueError: no template has its name, its text does not fit its template, it asks about an event that
            the rules do not know, or about no step of the episode.
    """
    name = question.template
    if (template := TEMPLATES.get(name)) is None:
        near = nearest(name, TEMPLATES)
        raise ValueError(f"no template is called {name!r}{f' (did you mean {near!r}?)' if near else ''}")
    if (read := template.read(question.question)) is None:
        raise ValueError(f"the question is not worded as {name}'s are: {question.question[:120]!r}")
    slots, named = read
    lo, hi = question.range
    span = named if named is not None else Span(lo, hi, whole=True)
    return template.find(world, span.within(world.last), slots)


def reading_of(question: str) -> tuple[Template, Slots, Span | None] | None:
    """Return the template of a question's wording, its slots, and the range that it names itself.

    Several templates may share the wording; any of them is returned, because their rules differ only in the
    horizon.
    """
    for template in TEMPLATES.values():
        read = template.read(question)
        if read is not None:
            return template, *read
    return None


def _covers(template: Template, world: World, span: Span, slots: Slots) -> Span:
    match template.covers:
        case "stretch":
            return span
        case "episode":
            return Span(0, world.last)
        case "step":
            step = int(slots["step"]) - 1
            return Span(step, step)
        case "state":
            sign = 1 if template.name == "E_state_after_event" else -1
            step = (event_step(world, slots["event"]) or 0) + sign * int(slots["offset"])
            return Span(step, step)
        case "events":
            return Span(event_step(world, slots["event"]) or 0, event_step(world, slots["other"]) or 0)


def _difficulty(template: Template, span: Span, covers: Span) -> int:
    match template.effort:
        case "range":
            return len(covers)
        case "one":
            return 1
        case "stretch":
            return len(span)
        case "one, or the horizon":
            return 1 if span.whole else len(span)
        case "between":
            return covers.hi - covers.lo


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
