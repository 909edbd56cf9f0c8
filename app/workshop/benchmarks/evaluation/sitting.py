"""Lets one answerer sit many exams, and counts its marks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pitwall.core.paths import DataFolder
from pitwall_exam.answering.opening import AnswererSpec, open_answerer
from pitwall_exam.answering.session import answer_sheet
from pitwall_exam.marking.scoring import Marks, pooled
from pitwall_exam.questions.paper import Exam


@dataclass(frozen=True)
class Sitting:
    """Holds one answerer's marks over all exams in one wording.

    Attributes:
        name: as tables call it. seconds: for a question, on average.
    """

    name: str
    marks: Marks
    seconds: float

    def told(self) -> dict[str, Any]:
        """By ability, with 95 % intervals."""
        fields = {"n", "accuracy", "low", "high", "f1"}
        marks = (self.marks.overall, *self.marks.abilities)
        return {
            "name": self.name,
            "seconds_a_question": self.seconds,
            "abilities": {mark.ability or "overall": mark.model_dump(include=fields) for mark in marks},
        }


def sit(data: DataFolder, exams: Sequence[Exam], wanted: AnswererSpec, wording: str) -> Sitting:
    """Have every exam answered, and marked together."""
    sheets = []
    began_s = time.perf_counter()
    for exam in exams:
        sheet = exam.sheet()
        with open_answerer(wanted, data, sheet) as answerer:
            sheets.append((exam, answer_sheet(answerer, sheet, keep=lambda _: None)))
    asked = sum(len(exam.questions) for exam in exams)
    seconds = (time.perf_counter() - began_s) / asked
    return Sitting(f"{wanted.kind}, {wording} words", pooled(sheets), seconds)
