"""Checks that a question may be asked: its text reads back to the same slots, and its truth can be scored."""

from __future__ import annotations

from typing import Any

from pitwall_exam.questions.forms import read_horizon
from pitwall_exam.questions.normalisation import as_float, as_integer, normal
from pitwall_exam.questions.paper import Question
from pitwall_exam.questions.template import Template

LONGEST_TEXT = 600
LONGEST_TRUTH = 400
"""Characters. Nobody gives a longer observation or reason as an answer."""


def faults_of(question: Question, template: Template[Any], last: int) -> list[str]:
    """List the faults of a question; empty if it may be asked.

    Args:
        last: the last step that the exam asks about.
    """
    faults = []
    if not all(
        _is_text(text) for text in (question.text, *question.truth, *map(str, question.slots.values()))
    ):
        return ["it has half of a UTF-16 pair, which no file can hold"]
    if len(question.text) > LONGEST_TEXT or "\n" in question.text:
        faults.append("its text is no single sentence of a fair length")
    if template.form.read(read_horizon(question.text)[0]) != _as_read(question.slots):
        faults.append("its text does not read back as it was meant")
    if not 1 <= question.lo <= question.hi <= last:
        faults.append(f"it asks about steps {question.lo} to {question.hi} of {last}")
    if any(not 1 <= step <= last for step in question.evidence):
        faults.append("its evidence lies outside the episode")
    if list(question.evidence) != sorted(set(question.evidence)):
        faults.append("its evidence does not rise")
    if question.answerable:
        faults += [fault for truth in question.truth if (fault := _truth_fault(truth, question))]
    return faults


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _truth_fault(truth: str, question: Question) -> str:
    plain = normal(truth)
    if not plain or plain == "not answerable":
        return "its truth says nothing"
    if len(truth) > LONGEST_TRUTH:
        return "its truth is too long to be given"
    if question.kind == "integer" and as_integer(truth) is None:
        return f"its truth is {truth!r}, and it asks for a whole number"
    if question.kind == "float" and as_float(truth) is None:
        return f"its truth is {truth!r}, and it asks for a number"
    if question.kind == "yes-no" and plain not in ("yes", "no"):
        return f"its truth is {truth!r}, and it asks for yes or no"
    return ""


def _as_read(slots: dict[str, str | int]) -> dict[str, str | int]:
    return {name: value if isinstance(value, int) else str(value) for name, value in slots.items()}
