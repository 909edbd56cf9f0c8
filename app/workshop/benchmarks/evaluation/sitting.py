"""Lets one answerer sit many exams, and collects its marks."""

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
    """One answerer's marks over all exams in one wording.

    Attributes:
        name: as in tables. seconds: per question, on average.
    """

    name: str
    marks: Marks
    seconds: float

    def by_ability(self) -> dict[str, Any]:
        """Return the marks by ability, with 95 % intervals."""
        fields = {"n", "accuracy", "low", "high", "f1"}
        marks = (self.marks.overall, *self.marks.abilities)
        return {
            "name": self.name,
            "seconds_a_question": self.seconds,
            "abilities": {mark.ability or "overall": mark.model_dump(include=fields) for mark in marks},
        }


def sit(data: DataFolder, exams: Sequence[Exam], wanted: AnswererSpec, wording: str) -> Sitting:
    """Answer every exam, and mark them together."""
    sheets = []
    began_s = time.perf_counter()
    for exam in exams:
        sheet = exam.sheet()
        with open_answerer(wanted, data, sheet) as answerer:
            sheets.append((exam, answer_sheet(answerer, sheet, keep=lambda _: None)))
    asked = sum(len(exam.questions) for exam in exams)
    seconds = (time.perf_counter() - began_s) / asked
    return Sitting(f"{wanted.kind}, {wording} words", pooled(sheets), seconds)
