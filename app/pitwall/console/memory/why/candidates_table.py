"""The candidates of a retrieval: a row each, every figure a column that sorts, and moves in the ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from pitwall.console.kit.column_table import whole_rows
from pitwall.console.kit.elements import plain_tip
from pitwall.console.kit.theme import GAP, SMALL_PX, TEXT_PX, Look, ui_font
from pitwall.console.memory.why.columns import (
    COLUMNS,
    LAST,
    Column,
    meaning_of,
    rank_text,
    spoken_cell,
    tip_of,
)
from pitwall.console.memory.why.format import figure_of
from pitwall.console.memory.why.rows import CandidateRow, Move, parts_of
from pitwall.console.memory.why.score_bar import paint_parts
from pitwall.core.memories import MemoryWeights

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
ROW = Qt.ItemDataRole.UserRole
"""The `CandidateRow` behind a table's row."""
_ROW_HEIGHT = 28
_BAR = 9
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_MOVES: dict[Move, tuple[str, str]] = {
    Move.NONE: ("", "neutral"),
    Move.UP: ("▲", "ok"),
    Move.DOWN: ("▼", "neutral"),
    Move.ENTERS: ("▲ in", "ok"),
    Move.CUT: ("▼ out", "stop"),
    Move.FORGOTTEN: ("✕", "stop"),
}
"""A sign beside the rank, and its tone."""


_RANK = 0
_STRETCH = ("state", "became")


