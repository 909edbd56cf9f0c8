"""Answers a published question, and writes a template's question as a whole published line."""

from __future__ import annotations

from pitwall.core.errors import nearest
from pitwall_exam.compat.catalogue import TEMPLATES
from pitwall_exam.compat.question import NOT_ANSWERABLE, PublishedQuestion, Truth
from pitwall_exam.compat.rules.events import event_step
from pitwall_exam.compat.span import Span
from pitwall_exam.compat.template import Template
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
