"""The table of models: two lines a row, the memory each needs as a bar, arrows and letters move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
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
from pitwall.console.kit.theme import GAP, SMALL_PX, TEXT_PX, Look, ui_font
from pitwall.console.models.memory_bar import paint_share
from pitwall.console.models.view_model import ModelViewModel

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
FACTS = Qt.ItemDataRole.UserRole
"""The `ModelViewModel` behind a row."""
_LINES = Qt.ItemDataRole.UserRole + 1
_ROW_HEIGHT = 50
_LINE = 18
_BAR = 6
_HOVERS = (QEvent.Type.HoverEnter, QEvent.Type.HoverMove, QEvent.Type.HoverLeave)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, its least width in pixels, the two lines of a model, and their tones.

    Attributes:
        least_room: the table is at least so wide, or the column is left out.
    """

    title: str
    width: int
    lines: Callable[[ModelViewModel], tuple[str, str]]
    tones: Callable[[ModelViewModel], tuple[str, str]] = lambda _: ("text", "dim")
    least_room: int = 0


COLUMNS = (
    Column("Model", 168, lambda model: (model.name, model.kind_words)),
    Column("Size", 114, lambda model: model.size_lines),
    Column("Context", 92, lambda model: model.context_lines, least_room=700),
    Column(
        "Memory it needs",
        176,
        lambda model: (model.memory_words, ""),
        lambda model: ("stop" if model.short else "text", "dim"),
    ),
    Column("Speed here", 102, lambda model: model.speed_lines, lambda model: model.speed_tones),
    Column("Tiers", 112, lambda model: model.tier_lines, lambda _: ("text", "text"), least_room=780),
    Column("State", 108, lambda model: model.state_lines, lambda model: model.state_tones),
)
_NAME, _MEMORY = 0, 3


class ModelsModel(QAbstractTableModel):
    """The registry's models, in its order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ModelViewModel] = []

    def show(self, rows: Sequence[ModelViewModel]) -> None:
        """Show these; where only figures changed, rows stay where they are."""
        if [row.name for row in rows] == [row.name for row in self.rows]:
            changed = [at for at, row in enumerate(rows) if row != self.rows[at]]
            self.rows = list(rows)
            for at in changed:
                self.dataChanged.emit(self.index(at, 0), self.index(at, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def place_of(self, name: str) -> int | None:
        """Row of a model; None where it is not listed."""
        return next((at for at, row in enumerate(self.rows) if row.name == name), None)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        model, column = self.rows[index.row()], COLUMNS[index.column()]
        if role == FACTS:
            return model
        if role == _LINES:
            return column.lines(model)
        if role == Qt.ItemDataRole.DisplayRole:
            return column.lines(model)[0]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = model.memory_sentence if index.column() == _MEMORY else ", ".join(column.lines(model))
            return f"{column.title}: {said}"
        if role == Qt.ItemDataRole.ToolTipRole:
            if index.column() == _MEMORY:
                return model.memory_sentence
            return model.note or "\n".join(filter(None, column.lines(model)))
        return None


class ModelsTable(QTableView):
    """Rows are chosen whole; arrows, Home, End and the first letters of a name move.

    Signals:
        chosen(facts): the row that is now chosen, or None. opened(): Enter or a double click.
    """

    chosen = Signal(object)
    opened = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.facts = ModelsModel(self)
        self.setModel(self.facts)
        self.setAccessibleName("Models")
        self.setAccessibleDescription("Arrow keys choose a model; its details stand beside the table.")
        whole_rows(self, _ROW_HEIGHT)
        self.setItemDelegate(_RowDelegate(look, self))
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(60)
        self.selectionModel().currentRowChanged.connect(self._changed)
        self.activated.connect(lambda *_: self.opened.emit())
        look.changed.connect(self.viewport().update)

    def show_rows(self, rows: Sequence[ModelViewModel], chosen: str = "") -> None:
        """Show these models; the choice stays, or goes to `chosen`, or to the first."""
        wanted = chosen or (self.current.name if self.current is not None else "")
        self.facts.show(rows)
        at = self.facts.place_of(wanted)
        if rows and (at is None or self.currentIndex().row() != at):
            self.setCurrentIndex(self.facts.index(at or 0, 0))

    @property
    def current(self) -> ModelViewModel | None:
        """The model that is chosen."""
        at = self.currentIndex().row()
        return self.facts.rows[at] if 0 <= at < len(self.facts.rows) else None

    def sizeHint(self) -> QSize:
        rows = max(2, min(6, len(self.facts.rows)))
        return QSize(640, self.horizontalHeader().sizeHint().height() + rows * _ROW_HEIGHT + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self.facts.rowCount() - 1
        at = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(Qt.Key(event.key()))
        if at is not None and last >= 0:
            self.setCurrentIndex(self.facts.index(at, 0))
            event.accept()
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in _HOVERS:  # rows, not cells, are chosen
            return False
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width()
        for at, column in enumerate(COLUMNS):
            self.setColumnHidden(at, room < column.least_room)
            if at != _NAME and self.columnWidth(at) != column.width and room >= column.least_room:
                self.setColumnWidth(at, column.width)

    def _changed(self, now: QModelIndex, _: QModelIndex) -> None:
        self.chosen.emit(now.data(FACTS) if now.isValid() else None)


class _RowDelegate(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model: ModelViewModel = index.data(FACTS)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        column = COLUMNS[index.column()]
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, self._look.colour("hover"))
            if index.column() == _NAME:
                painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), self._look.colour("text"))
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), self._look.colour("line"))
        inside = area.adjusted(GAP, 6, -6, -6)
        for at, (text, tone) in enumerate(zip(column.lines(model), column.tones(model), strict=True)):
            bold = index.column() == _NAME and at == 0
            painter.setFont(ui_font(TEXT_PX if at == 0 else SMALL_PX, bold=bold))
            painter.setPen(self._look.colour(tone))
            place = QRect(inside.left(), inside.top() + at * (_LINE + 1), inside.width(), _LINE)
            cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)
        if index.column() == _MEMORY and model.tightest is not None:
            top = inside.top() + _LINE + 8
            paint_share(painter, QRectF(inside.left(), top, inside.width(), _BAR), self._look, model.tightest)
        painter.restore()
