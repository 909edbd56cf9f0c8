"""Results as a table: a row for each group of runs, sortable, its intervals drawn beside its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from pitwall.console.charts.axes import number, share
from pitwall.console.charts.bars import draw_interval_bar
from pitwall.console.evaluate.figures import Group, GroupKey
from pitwall.console.evaluate.format import (
    end_sign,
    interval_words,
    notes,
    score_words,
    success_words,
    tally,
)
from pitwall.console.kit.column_table import ColumnModel, ColumnTable, Index
from pitwall.console.kit.format import NONE
from pitwall.console.kit.theme import GAP, Look

GROUP = Qt.ItemDataRole.UserRole
_ROW_HEIGHT = 28
_BAR_MOST = 120
_WIDEST = "100 %  100 … 100 %"
"""The longest words beside a bar."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        text: of a group. key: what it is sorted by; None: its text. tip: what it means.
        bar: share, low and high that are drawn in it.
    """

    title: str
    text: Callable[[Group], str]
    key: Callable[[Group], float] | None = None
    tip: str = ""
    bar: Callable[[Group], tuple[float, float, float]] | None = None


def _success_bar(group: Group) -> tuple[float, float, float]:
    return group.success.value, group.success.low, group.success.high


def _progress_bar(group: Group) -> tuple[float, float, float]:
    return group.progress.value, group.progress.low, group.progress.high


GAME = Column("Game", lambda group: group.game or NONE)
TASK = Column("Task", lambda group: group.task or NONE)
AGENT = Column("Agent", lambda group: group.agent or NONE)
SUCCESS = Column(
    "Success",
    lambda group: f"{share(group.success.value)}  {success_words(group.success)}",
    lambda group: group.success.value,
    "Played runs that reached their target; the line is Wilson's 95 % interval",
    _success_bar,
)
PROGRESS = Column(
    "Progress",
    lambda group: (
        f"{share(group.progress.value)}  {interval_words(group.progress.low, group.progress.high)}"
        if group.progress.of
        else NONE
    ),
    lambda group: group.progress.value,
    "Mean share of the way from start to target; the line is the bootstrap's 95 % interval",
    _progress_bar,
)
FIGURES = (
    Column("Runs", lambda group: f"{len(group.runs):,}", lambda group: len(group.runs)),
    Column("Steps", lambda group: number(group.steps), lambda group: group.steps, "Mean of a played run"),
    Column(
        "Time, s/step",
        lambda group: number(group.seconds_per_step, "s"),
        lambda group: group.seconds_per_step,
        "Seconds of play over steps",
    ),
    Column(
        "Tokens/run",
        lambda group: number(group.cost("tokens_run"), "tok"),
        lambda group: group.cost("tokens_run"),
        "Tokens that models read and wrote, mean of a played run",
    ),
    Column(
        "Invalid",
        lambda group: (
            f"{tally(group.row.invalid)} · {share(group.invalid_rate)}" if group.invalid_count else "0"
        ),
        lambda group: group.invalid_count,
        "Proposed actions that were not valid, by kind, and their share of the proposed ones",
    ),
    Column(
        "Refused",
        lambda group: tally(group.row.refusals),
        lambda group: group.refused_count,
        "Events that the broker refused, by cause",
    ),
    Column("Notes", notes, lambda group: group.failed + group.unverified / 1000, "What to know of the row"),
)
RUN_COLUMNS = (
    Column("Seed", lambda group: f"{group.runs[0].cell.seed:,}", lambda group: group.runs[0].cell.seed),
    Column("Wave", lambda group: f"{group.runs[0].cell.wave + 1}", lambda group: group.runs[0].cell.wave),
    Column("Ended", lambda group: end_sign(group.runs[0]).text),
    Column(
        "Score",
        lambda group: score_words(group.runs[0].score, group.runs[0].target, group.runs[0].unit),
        lambda group: group.runs[0].score if group.runs[0].score is not None else math.nan,
    ),
    Column("Progress", lambda group: share(group.progress.value), lambda group: group.progress.value),
    Column("Steps", lambda group: f"{group.runs[0].steps:,}", lambda group: group.runs[0].steps),
    Column(
        "Time",
        lambda group: number(group.runs[0].seconds, "s"),
        lambda group: group.runs[0].seconds,
        "Seconds of play",
    ),
    Column(
        "Opening",
        lambda group: number(group.runs[0].unopened_s, "s"),
        lambda group: group.runs[0].unopened_s,
        "Until the game could be played",
    ),
    *FIGURES[3:6],
    Column("Resets", lambda group: f"{group.runs[0].resets:,}", lambda group: group.runs[0].resets),
    Column(
        "Why",
        lambda group: (
            group.runs[0].why + ("" if group.runs[0].verified else " (score read from pixels: not verified)")
        ),
    ),
)
COLUMNS: dict[GroupKey, tuple[Column, ...]] = {
    "cell": (GAME, TASK, AGENT, SUCCESS, PROGRESS, *FIGURES),
    "agent": (AGENT, SUCCESS, PROGRESS, *FIGURES),
    "game": (GAME, SUCCESS, PROGRESS, *FIGURES),
    "task": (GAME, TASK, SUCCESS, PROGRESS, *FIGURES),
    "run": (GAME, TASK, AGENT, *RUN_COLUMNS),
    "level": (Column("Level", lambda group: group.key, lambda group: float(group.key)), SUCCESS, PROGRESS),
    "genre": (Column("Genre", lambda group: group.key or NONE), SUCCESS, PROGRESS, *FIGURES),
}


class ResultsModel(ColumnModel):
    """Groups in some order."""

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.columns: Sequence[Column] = COLUMNS["cell"]
        self.groups: Sequence[Group] = ()
        self._came: Sequence[Group] = ()
        self._by = (-1, False)

    def show(self, groups: Sequence[Group], columns: Sequence[Column]) -> None:
        """Show other rows, in the order that was chosen."""
        if len(columns) != len(self.columns) or columns[0] is not self.columns[0]:
            self._by = (-1, False)
        self.beginResetModel()
        self.columns, self._came = columns, groups
        self._arrange()
        self.endResetModel()

    @property
    def shown(self) -> Sequence[Any]:
        return self.groups

    def to_right(self, column: Any) -> bool:
        return column.key is not None and column.title not in ("Invalid", "Refused", "Notes")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column, group = self.columns[index.column()], self.groups[index.row()]
        if role == GROUP:
            return group
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(group)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (
                column.text(group) if column.key is None or column.title in ("Invalid", "Refused") else None
            )
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.side(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(column, group)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order rows by a column; what is not known comes last either way. −1: as they came."""
        self.layoutAboutToBeChanged.emit()
        self._by = (column, order == Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.layoutChanged.emit()

    def copied(self, column: Any, row: Any) -> str:
        return super().copied(column, row).replace("  ", " ")

    def _arrange(self) -> None:
        at, down = self._by
        if not 0 <= at < len(self.columns):
            self.groups = list(self._came)
            return
        column = self.columns[at]
        key = column.key
        if key is None:
            self.groups = sorted(self._came, key=lambda group: column.text(group).lower(), reverse=down)
            return
        known = [group for group in self._came if math.isfinite(key(group))]
        rest = [group for group in self._came if not math.isfinite(key(group))]
        self.groups = sorted(known, key=key, reverse=down) + rest

    def _colour(self, column: Column, group: Group) -> Any:
        if column.title == "Notes":
            return self._look.colour("stop" if group.failed else "dim")
        if column.title == "Ended":
            tone = end_sign(group.runs[0]).tone
            return self._look.colour("dim" if tone == "neutral" else tone)
        return self._look.colour("text" if column.key is None or column.bar else "dim")


class ResultsTable(ColumnTable):
    """Rows chosen whole. Signals: opened(group): the runs of a row are wanted."""

    opened = Signal(object)

    def __init__(self, look: Look) -> None:
        self._model = ResultsModel(look)
        does = "Enter opens the runs of a row; Ctrl+C copies the table as CSV"
        super().__init__(self._model, "Results", does, _ROW_HEIGHT)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.sort_by_heads()
        self.setItemDelegate(_Cells(look, self))
        self.activated.connect(self._open)

    @property
    def results(self) -> ResultsModel:
        return self._model

    def show_groups(self, groups: Sequence[Group], by: GroupKey) -> None:
        """Show other rows; the chosen one and where it was scrolled to stay."""
        columns = COLUMNS[by]
        fresh = self._model.columns is not columns or not self._model.groups
        chosen = self.currentIndex().data(GROUP)
        place = self.verticalScrollBar().value()
        changed = self._model.columns is not columns
        self._model.show(groups, columns)
        if changed:
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        if fresh:
            self._fit()
        if chosen is not None:
            keys = [group.key for group in self._model.groups]
            if chosen.key in keys:
                self.setCurrentIndex(self._model.index(keys.index(chosen.key), 0))
        self.verticalScrollBar().setValue(place)

    def _open(self, index: QModelIndex) -> None:
        group = index.data(GROUP)
        if group is not None:
            self.opened.emit(group)

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        rows = min(60, self._model.rowCount())
        for at, column in enumerate(self._model.columns):
            words = [f"{column.title}  ▾"]
            words += [column.text(self._model.groups[row]) for row in range(rows)]
            wide = max(metrics.horizontalAdvance(text) for text in words) + 26
            least = metrics.horizontalAdvance(_WIDEST) + 3 * GAP + 70 if column.bar else 0
            self.setColumnWidth(at, max(min(wide, 340), least))


class _Cells(QStyledItemDelegate):
    """Draws a share with its interval at the left of its words."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        group: Group = index.data(GROUP)
        model = index.model()
        assert isinstance(model, ResultsModel)
        column = model.columns[index.column()]
        super().paint(painter, option, index)
        if column.bar is None:
            return
        of, low, high = column.bar(group)
        area: Any = option.rect
        words = painter.fontMetrics().horizontalAdvance(_WIDEST) + 2 * GAP + 4
        wide = min(_BAR_MOST, area.width() - words - GAP)  # the same in every row, so that bars compare
        if not math.isfinite(of) or wide < 16:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_interval_bar(
            painter, self._look, QRectF(area.left() + GAP, area.center().y() - 2, wide, 5), of, low, high
        )
        painter.restore()
