"""Every answerer of an exam as a row: accuracy with its interval, F1, time and tokens of a question."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal

from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.core.quantities import NONE, number, share
from pitwall_evaluation.console.interval_cell import interval_cell
from pitwall_exam.console.marks.table import mark_text, mark_values
from pitwall_exam.marking.comparison import AnswererMarks

_ROW_HEIGHT = 25


def _accuracy(side: AnswererMarks) -> tuple[float, float, float]:
    return mark_values(side.marks.overall)


def _accuracy_text(side: AnswererMarks) -> str:
    return mark_text(side.marks.overall)


def _per_question(side: AnswererMarks, total: float) -> float:
    return total / len(side.answers) if side.answers else math.nan


def _seconds(side: AnswererMarks) -> float:
    return _per_question(side, side.seconds)


def _tokens(side: AnswererMarks) -> float:
    return _per_question(side, side.sheet.prompt_tokens + side.sheet.output_tokens)


_COLUMNS: list[Column[AnswererMarks]] = [
    Column("Answerer", lambda side: side.name, cell_tip=lambda side: "; ".join(side.sheet.uses), stretch=1),
    Column(
        "Accuracy",
        lambda side: share(_accuracy(side)[0]),
        number=True,
        tip="Mean score over all questions; the line is its 95 % interval",
        cell_tip=_accuracy_text,
        exact=_accuracy_text,
        sort=lambda side: _accuracy(side)[0],
        descends=True,
        width=130,
        draw=interval_cell(_accuracy, "100 %"),
    ),
    Column(
        "F1",
        lambda side: NONE if side.marks.overall.f1 is None else share(side.marks.overall.f1),
        number=True,
        tip="With “not answerable” as the negative class",
        sort=lambda side: side.marks.overall.f1 or 0.0,
    ),
    Column(
        "s",
        lambda side: number(_seconds(side)),
        number=True,
        tip="Seconds of a question, mean",
        sort=_seconds,
    ),
    Column(
        "Tokens",
        lambda side: number(_tokens(side)) if _tokens(side) else NONE,
        number=True,
        tip="Tokens that the model read and wrote for a question, mean",
        sort=_tokens,
    ),
]


class SystemsTable(Table[AnswererMarks]):
    """Lists the answerers. Signals: answerer_wanted(key): show this answerer's marks."""

    answerer_wanted = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            TableModel(_COLUMNS, key=lambda side: side.key),
            "Answerers",
            "Enter shows the marks of an answerer",
            row_height=_ROW_HEIGHT,
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.opened.connect(self._open)
        self.clicked.connect(lambda index: self._open(self.rows.row_at(index.row())))

    def show_answerers(self, sides: Sequence[AnswererMarks]) -> None:
        """Show the answerers, the most accurate first."""
        self.show_rows(sorted(sides, key=lambda side: -_accuracy(side)[0]))
        self.setFixedHeight(_ROW_HEIGHT * len(sides) + self.horizontalHeader().sizeHint().height() + 4)

    def _open(self, side: AnswererMarks | None) -> None:
        if side is not None:
            self.answerer_wanted.emit(side.key)
