"""The words of the Exam page: abilities, answerers, scores. No Qt."""

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
    Ability.MULTI_HOP: "A fact reached through another fact",
    Ability.INDUCTION: "Counts, runs and habits over many steps",
    Ability.SPATIAL: "Positions and directions",
    Ability.TEMPORAL: "When things happened, and in which order",
    Ability.LOGICAL: "Causes, and what was possible",
    Ability.ADVERSARIAL: "Something that never happened; the right answer says so",
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
    "system": (
        "Memory system",
        "A memory of the literature observes the episode turn by turn, and recalls entries for each "
        "question; a model reads them, or rules do.",
    ),
    "in-context": ("In context", "A model answers from the whole episode, with the frames if it sees."),
    "person-closed": ("You, closed book", "From memory alone."),
    "person-open": (
        "You, open book",
        "With the in-context answerer's material and the kept frames.",
    ),
}
"""Kind of answerer → its name, and what it answers from."""
RULES = {"paper": "paper rules", "compat": "compat rules"}
RULES_EXPLAINED = {
    "paper": "The published rules, with their errors corrected.",
    "compat": "Gives the published generator's answers, for comparison with its figures.",
}


def sign(score: float) -> tuple[str, Tone]:
    """Return a score's sign and tone: right, partly right, wrong, not answered."""
    if not math.isfinite(score):
        return "·", "neutral"
    if score >= 1:
        return "✓", "ok"
    return ("≈", "neutral") if score > 0 else ("✗", "stop")


def score_words(score: float) -> str:
    """Format a score: "✓ 1", "≈ 0.82", "✗ 0"; a dash if there is none."""
    if not math.isfinite(score):
        return NONE
    return f"{sign(score)[0]} {score:.2f}" if 0 < score < 1 else f"{sign(score)[0]} {score:.0f}"


def answer_words(answer: Answer | None) -> str:
    """Format an answer on one line; if it is missing, the reason."""
    if answer is None:
        return NONE
    return " ".join(answer.text.split()) or f"({answer.problem or answer.explanation or 'no answer'})"


def truth_words(truth: Sequence[str]) -> str:
    """Format the first right answer, with the number of other right ones."""
    first = " ".join(truth[0].split())
    return f"{first}  (or {len(truth) - 1:,} more)" if len(truth) > 1 else first


def steps_words(steps: Sequence[int], most: int = 6) -> str:
    """Format steps: "57, 58, 90 … (12)"; a dash if there are none."""
    if not steps:
        return NONE
    shown = ", ".join(f"{step:,}" for step in steps[:most])
    return shown if len(steps) <= most else f"{shown} … ({len(steps):,})"


def horizon_words(horizon: int, steps: int) -> str:
    """Format the steps that are asked about: "steps 1 to 50", "whole episode, 199 steps"."""
    if horizon and horizon < steps:
        return f"steps 1 to {horizon:,}"
    return f"whole episode, {counted(steps, 'step')}"


def is_refusal(text: str) -> bool:
    """Return whether an answer says that the question is not answerable."""
    return text.strip().casefold() == NOT_ANSWERABLE
