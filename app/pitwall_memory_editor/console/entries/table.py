"""The table of entries: chosen by rows, edited in cells, lit where the agent just wrote or retrieved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from pitwall.console.kit.elements import set_property
from pitwall.console.kit.form.inputs import Combo, Line
from pitwall.console.kit.table.cells import Cells
from pitwall.console.kit.table.model import NOWHERE, ROW, Index
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.core.memories import MemoryEntry
from pitwall_memory_editor.console.entries.model import EntriesModel
from pitwall_memory_editor.console.kinds import EntryColumn, KindTable, field_of, text_of

_ROW_HEIGHT = 32

Validator = Callable[[MemoryEntry, str, str], str]
"""(entry, field, typed text) → its fault; empty for none."""


class EntriesTable(Table[MemoryEntry]):
    """Several rows are selected with Shift and Ctrl; cells are edited with F2 or a double click.

    Signals:
        picked(): other rows are selected. forget_wanted(): Delete was pressed.
    """

    picked = Signal()
    forget_wanted = Signal()

    def __init__(self, look: Look, judge: Validator) -> None:
        self.entries = EntriesModel()
        does = "Arrow keys choose an entry, F2 edits a cell, Delete forgets what is selected"
        super().__init__(look, self.entries, "Entries", does, row_height=_ROW_HEIGHT, several=True)
        self.setObjectName("entriesTable")
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setItemDelegate(_EntryCells(look, judge, self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._everything = False
        for signal in (self.entries.modelReset, self.entries.rowsInserted, self.entries.rowsRemoved):
            signal.connect(self._select_less)

    def begin(self, table: KindTable, order: str, descending: bool) -> int:
        """Turn to another query; returns its ticket."""
        ticket = self.entries.begin(table, order, descending)
        head = self.horizontalHeader()
        head.blockSignals(True)
        directions = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
        head.setSortIndicator(self.entries.order[0], directions[0 if descending else 1])
        head.blockSignals(False)
        self.fit()
        return ticket

    # ---- what is chosen

    @property
    def editing(self) -> bool:
        """Return whether a cell is being edited."""
        return self.state() == QAbstractItemView.State.EditingState

    @property
    def at_top(self) -> bool:
        """Return whether the first row is in view."""
        return self.verticalScrollBar().value() <= _ROW_HEIGHT

    @property
    def everything(self) -> bool:
        """Return whether every row is selected, including rows that were not read."""
        return self._everything

    def picked_rows(self) -> list[tuple[int, int]]:
        """Return selected rows as ranges (first, last), in order."""
        if self._everything:
            return [(0, self.entries.rowCount() - 1)]
        ranges = sorted((part.top(), part.bottom()) for part in self.selectionModel().selection().toList())
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

    def follow(self, entry_id: int) -> None:
        """Keep this entry current after the rows were read again, wherever it is now."""
        row = self.entries.place_of(entry_id)
        if row is None or row == self.currentIndex().row():
            return
        self._filling = True
        place = self.verticalScrollBar().value()
        self.setCurrentIndex(self.entries.index(row, max(0, self.currentIndex().column())))
        self.verticalScrollBar().setValue(place)
        self._filling = False

    # ---- Qt's own

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.forget_wanted.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.editing:
            self.edit(self._editable(self.currentIndex()))
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def keyboardSearch(self, _search: str) -> None:
        """Do nothing: Qt's search by letters would read every row."""

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self._everything = False
        self.viewport().update()
        self.picked.emit()

    def _editable(self, index: QModelIndex) -> QModelIndex:
        """Return this cell if it can be edited, else the first editable cell of its row."""
        if not index.isValid() or index.flags() & Qt.ItemFlag.ItemIsEditable:
            return index
        columns = self.entries.table.columns
        return next((index.siblingAtColumn(at) for at, column in enumerate(columns) if column.edits), NOWHERE)


class _EntryCells(Cells):
    """Paints the cells and edits one in place.

    The typed text belongs to the entry as it was when editing began.
    """

    def __init__(self, look: Look, judge: Validator, parent: EntriesTable) -> None:
        super().__init__(look, parent)
        self._judge, self._table = judge, parent
        self._began: tuple[MemoryEntry, str] | None = None

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        state: QStyle.StateFlag = option.state
        if state & QStyle.StateFlag.State_HasFocus and self._column(index).edits:
            area: QRect = option.rect
            painter.save()
            painter.setPen(self.look.colour("focus"))
            painter.drawRoundedRect(area.adjusted(2, 3, -3, -4), 4, 4)
            painter.restore()

    def selected(self, option: QStyleOptionViewItem) -> bool:
        return self._table.everything or super().selected(option)

    # ---- editing in place

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        entry: MemoryEntry | None = index.data(ROW)
        assert entry is not None
        column = self._column(index)
        field, name = field_of(entry.content, column.edits), f"{column.title} of the entry"
        self._began = (entry, field.key)
        text = text_of(entry.content, field.key)
        editor: QWidget
        if field.kind == "choice":
            editor = Combo(name, field.options)
            editor.choose(text)
        else:
            editor = CellEditor(name, text, lambda typed: self._judge(entry, field.key, typed))
        editor.setParent(parent)
        return editor

    def setEditorData(self, _editor: QWidget, _index: Index) -> None:
        """Do nothing: the typed text stays if the row is read again meanwhile."""

    def setModelData(self, editor: QWidget, model: object, _index: Index) -> None:
        assert isinstance(model, EntriesModel)
        if self._began is not None and isinstance(editor, CellEditor | Combo):
            entry, field = self._began
            typed = editor.text() if isinstance(editor, CellEditor) else editor.currentText()
            if typed != text_of(entry.content, field):
                model.cell_edited.emit(entry, field, typed)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        area: QRect = option.rect
        editor.setGeometry(area.adjusted(1, 1, -1, -2))

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and isinstance(editor, CellEditor) and editor.fault:
                editor.show_fault()  # stays open until it is right, or Esc gives it up
                return True
        return super().eventFilter(editor, event)

    def _column(self, index: Index) -> EntryColumn:
        return self._table.entries.table.columns[index.column()]


class CellEditor(Line):
    """A cell's editor, which reports faults while the operator types.

    Args:
        judge: returns the fault of a text; empty for none.
    """

    def __init__(self, name: str, text: str, judge: Callable[[str], str]) -> None:
        super().__init__(name, text=text)
        self.setProperty("kind", "cell")
        self._before, self._judge = text, judge
        self.fault = ""
        self.textChanged.connect(self._weigh)

    def show_fault(self) -> None:
        """Show the fault beside the cell."""
        QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self.fault, self)

    def _weigh(self, text: str) -> None:
        self.fault = self._judge(text) if text != self._before else ""
        set_property(self, "fault", "yes" if self.fault else "no")
        self.setToolTip(self.fault)
        self.setAccessibleDescription(self.fault)
