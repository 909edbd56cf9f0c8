"""Words of the Exam page: abilities, answerers, scores. No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pitwall.core.quantities import NONE, counted
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, AnswererKind

Tone = Literal["ok", "stop", "neutral"]

TITLES = {ability: ability.value.capitalize() for ability in Ability}
"""Names of abilities in tables and on the radar."""
ASKS = {
    Ability.SINGLE_HOP: "One fact of one step",
    Ability.MULTI_HOP: "A fact that is found by way of another",
    Ability.INDUCTION: "What many steps have in common: counts, runs, habits",
    Ability.SPATIAL: "Where things were, and which way",
    Ability.TEMPORAL: "What was first, when, and in which order",
    Ability.LOGICAL: "What follows: causes, and what was possible",
    Ability.ADVERSARIAL: "Something that never was: to be told so is right",
}
ANSWERERS: dict[AnswererKind, tuple[str, str]] = {
    "recall": (
        "Structured recall",
        "Each question becomes a query over the agent's own record of the episode. Needs no model; with one "
        "it also understands free wording better.",
    ),
    "retrieval": (
        "Retrieval",
        "A model answers from the entries of the agent's memory that are most like the question.",
    ),
    "in-context": ("In context", "A model answers from the last turns of the episode, as it has them."),
    "person-closed": ("You, closed book", "From memory alone."),
    "person-open": (
        "You, open book",
        "With what the in-context answerer is given, and the frames that were kept.",
    ),
}
"""Kind of answerer → its name, and what it answers from."""
RULES = {"paper": "paper rules", "compat": "compat rules"}
RULES_EXPLAINED = {
    "paper": "The rules as the source states them, its own errors mended.",
    "compat": "Answer for answer what the published generator gives, for comparison with its figures.",
}


def sign(score: float) -> tuple[str, Tone]:
    """A score as a sign with its tone: right, partly right, wrong, not answered."""
    if not math.isfinite(score):
        return "·", "neutral"
    if score >= 1:
        return "✓", "ok"
    return ("≈", "neutral") if score > 0 else ("✗", "stop")


def score_words(score: float) -> str:
    """ "✓ 1", "≈ 0.82", "✗ 0"; a dash where there is none."""
    if not math.isfinite(score):
        return NONE
    return f"{sign(score)[0]} {score:.2f}" if 0 < score < 1 else f"{sign(score)[0]} {score:.0f}"


def answer_words(answer: Answer | None) -> str:
    """The answer in a line; where it is missing, the reason."""
    if answer is None:
        return NONE
    return " ".join(answer.text.split()) or f"({answer.problem or answer.explanation or 'no answer'})"


def truth_words(truth: Sequence[str]) -> str:
    """The first right answer; others that are right as well are counted."""
    first = " ".join(truth[0].split())
    return f"{first}  (or {len(truth) - 1:,} more)" if len(truth) > 1 else first


def steps_words(steps: Sequence[int], most: int = 6) -> str:
    """ "57, 58, 90 … (12)"; a dash where there are none."""
    if not steps:
        return NONE
    shown = ", ".join(f"{step:,}" for step in steps[:most])
    return shown if len(steps) <= most else f"{shown} … ({len(steps):,})"


def horizon_words(horizon: int, steps: int) -> str:
    """Name the steps that are asked about: "steps 1 to 50", "whole episode, 199 steps"."""
    if horizon and horizon < steps:
        return f"steps 1 to {horizon:,}"
    return f"whole episode, {counted(steps, 'step')}"


def is_refusal(text: str) -> bool:
    """Whether an answer says that the episode does not say."""
    return text.strip().casefold() == NOT_ANSWERABLE
