"""The questions as a table: what was asked, what was answered, what is right, how much it counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTableView

from pitwall.console.exam.format import TITLES, answer_words, score_words, sign, steps_words, truth_words
from pitwall.console.exam.questions.rows import QuestionRow
from pitwall.console.kit.column_table import ColumnModel, ColumnTable, Index
from pitwall.console.kit.theme import Look
from pitwall.exam.questions.abilities import Ability

ROW = Qt.ItemDataRole.UserRole
_ROW_HEIGHT = 27
_ORDER = {ability: at for at, ability in enumerate(Ability)}


@dataclass(frozen=True, slots=True)
class QuestionColumn:
    """Attributes: text: of a cell. key: what it is sorted by. tip: of its head. wide: share of the room."""

    title: str
    text: Callable[[QuestionRow], str]
    key: Callable[[QuestionRow], Any]
    tip: str = ""
    wide: int = 0
    right: bool = False
    score: Callable[[QuestionRow], float] | None = None


_NUMBER = QuestionColumn("#", lambda row: f"{row.at}", lambda row: row.at, right=True)
_ABILITY = QuestionColumn(
    "Ability", lambda row: TITLES[row.question.ability], lambda row: _ORDER[row.question.ability]
)
_ASKED = QuestionColumn(
    "Question", lambda row: row.question.asked, lambda row: row.question.asked.casefold(), wide=6
)
_ANSWER = QuestionColumn(
    "Answer", lambda row: answer_words(row.answer), lambda row: answer_words(row.answer).casefold(), wide=2
)
_OTHER = QuestionColumn(
    "Second's answer",
    lambda row: answer_words(row.other),
    lambda row: answer_words(row.other).casefold(),
    "Of the answerer that is compared",
    wide=2,
)
_TRUTH = QuestionColumn(
    "Truth",
    lambda row: truth_words(row.question.truth),
    lambda row: truth_words(row.question.truth).casefold(),
    "Of several right answers the first",
    wide=2,
)
_SCORE = QuestionColumn(
    "Score",
    lambda row: score_words(row.score),
    lambda row: row.score,
    "1 is right; in between: a text that is like the right one",
    score=lambda row: row.score,
)
_OTHER_SCORE = QuestionColumn(
    "Second",
    lambda row: score_words(row.other_score),
    lambda row: row.other_score,
    "Score of the answerer that is compared",
    score=lambda row: row.other_score,
)
_EVIDENCE = QuestionColumn(
    "Steps",
    lambda row: steps_words(row.question.evidence, 3),
    lambda row: row.question.evidence[0] if row.question.evidence else math.inf,
    "The steps from which the truth follows",
)
ALONE = (_NUMBER, _ABILITY, _ASKED, _ANSWER, _TRUTH, _SCORE, _EVIDENCE)
NARROW = ALONE[:-1]
UNANSWERED = (_NUMBER, _ABILITY, _ASKED, _TRUTH, _EVIDENCE)
COMPARED = (_NUMBER, _ABILITY, _ASKED, _ANSWER, _OTHER, _TRUTH, _SCORE, _OTHER_SCORE)


class QuestionsModel(ColumnModel):
    """Questions in some order."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.columns: Sequence[QuestionColumn] = ALONE
        self.rows: Sequence[QuestionRow] = ()
        self._came: Sequence[QuestionRow] = ()
        self._by = (-1, False)

    def show(self, rows: Sequence[QuestionRow], columns: Sequence[QuestionColumn]) -> None:
        """Show other rows, in the order that was chosen."""
        self.beginResetModel()
        if columns is not self.columns:
            self._by = (-1, False)
        self.columns, self._came = columns, rows
        self._arrange()
        self.endResetModel()

    def place_of(self, question: str) -> int:
        """Where a question stands; −1 where it does not."""
        return next((at for at, row in enumerate(self.rows) if row.question.id == question), -1)

    @property
    def shown(self) -> Sequence[Any]:
        return self.rows

    def to_right(self, column: Any) -> bool:
        return bool(column.right)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column, row = self.columns[index.column()], self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.side(column)
            case Qt.ItemDataRole.ForegroundRole:
                return self._colour(column, row)
            case Qt.ItemDataRole.ToolTipRole:
                return column.text(row) if column.wide else None
            case _:
                return row if role == ROW else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order rows by a column; what has no score comes last either way. −1: as asked."""
        self.layoutAboutToBeChanged.emit()
        self._by = (column, order == Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        at, down = self._by
        if not 0 <= at < len(self.columns):
            self.rows = list(self._came)
            return
        column = self.columns[at]
        known = [row for row in self._came if _known(column.key(row))]
        rest = [row for row in self._came if not _known(column.key(row))]
        self.rows = sorted(known, key=column.key, reverse=down) + rest

    def _colour(self, column: QuestionColumn, row: QuestionRow) -> Any:
        if column.score is not None:
            return self._look.colour(sign(column.score(row))[1])
        return self._look.colour("text" if column.wide else "dim")


class QuestionTable(ColumnTable):
    """Rows chosen whole.

    Signals:
        chosen(row): another question is in view; None: none. step_wanted(): its steps are wanted (Enter).
    """

    chosen = Signal(object)
    step_wanted = Signal()

    def __init__(self, look: Look) -> None:
        self.questions = QuestionsModel(look)
        does = "Enter goes to the steps of a question; Ctrl+C copies the table as CSV"
        super().__init__(self.questions, "Questions", does, _ROW_HEIGHT)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(36)
        self.sort_by_heads()
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover, False)
        self.activated.connect(lambda _: self.step_wanted.emit())
        self.selectionModel().currentRowChanged.connect(lambda now, _: self.chosen.emit(now.data(ROW)))

    @property
    def row(self) -> QuestionRow | None:
        """The question in view."""
        found: QuestionRow | None = self.currentIndex().data(ROW)
        return found

    def show_rows(self, rows: Sequence[QuestionRow], columns: Sequence[QuestionColumn]) -> None:
        """Show other rows; the chosen question and where it was scrolled to stay."""
        chosen = self.row
        place = self.verticalScrollBar().value()
        fresh = columns is not self.questions.columns or not self.questions.rows
        changed = columns is not self.questions.columns
        self.questions.show(rows, columns)
        if changed:
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        if fresh:
            self.fit()
        at = self.questions.place_of(chosen.question.id) if chosen is not None else -1
        if at >= 0 or rows:
            self.setCurrentIndex(self.questions.index(max(at, 0), 0))
        else:
            self.chosen.emit(None)
        self.verticalScrollBar().setValue(place if at >= 0 else 0)

    def choose(self, question: str) -> None:
        """Put a question in view."""
        at = self.questions.place_of(question)
        if at >= 0:
            self.setCurrentIndex(self.questions.index(at, 0))

    def fit(self) -> None:
        """Narrow columns take what their words need; the others share the rest."""
        metrics = self.fontMetrics()
        columns, rows = self.questions.columns, self.questions.rows[:80]
        widths = {}
        for at, column in enumerate(columns):
            if not column.wide:
                words = [column.title + "  ▾", *(column.text(row) for row in rows)]
                widths[at] = min(170, round(1.06 * max(metrics.horizontalAdvance(one) for one in words)) + 24)
        rest = max(240, self.viewport().width() - sum(widths.values()) - 2)
        shares = sum(column.wide for column in columns)
        for at, column in enumerate(columns):
            self.setColumnWidth(at, widths.get(at) or max(70, rest * column.wide // max(1, shares)))

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.fit()


def _known(key: object) -> bool:
    return not isinstance(key, float) or math.isfinite(key)
