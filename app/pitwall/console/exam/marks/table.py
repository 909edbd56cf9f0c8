"""The marks as a table: a row for each ability and one for all, with counts, intervals and comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from pitwall.console.charts.axes import share
from pitwall.console.charts.bars import draw_interval_bar
from pitwall.console.exam.format import ASKS, TITLES, interval_words, points_words
from pitwall.console.kit.column_table import ColumnModel, ColumnTable, Index
from pitwall.console.kit.format import NONE
from pitwall.console.kit.theme import GAP, SMALL_PX, Look, ui_font
from pitwall.exam.marking.answerer_marks import AnswererMarks
from pitwall.exam.marking.baselines import Baseline
from pitwall.exam.marking.comparison import Difference
from pitwall.exam.marking.scoring import Mark
from pitwall.exam.questions.abilities import Ability

LINE = Qt.ItemDataRole.UserRole
_ROW_HEIGHT = 25
_BAR_LEAST, _BAR_MOST = 28, 96


@dataclass(frozen=True, slots=True)
class MarksRow:
    """A row: one ability, or all questions.

    Attributes:
        ability: None: all of them. f1: not how many are right, but F1 over them. of: questions of the exam.
        first, second: each answerer's mark; None where there is no such answerer.
        difference: over the questions that both answered, the first less the second; NaN where there is none.
        published: a share; NaN where none is chosen.
    """

    ability: Ability | None
    of: int
    first: Mark | None
    second: Mark | None
    difference: float = math.nan
    published: float = math.nan
    f1: bool = False

    @property
    def title(self) -> str:
        if self.ability is not None:
            return TITLES[self.ability]
        return "F1" if self.f1 else "All questions"


def lines_of(
    questions: Mapping[Ability, int],
    first: AnswererMarks | None,
    second: AnswererMarks | None,
    between: Sequence[Difference],
    published: Baseline | None,
) -> list[MarksRow]:
    """The rows.

    Args:
        questions: how many the exam has of each ability. between: the two answerers, all questions too.
    """
    unlike = {one.ability: one.difference for one in between if one.difference is not None}
    lines = []
    for ability in (*Ability, None):
        marks = [
            None if side is None else side.marks.overall if ability is None else side.marks.of(ability)
            for side in (first, second)
        ]
        of = sum(questions.values()) if ability is None else questions.get(ability, 0)
        theirs = math.nan
        if published is not None:
            theirs = (published.overall if ability is None else published.of(ability)) / 100
        lines.append(MarksRow(ability, of, marks[0], marks[1], unlike.get(ability, math.nan), theirs))
    f1 = [None if one is None else _f1(one.marks.overall) for one in (first, second)]
    theirs = published.f1 / 100 if published is not None else math.nan
    return [*lines, MarksRow(None, lines[-1].of, f1[0], f1[1], math.nan, theirs, f1=True)]


def _f1(overall: Mark) -> Mark:
    """F1 as a mark of its own, which has no interval."""
    return Mark(ability=None, n=overall.n, accuracy=overall.f1)


@dataclass(frozen=True, slots=True)
class _Column:
    """Attributes: title, tip: of its head. text: of a cell. mark: whose bar is drawn in it; None: none."""

    title: str
    text: Callable[[MarksRow], str]
    tip: str = ""
    mark: Callable[[MarksRow], Mark | None] | None = None
    left: bool = False


def _mark_text(mark: Mark | None) -> str:
    if mark is None or mark.accuracy is None:
        return NONE
    if mark.low is None or mark.high is None:
        return share(mark.accuracy)
    return f"{share(mark.accuracy)}  {interval_words(mark.low, mark.high)}"


def _share_text(mark: Mark | None) -> str:
    return NONE if mark is None or mark.accuracy is None else share(mark.accuracy)


def _columns(
    first: AnswererMarks | None, second: AnswererMarks | None, published: Baseline | None
) -> list[_Column]:
    tip = "Mean score; the line is its 95 % interval"
    text = _mark_text if second is None else _share_text  # two with their intervals have no room
    columns = [
        _Column("Ability", lambda line: line.title, left=True),
        _Column("n", lambda line: f"{line.of:,}", "Questions of the exam"),
    ]
    if first is not None:
        name = first.name
        columns.append(
            _Column(name, lambda line: text(line.first), f"{name}. {tip}", lambda line: line.first)
        )
    if second is not None:
        name = second.name
        columns.append(
            _Column(name, lambda line: text(line.second), f"{name}. {tip}", lambda line: line.second)
        )
        columns.append(
            _Column(
                "Diff.",
                lambda line: points_words(line.difference),
                "Of the two answerers, the first less the second, in points of a hundred",
            )
        )
    if published is not None:
        columns.append(
            _Column(
                "Published",
                lambda line: f"{100 * line.published:.1f} %",
                f"{published.name} (table {published.table} of the source): other games and runs than these",
            )
        )
    return columns


class MarksModel(ColumnModel):
    """Rows of abilities, then all of them."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.lines: Sequence[MarksRow] = ()
        self.columns: Sequence[_Column] = ()

    def show(self, lines: Sequence[MarksRow], columns: Sequence[_Column]) -> None:
        """Show other marks."""
        self.beginResetModel()
        self.lines, self.columns = lines, columns
        self.endResetModel()

    @property
    def shown(self) -> Sequence[Any]:
        return self.lines

    def to_right(self, column: Any) -> bool:
        return not column.left

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column, line = self.columns[index.column()], self.lines[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(line)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.side(column)
            case Qt.ItemDataRole.FontRole:
                return ui_font(SMALL_PX, bold=line.ability is None and not line.f1)
            case Qt.ItemDataRole.ForegroundRole:
                return self._look.colour("text" if column.mark or column.left else "dim")
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(column, line)
            case _:
                return line if role == LINE else None

    def copied(self, column: Any, row: Any) -> str:
        return super().copied(column, row).replace("  ", " ")


class MarksTable(ColumnTable):
    """As high as its rows. Signals: opened(ability): its questions are wanted; empty: all of them."""

    opened = Signal(str)

    def __init__(self, look: Look) -> None:
        self.marks = MarksModel(look)
        does = "Enter shows the questions of an ability; Ctrl+C copies the table as CSV"
        super().__init__(self.marks, "Marks by ability", does, _ROW_HEIGHT)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.horizontalHeader().setMinimumSectionSize(40)
        self.setItemDelegate(_Cells(look, self))
        self.activated.connect(self._open)
        self.clicked.connect(self._open)

    def show_marks(
        self,
        questions: Mapping[Ability, int],
        first: AnswererMarks | None,
        second: AnswererMarks | None,
        between: Sequence[Difference],
        published: Baseline | None,
    ) -> None:
        """Show other marks; the chosen row stays."""
        at = self.currentIndex().row()
        columns = _columns(first, second, published)
        self.marks.show(lines_of(questions, first, second, between, published), columns)
        header = self.horizontalHeader()
        metrics = self.fontMetrics()
        for number, column in enumerate(columns):
            if column.mark is not None:
                header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
                continue
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Fixed)
            words = [column.title, *(column.text(line) for line in self.marks.lines)]
            wide = max(metrics.horizontalAdvance(one) for one in words)
            self.setColumnWidth(number, round(wide * 1.08) + 22)
        self.setFixedHeight(_ROW_HEIGHT * len(self.marks.lines) + header.sizeHint().height() + 4)
        if at >= 0:
            self.setCurrentIndex(self.marks.index(at, 0))

    def _open(self, index: QModelIndex) -> None:
        line = index.data(LINE)
        if line is not None:
            self.opened.emit(line.ability.value if line.ability is not None else "")


class _Cells(QStyledItemDelegate):
    """Draws a mark with its interval at the left of its words."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        assert isinstance(model, MarksModel)
        column = model.columns[index.column()]
        mark = column.mark(index.data(LINE)) if column.mark is not None else None
        if mark is None or mark.accuracy is None:
            return
        area: Any = option.rect
        widest = "100 %  100 … 100 %" if "…" in column.text(model.lines[-2]) else "100 %"
        words = painter.fontMetrics().horizontalAdvance(widest) + 2 * GAP + 6
        wide = min(_BAR_MOST, area.width() - words - GAP)
        if wide < _BAR_LEAST:
            return
        low, high = (math.nan if one is None else one for one in (mark.low, mark.high))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(area.left() + GAP, area.center().y() - 2, wide, 5)
        draw_interval_bar(painter, self._look, ground, mark.accuracy, low, high)
        painter.restore()


def _tip(column: _Column, line: MarksRow) -> str | None:
    if column.mark is not None:
        return _mark_text(column.mark(line))
    if not column.left:
        return None
    said = "With “not answerable” as the negative class" if line.f1 else "Mean of all scores"
    return ASKS[line.ability] if line.ability is not None else said