class CandidatesModel(QAbstractTableModel):
    """Rows in the order of one column."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[CandidateRow] = []
        self.weights = MemoryWeights()
        self._order, self._descending = 0, False

    def show(self, rows: Sequence[CandidateRow], weights: MemoryWeights) -> None:
        """Show these; the order stays."""
        self.beginResetModel()
        self.rows, self.weights = list(rows), weights
        self._sort()
        self.endResetModel()

    def order_by(self, at: int) -> None:
        """Sort by a column, greatest or first name first; once more: the other way round."""
        self.beginResetModel()
        self._descending = not self._descending if at == self._order else False
        self._order = at
        self._sort()
        self.endResetModel()

    def place_of(self, entry_id: int) -> int | None:
        """Row of a candidate; None where it is not listed."""
        return next((at for at, row in enumerate(self.rows) if row.candidate.entry_id == entry_id), None)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            if section != self._order:
                return column.title
            falls = bool(column.figure or column.name == "bar") != self._descending
            return f"{column.title} {'↓' if falls else '↑'}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.number else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{meaning_of(column, self.weights)}\nPress to sort by it"
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        match role:
            case Qt.ItemDataRole.UserRole:
                return row
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column.number else _LEFT
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(tip_of(row, column, self.weights))
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken_cell(row, column, self.weights)
        return None

    # ---- inside

    def _sort(self) -> None:
        key = COLUMNS[self._order].key
        self.rows.sort(key=lambda row: row.rank or LAST)
        self.rows.sort(key=key, reverse=self._descending)


class CandidatesTable(QTableView):
    """Rows are chosen whole; the arrows move, a header sorts.

    Signals:
        chosen(row): the `CandidateRow` that is now chosen, or None.
        opened(entry_id): Enter or a double click.
    """

    chosen = Signal(object)
    opened = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.candidates = CandidatesModel(self)
        self.setModel(self.candidates)
        self.setAccessibleName("Candidates of the retrieval")
        self.setAccessibleDescription("Arrow keys choose one; Enter shows its entry.")
        whole_rows(self, _ROW_HEIGHT)
        self.setItemDelegate(_RowDelegate(look, self))
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover, False)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setMinimumSectionSize(36)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.sectionClicked.connect(self._order_by)
        self._chosen = 0  # by the operator
        self._filling = False
        self.selectionModel().currentRowChanged.connect(self._changed)
        self.activated.connect(self._activated)
        look.changed.connect(self.viewport().update)

    @property
    def current(self) -> CandidateRow | None:
        """The candidate that is chosen."""
        at = self.currentIndex().row()
        return self.candidates.rows[at] if 0 <= at < len(self.candidates.rows) else None

    def show_rows(self, rows: Sequence[CandidateRow], weights: MemoryWeights, *, anew: bool = False) -> None:
        """Show these; the choice stays with its entry, or goes to the first.

        Args:
            anew: another retrieval: only what the operator chose stays chosen.
        """
        with self._keeping(anew=anew):
            self.candidates.show(rows, weights)
        self.chosen.emit(self.current)

    def choose(self, entry_id: int) -> None:
        """Choose a candidate; nothing happens where it is not listed."""
        at = self.candidates.place_of(entry_id)
        if at is not None:
            self._chosen = entry_id
            self.setCurrentIndex(self.candidates.index(at, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self.candidates.rowCount() - 1
        at = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(Qt.Key(event.key()))
        if at is not None and last >= 0:
            self.setCurrentIndex(self.candidates.index(at, 0))
            event.accept()
        else:
            super().keyPressEvent(event)

    # ---- inside

    @contextmanager
    def _keeping(self, *, anew: bool = False) -> Iterator[None]:
        """Rows come anew inside: the choice stays with its candidate, or goes to the first."""
        self._filling = True
        current = self.current
        wanted = self._chosen if anew or current is None else current.candidate.entry_id
        scrolled = self.verticalScrollBar().value()
        yield
        if self.candidates.rows:
            at = self.candidates.place_of(wanted) or 0
            self.setCurrentIndex(self.candidates.index(at, 0))
        self.verticalScrollBar().setValue(scrolled)
        self._filling = False

    def _order_by(self, at: int) -> None:
        with self._keeping():
            self.candidates.order_by(at)

    def _fit(self) -> None:
        room = self.viewport().width()
        header = self.horizontalHeader()
        used = 0
        for at, column in enumerate(COLUMNS):
            self.setColumnHidden(at, room < column.least_room)
            if room >= column.least_room:
                self.setColumnWidth(at, column.width)
                used += column.width
        spare = max(0, room - used)
        stretch = [at for at, one in enumerate(COLUMNS) if one.name in _STRETCH and room >= one.least_room]
        for at in stretch:
            self.setColumnWidth(at, COLUMNS[at].width + spare // len(stretch))
        header.viewport().update()

    def _changed(self, now: QModelIndex, _: QModelIndex) -> None:
        if self._filling:
            return
        row = now.data(ROW) if now.isValid() else None
        if row is not None:
            self._chosen = row.candidate.entry_id
        self.chosen.emit(row)

    def _activated(self, index: QModelIndex) -> None:
        row: CandidateRow = index.data(ROW)
        self.opened.emit(row.candidate.entry_id)


class _RowDelegate(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: CandidateRow = index.data(ROW)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        look, column = self._look, COLUMNS[index.column()]
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, look.colour("hover"))
            if index.column() == _RANK:
                painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), look.colour("text"))
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), look.colour("line"))
        inside = area.adjusted(0 if column.number else GAP, 0, -GAP, 0)
        if column.name == "bar":
            self._paint_bar(painter, inside, row, index)
        elif column.name == "rank":
            self._paint_rank(painter, inside, row)
        else:
            self._paint_text(painter, inside, row, column)
        painter.restore()

    def _paint_bar(self, painter: QPainter, inside: QRect, row: CandidateRow, index: Index) -> None:
        model = index.model()
        assert isinstance(model, CandidatesModel)
        top = inside.top() + (inside.height() - _BAR) / 2
        if not row.entered:
            painter.setOpacity(0.45)
        weights = model.weights
        whole = max(1e-9, weights.fuse_bank + weights.fuse_graph)
        area = QRectF(inside.left(), top, inside.width(), _BAR)
        paint_parts(painter, area, self._look, parts_of(row.candidate, weights), whole)

    def _paint_rank(self, painter: QPainter, inside: QRect, row: CandidateRow) -> None:
        sign, tone = _MOVES[row.move]
        painter.setFont(ui_font(TEXT_PX, bold=row.move is not Move.NONE))
        painter.setPen(self._look.colour("text" if row.entered or row.move is not Move.NONE else "dim"))
        painter.drawText(inside, _LEFT, rank_text(row))
        if sign:
            painter.setFont(ui_font(SMALL_PX))
            painter.setPen(self._look.colour(tone))
            painter.drawText(inside, _RIGHT, sign)

    def _paint_text(self, painter: QPainter, inside: QRect, row: CandidateRow, column: Column) -> None:
        changed = bool(column.figure) and figure_of(row.candidate, column.figure) != figure_of(
            row.before, column.figure
        )
        bold = changed or (column.name in ("action", "fused") and row.entered)
        tone = "text" if row.entered and (column.name != "state") else "dim"
        if column.name == "became":
            tone = "ok" if row.entered else "stop" if row.move in (Move.CUT, Move.FORGOTTEN) else "dim"
        small = bool(column.figure) or column.name in ("state", "became")
        painter.setFont(ui_font(SMALL_PX if small else TEXT_PX, bold=bold))
        painter.setPen(self._look.colour(tone if not changed else "text"))
        text = painter.fontMetrics().elidedText(
            column.text(row), Qt.TextElideMode.ElideRight, inside.width() + 2
        )
        painter.drawText(inside, _RIGHT if column.number else _LEFT, text)
