"""The table of entries: chosen by rows, edited in cells, lit where the agent just wrote or retrieved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from pitwall.console.kit.elements import set_property
from pitwall.console.kit.theme import GAP, SMALL_PX, TEXT_PX, Look, ui_font
from pitwall.console.memory.entries.field_values import field_of, text_of
from pitwall.console.memory.entries.model import ENTRY, HIGHLIGHT, NOWHERE, EntriesModel, Index
from pitwall.console.memory.kinds import Field
from pitwall.core.memories import MemoryEntry

_ROW_HEIGHT = 32
_GUTTER = 26
_SIGN = 14
_HOVERS = (QEvent.Type.HoverEnter, QEvent.Type.HoverMove, QEvent.Type.HoverLeave)
_QUIET = ("Changed", "Source", "Tried", "No.")
_LIT_GROUND = {"wrote": "ok_soft", "retrieved": "reactive_soft"}
_LIT_SIGN = {"wrote": ("mdi6.pencil", "ok"), "retrieved": ("mdi6.magnify", "reactive")}

Validator = Callable[[MemoryEntry, str, str], str]
"""(entry, field, typed text) → what is wrong with it, empty for nothing."""


class EntriesTable(QTableView):
    """Rows are chosen whole, several with Shift and Ctrl; cells are edited with F2 or a double click.

    Signals:
        chosen(entry): the current row's, or None. picked(): other rows are selected.
        sort_wanted(order, descending). forget_wanted(): Delete was pressed.
    """

    chosen = Signal(object)
    picked = Signal()
    sort_wanted = Signal(str, bool)
    forget_wanted = Signal()

    def __init__(self, look: Look, judge: Validator) -> None:
        super().__init__()
        self.entries = EntriesModel(self)
        self.setModel(self.entries)
        self.setObjectName("entriesTable")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setItemDelegate(_RowDelegate(look, judge, self))
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleDescription(
            "Arrow keys choose an entry, F2 edits a cell, Delete forgets what is selected."
        )
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.setMinimumSectionSize(44)
        header.sectionClicked.connect(self._sort)
        self.selectionModel().currentRowChanged.connect(self._changed)
        self._settling = False
        self._everything = False
        for signal in (self.entries.modelReset, self.entries.rowsInserted, self.entries.rowsRemoved):
            signal.connect(self._select_less)
        look.changed.connect(self.viewport().update)

    # ---- what is chosen

    @property
    def current(self) -> MemoryEntry | None:
        """The entry of the current row; None where there is none or it was not read."""
        index = self.currentIndex()
        return self.entries.known(index.row()) if index.isValid() else None

    @property
    def editing(self) -> bool:
        """Whether a cell is being edited."""
        return self.state() == QAbstractItemView.State.EditingState

    @property
    def at_top(self) -> bool:
        """Whether the first row is in view."""
        return self.verticalScrollBar().value() <= _ROW_HEIGHT

    @property
    def everything(self) -> bool:
        """Whether every row is selected, those that were not read too."""
        return self._everything

    def picked_rows(self) -> list[tuple[int, int]]:
        """Selected rows as ranges (first, last), in order."""
        if self._everything:
            return [(0, self.entries.rowCount() - 1)]
        ranges = sorted((one.top(), one.bottom()) for one in self.selectionModel().selection().toList())
        merged: list[tuple[int, int]] = []
        for first, last in ranges:
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        return merged

    def picked_count(self) -> int:
        return sum(last - first + 1 for first, last in self.picked_rows())

    def selectAll(self) -> None:
        """Select every row, without a selection in Qt's sense: it would ask for each cell."""
        if self.entries.rowCount():
            self.clearSelection()
            self._everything = True
            self.viewport().update()
            self.picked.emit()

    def _select_less(self) -> None:
        if self._everything:
            self._everything = False
            self.viewport().update()
            self.picked.emit()

    def choose(self, row: int) -> None:
        """Select a row and bring it into view."""
        self.setCurrentIndex(self.entries.index(row, 0))

    def follow(self, entry_id: int) -> None:
        """The rows were read anew: keep this entry the current one, wherever it stands now."""
        row = self.entries.row_of(entry_id)
        if row is None or row == self.currentIndex().row():
            return
        self._settling = True
        place = self.verticalScrollBar().value()
        self.setCurrentIndex(self.entries.index(row, max(0, self.currentIndex().column())))
        self.verticalScrollBar().setValue(place)
        self._settling = False

    def fit(self) -> None:
        """Give each column its width; leave out what has no room."""
        room = self.viewport().width()
        header = self.horizontalHeader()
        for at, column in enumerate(self.entries.table.columns):
            header.setSectionResizeMode(
                at, QHeaderView.ResizeMode.Stretch if column.stretch else QHeaderView.ResizeMode.Interactive
            )
            self.setColumnHidden(at, room < column.least_room)
            if not column.stretch:
                narrow = column.width > 130 and room < 900
                self.setColumnWidth(at, (round(column.width * 0.86) if narrow else column.width) + _extra(at))

    # ---- Qt's own

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self.entries.rowCount() - 1
        at = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(Qt.Key(event.key()))
        if at is not None and last >= 0:
            self.choose(at)
        elif event.key() == Qt.Key.Key_Delete:
            self.forget_wanted.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.editing:
            self.edit(self._editable(self.currentIndex()))
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def keyboardSearch(self, _search: str) -> None:
        """Letters search nothing here: that would read every row."""

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self._everything = False
        self.viewport().update()
        self.picked.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in _HOVERS:  # rows, not cells, are chosen
            return False
        return super().viewportEvent(event)

    # ---- inside

    def _editable(self, index: QModelIndex) -> QModelIndex:
        """A cell of the row that can be edited: this one, or the first."""
        if not index.isValid() or index.flags() & Qt.ItemFlag.ItemIsEditable:
            return index
        columns = self.entries.table.columns
        return next((index.siblingAtColumn(at) for at, column in enumerate(columns) if column.field), NOWHERE)

    def _changed(self, now: QModelIndex, _: QModelIndex) -> None:
        if not self._settling:
            self.chosen.emit(self.entries.known(now.row()) if now.isValid() else None)

    def _sort(self, at: int) -> None:
        column = self.entries.table.columns[at]
        if column.order:
            again = column.order == self.entries.order
            self.sort_wanted.emit(column.order, not self.entries.descending if again else column.number)


