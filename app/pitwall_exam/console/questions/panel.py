"""The questions of an exam: filters, the table, and the question in view with its evidence."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from pitwall.console.kit.elements import Button, EmptyState, column, holder
from pitwall.console.kit.panes import scrolled, split
from pitwall.console.kit.theme import GAP, PAD, WIDE, Look
from pitwall.console.services.background import RunLogWorker
from pitwall_exam.console.questions.detail import QuestionDetail
from pitwall_exam.console.questions.evidence import EvidenceView, evidence_of
from pitwall_exam.console.questions.filter import QuestionFilter
from pitwall_exam.console.questions.rows import QuestionRow, rows_of, selected_rows
from pitwall_exam.console.questions.table import ALONE, COMPARED, NARROW, UNANSWERED, question_table
from pitwall_exam.marking.comparison import AnswererMarks
from pitwall_exam.repository import StoredExam

_UNDER_PX = 780
"""Panel height from which the question is shown under the table rather than beside it."""
_BESIDE = 300


class QuestionsPanel(QWidget):
    """Filters, lists and explains an exam's questions."""

    def __init__(self, look: Look, reading: RunLogWorker) -> None:
        super().__init__()
        self._exam: StoredExam | None = None
        self._sides: tuple[AnswererMarks | None, AnswererMarks | None] = (None, None)
        self._rows: list[QuestionRow] = []
        self.filter = QuestionFilter()
        self.table = question_table(look)
        self.detail = QuestionDetail(look)
        self.evidence = EvidenceView(look, reading)
        self._none = EmptyState(
            "No question matches",
            "The search covers words, answers, truths and templates.",
            Button("Show every question", self.filter.clear),
        )
        self._under: bool | None = None
        self._build()
        self.filter.narrowed.connect(self._draw)
        self.table.chosen.connect(self._show_row)
        self.table.opened.connect(lambda _: self.evidence.steps.setFocus())

    @property
    def rows(self) -> list[QuestionRow]:
        return list(self.table.rows.rows)

    def show_exam(self, exam: StoredExam, first: AnswererMarks | None, second: AnswererMarks | None) -> None:
        """Show an exam's questions with the answers of up to two answerers."""
        if exam.exam is None:
            return
        other = self._exam is None or self._exam.exam_id != exam.exam_id
        self._exam, self._sides = exam, (first, second)
        self._rows = rows_of(exam.exam, first, second)
        self.filter.offer(answered=first is not None, compared=second is not None)
        if other:
            self.filter.clear()
        else:
            self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    # ---- inside

    def _build(self) -> None:
        list_margins = (PAD, GAP, PAD, GAP)
        left = holder(column(self.filter, self.table, self._none, stretch=1, margins=list_margins))
        self._both: QBoxLayout = column(self.detail, self.evidence, gap=WIDE, margins=PAD)
        self._narrow = scrolled(holder(self._both), "The question in view, and its evidence")
        self._splitter = split(left, self._narrow)
        self.setLayout(column(self._splitter, gap=0))
        self._none.hide()

    def _arrange(self) -> None:
        under = self.height() >= _UNDER_PX
        if under == self._under:
            return
        self._under = under
        way = QBoxLayout.Direction.LeftToRight if under else QBoxLayout.Direction.TopToBottom
        self._both.setDirection(way)
        for at in (0, 1):
            self._both.setStretch(at, 1 if under else 0)
        self._narrow.setMinimumWidth(0 if under else 280)
        self._narrow.setMinimumHeight(300 if under else 0)
        if under:
            self._splitter.setOrientation(Qt.Orientation.Vertical)
            self._splitter.setSizes([round(0.54 * self.height()), round(0.46 * self.height())])
        else:
            self._splitter.setOrientation(Qt.Orientation.Horizontal)
            self._splitter.setSizes([max(300, self.width() - _BESIDE), _BESIDE])
        self._draw()

    def _draw(self) -> None:
        if self._exam is None:
            return
        rows = selected_rows(self._rows, self.filter.wanted)
        first, second = self._sides
        alone = ALONE if self._under else NARROW
        columns = COMPARED if second is not None else alone if first is not None else UNANSWERED
        self.table.show_rows(rows, columns)
        self.filter.show_count(len(rows), len(self._rows))
        self.table.setVisible(bool(rows))
        self._none.setVisible(not rows)
        self._narrow.setVisible(bool(rows))
        self._show_row(self.table.current)

    def _show_row(self, row: QuestionRow | None) -> None:
        if row is None or self._exam is None or self._exam.exam is None:
            return
        first, second = self._sides
        self.detail.show_row(row, first, second)
        answers = {
            side.name: answer.evidence
            for side, answer in ((first, row.answer), (second, row.other))
            if side is not None and answer is not None
        }
        evidence = evidence_of(row.question.evidence, answers)
        why = (
            "It asks about something that never happened, so no step shows it."
            if not row.question.answerable
            else "All of its steps count together."
        )
        run_id = self._exam.exam.run_id
        if not self.evidence.shows(run_id, evidence):
            self.evidence.show_evidence(run_id, evidence, why)