def _extra(at: int) -> int:
    return _GUTTER if at == 0 else 0


class _RowDelegate(QStyledItemDelegate):
    def __init__(self, look: Look, judge: Validator, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._judge = judge
        self._fonts = {quiet: ui_font(SMALL_PX if quiet else TEXT_PX) for quiet in (False, True)}
        self._signs: dict[str, QIcon] = {}
        look.changed.connect(self._signs.clear)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: MemoryEntry | None = index.data(ENTRY)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        look = self._look
        model = index.model()
        assert isinstance(model, EntriesModel)
        column = model.table.columns[index.column()]
        first = _is_first(index)
        painter.save()
        lit = index.data(HIGHLIGHT)
        if lit:
            painter.fillRect(area, look.colour(_LIT_GROUND[lit]))
        table = self.parent()
        if state & QStyle.StateFlag.State_Selected or (isinstance(table, EntriesTable) and table.everything):
            if not lit:
                painter.fillRect(area, look.colour("hover"))
            if first:
                painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), look.colour("text"))
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), look.colour("line"))
        inside = area.adjusted(_GUTTER if first else GAP, 0, -GAP, 0)
        if first and entry is not None:
            self._paint_sign(painter, area, entry, lit)
        quiet = column.title in _QUIET
        painter.setFont(self._fonts[quiet])
        tone = "faint" if entry is None or entry.forgotten else "dim" if quiet else "text"
        painter.setPen(look.colour(tone))
        text = str(index.data() or "")
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inside.width())
        side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
        painter.drawText(inside, side | Qt.AlignmentFlag.AlignVCenter, shown)
        if state & QStyle.StateFlag.State_HasFocus and column.field:
            painter.setPen(look.colour("focus"))
            painter.drawRoundedRect(area.adjusted(2, 3, -3, -4), 4, 4)
        painter.restore()

    def _paint_sign(self, painter: QPainter, area: QRect, entry: MemoryEntry, lit: str | None) -> None:
        name, tone = ("", "")
        if lit:
            name, tone = _LIT_SIGN[lit]
        elif entry.pinned:
            name, tone = "mdi6.pin", "text"
        elif entry.forgotten:
            name, tone = "mdi6.eye-off-outline", "faint"
        if name:
            place = QRect(area.left() + 8, area.top() + (area.height() - _SIGN) // 2 - 1, _SIGN, _SIGN)
            if name not in self._signs:
                self._signs[name] = self._look.icon(name, tone)
            self._signs[name].paint(painter, place)

    # ---- editing in place

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        model = index.model()
        entry: MemoryEntry | None = index.data(ENTRY)
        assert isinstance(model, EntriesModel)
        assert entry is not None
        column = model.table.columns[index.column()]
        field = field_of(entry.content, column.field)
        if field.edit == "choice":
            return ChoiceEditor(parent, column.title, entry, field)
        return CellEditor(
            parent, column.title, entry, field, lambda text: self._judge(entry, column.field, text)
        )

    def setEditorData(self, editor: QWidget, _index: Index) -> None:
        if isinstance(editor, CellEditor | ChoiceEditor) and not editor.began:
            editor.begin()

    def setModelData(self, editor: QWidget, model: object, _index: Index) -> None:
        assert isinstance(model, EntriesModel)
        if isinstance(editor, CellEditor | ChoiceEditor) and editor.changed:
            model.cell_edited.emit(editor.entry, editor.field.name, editor.typed)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        area: QRect = option.rect
        editor.setGeometry(area.adjusted(1, 1, -1, -2))

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and isinstance(editor, CellEditor) and editor.fault:
                editor.tell()  # stays open until it is right, or Esc gives it up
                return True
        return super().eventFilter(editor, event)


def _is_first(index: Index) -> bool:
    return index.column() == 0


class CellEditor(QLineEdit):
    """A cell's editor: says at once what is wrong with what is typed.

    Args:
        entry: as it was when the edit began; it is saved on this version.
        judge: what is wrong with a text; empty for nothing.
    """

    def __init__(
        self, parent: QWidget, title: str, entry: MemoryEntry, field: Field, judge: Callable[[str], str]
    ) -> None:
        super().__init__(parent)
        self.setProperty("kind", "cell")
        self.setAccessibleName(f"{title} of the entry")
        self.entry, self.field = entry, field
        self._judge = judge
        self._before: str | None = None
        self.fault = ""
        self.textChanged.connect(self._weigh)

    @property
    def began(self) -> bool:
        return self._before is not None

    @property
    def changed(self) -> bool:
        """Whether something else was typed than stood there."""
        return self.text() != self._before

    @property
    def typed(self) -> str:
        return self.text()

    def begin(self) -> None:
        """Start with what stands there."""
        self._before = text_of(self.entry.content, self.field)
        self.setText(self._before)
        self.selectAll()

    def tell(self) -> None:
        """Say what is wrong, beside the cell."""
        QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self.fault, self)

    def _weigh(self, text: str) -> None:
        self.fault = self._judge(text) if self.changed else ""
        set_property(self, "fault", "yes" if self.fault else "no")
        self.setToolTip(self.fault)
        self.setAccessibleDescription(self.fault)


class ChoiceEditor(QComboBox):
    """A cell's editor where it takes one of a few words."""

    def __init__(self, parent: QWidget, title: str, entry: MemoryEntry, field: Field) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"{title} of the entry")
        self.addItems(field.choices)
        self.entry, self.field = entry, field
        self.began = False

    @property
    def changed(self) -> bool:
        return self.typed != text_of(self.entry.content, self.field)

    @property
    def typed(self) -> str:
        return self.currentText()

    def begin(self) -> None:
        self.began = True
        self.setCurrentText(text_of(self.entry.content, self.field))
