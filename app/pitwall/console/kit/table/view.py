"""The table's view: whole rows, arrow keys, heads that sort, copying and saving as CSV, an empty state."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QHeaderView, QTableView, QToolTip

from pitwall.console.kit.elements import EmptyState, column
from pitwall.console.kit.language.catalogue import exchanged, spoken
from pitwall.console.kit.row_drawing import font_of
from pitwall.console.kit.table.cells import Cells
from pitwall.console.kit.table.model import NOWHERE, Column, Row, TableModel
from pitwall.console.kit.theme import SMALL_PX, Look

_MEASURED_ROWS = 80
_WIDEST_PX = 340
_PADDING_PX = 24
_HOVERS = (QEvent.Type.HoverEnter, QEvent.Type.HoverMove, QEvent.Type.HoverLeave)


class Table(QTableView, Generic[Row]):
    """Shows a `TableModel`; whole rows are chosen, and the choice survives when rows are replaced.

    Args:
        name, does: what a screen reader says. row_height: pixels.
        several: several rows can be selected, with Shift and Ctrl.
        sortable: a click on a head sorts by it, a second reverses the order, a third removes it.
        first: choose the first row where none is chosen.

    Signals:
        chosen(row): another row became current, or the current one changed; None: no row.
        opened(row): Enter or a double click.
    """

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(
        self,
        look: Look,
        model: TableModel[Row],
        name: str,
        does: str = "",
        *,
        row_height: int = 28,
        several: bool = False,
        sortable: bool = True,
        first: bool = False,
    ) -> None:
        super().__init__()
        self.look, self.rows = look, model
        self._first, self._filling = first, False
        self._fitted: list[str] = []
        self._empty: EmptyState | None = None
        model.setParent(self)
        self.setModel(model)
        self.setItemDelegate(Cells(look, self))
        self.setAccessibleName(name)
        self.setAccessibleDescription(". ".join(filter(None, (does, "Ctrl+C copies rows as CSV"))))
        self._set_rows(row_height, several)
        self._set_head(sortable)
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.activated.connect(self._activate)
        look.changed.connect(self.viewport().update)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for title, do in (("Copy as CSV\tCtrl+C", self.copy), ("Save as CSV…", self.save)):
            action = QAction(title, self)
            action.triggered.connect(do)
            self.addAction(action)

    def _set_rows(self, row_height: int, several: bool) -> None:
        modes = QAbstractItemView.SelectionMode
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(modes.ExtendedSelection if several else modes.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        head = self.verticalHeader()
        head.hide()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setDefaultSectionSize(row_height)

    def _set_head(self, sortable: bool) -> None:
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(36)
        head.setTextElideMode(Qt.TextElideMode.ElideRight)
        head.setSectionsClickable(sortable)
        if sortable:
            head.setSortIndicatorClearable(True)
            head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            self.setSortingEnabled(True)
            head.setSortIndicatorShown(False)  # the title of the column shows the arrow

    # ---- what is shown

    @property
    def current(self) -> Row | None:
        """Return the current row."""
        return self.rows.row_at(self.currentIndex().row())

    def show_rows(
        self,
        rows: Sequence[Row],
        columns: Sequence[Column[Row]] | None = None,
        *,
        chosen: Hashable | None = None,
    ) -> None:
        """Replace the rows; selection and scroll position stay.

        Args:
            chosen: key of the row to choose in place of the current one.
        """
        with self.filling(chosen):
            self.rows.show(rows, columns)
            if self.rows.order[0] < 0:
                self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.fit()

    @contextmanager
    def filling(self, wanted: Hashable | None = None) -> Iterator[None]:
        """Keep the chosen row, by its key, while the rows change inside the block."""
        before = self.current
        keys = {self.rows.key(row) for row in self.selected_rows()}
        if wanted is None and before is not None:
            wanted = self.rows.key(before)
        place = self.verticalScrollBar().value()
        self._filling = True
        yield
        at = self.rows.place_of(wanted) if wanted is not None else None
        if at is None and self._first and self.rows.rowCount() and not self.currentIndex().isValid():
            at = 0
        if at is not None and at != self.currentIndex().row():
            self.setCurrentIndex(self.rows.index(at, 0))
        if len(keys) > 1:
            self._select(keys)
        self.verticalScrollBar().setValue(place)
        self._filling = False
        self._show_empty()
        if self.current != before:
            self.chosen.emit(self.current)

    def selected_places(self) -> list[int]:
        """Return the rows that are selected, in order."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def selected_rows(self) -> list[Row]:
        """Return the records of the selected rows that were read."""
        rows = (self.rows.row_at(at) for at in self.selected_places())
        return [row for row in rows if row is not None]

    def choose(self, key: Hashable) -> bool:
        """Choose a row by its key and bring it into view; False where it is not shown."""
        at = self.rows.place_of(key)
        if at is not None:
            self.choose_row(at)
        return at is not None

    def choose_row(self, at: int) -> None:
        """Choose the row at a place and bring it into view."""
        self.setCurrentIndex(self.rows.index(at, 0))

    def set_empty(self, empty: EmptyState) -> None:
        """Set the message that the table shows while it has no row."""
        self._empty = empty
        self.viewport().setLayout(column(empty))
        self._show_empty()

    # ---- copying

    def copy(self) -> int:
        """Put the selected rows, or all, on the clipboard as CSV; returns how many they are."""
        places = self._copied_places()
        QGuiApplication.clipboard().setText(self.rows.as_csv(places))
        return len(places)

    def save(self) -> None:
        """Ask for a file and write the rows into it that Copy would copy."""
        name = f"{self.accessibleName().lower()}.csv"
        file, _ = QFileDialog.getSaveFileName(self, "Save as CSV", name, "CSV (*.csv)")
        if not file:
            return
        try:
            Path(file).write_text(self.rows.as_csv(self._copied_places()), encoding="utf-8")
        except OSError as error:
            place = self.mapToGlobal(self.rect().center())
            QToolTip.showText(place, f"The file could not be written: {error.strerror}", self)

    def _copied_places(self) -> list[int]:
        several = self.selectionMode() is QAbstractItemView.SelectionMode.ExtendedSelection
        return (self.selected_places() if several else []) or list(range(self.rows.rowCount()))

    # ---- widths

    def fit(self) -> None:
        """Set the column widths: hide columns without room and share the remaining width."""
        columns, room = self.rows.columns, self.viewport().width()
        titles = [spec.title for spec in columns]
        shown = [at for at, spec in enumerate(columns) if room >= spec.least_room]
        for at, spec in enumerate(columns):
            comes = at in shown and (titles != self._fitted or self.isColumnHidden(at))
            self.setColumnHidden(at, at not in shown)
            if comes:
                self.setColumnWidth(at, self._usual_width(at, spec))
        if self.rows.rowCount():
            self._fitted = titles  # from now on the operator may change widths
        shares = sum(columns[at].stretch for at in shown)
        used = sum(self.columnWidth(at) for at in shown if not columns[at].stretch)
        for at in shown:
            if columns[at].stretch:
                least = columns[at].width or 70
                self.setColumnWidth(at, max(least, (room - used) * columns[at].stretch // shares))

    def _usual_width(self, at: int, column: Column[Row]) -> int:
        """Return the declared width; the widest cell's where none is declared, or in another language."""
        if column.width and not exchanged():
            return column.width
        return max(column.width, self._widest(at, column))

    def _widest(self, at: int, column: Column[Row]) -> int:
        head = QFontMetrics(font_of(SMALL_PX, False)).horizontalAdvance(f"{spoken(column.title)} ↓")
        metrics = QFontMetrics(font_of(column.px, column.bold is not False))
        rows = range(min(_MEASURED_ROWS, self.rows.rowCount()))
        texts = (str(self.rows.index(row, at).data() or "") for row in rows)
        widest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
        return min(_WIDEST_PX, max(head, widest) + _PADDING_PX)

    # ---- Qt's own

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self.rows.rowCount() - 1
        at = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(Qt.Key(event.key()))
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif at is not None and last >= 0:
            self.choose_row(at)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in _HOVERS:  # whole rows are chosen, not cells
            return False
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    # ---- inside

    def _current_changed(self, now: QModelIndex, _: QModelIndex) -> None:
        if not self._filling:
            self.chosen.emit(self.rows.row_at(now.row()) if now.isValid() else None)

    def _activate(self, index: QModelIndex) -> None:
        row = self.rows.row_at(index.row())
        if row is not None:
            self.opened.emit(row)

    def _select(self, keys: set[Hashable]) -> None:
        selection = QItemSelection()
        for key in keys:
            at = self.rows.place_of(key)
            if at is not None:
                selection.select(self.rows.index(at, 0), self.rows.index(at, self.rows.columnCount() - 1))
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().select(selection, flags)

    def _show_empty(self) -> None:
        if self._empty is not None:
            self._empty.setVisible(not self.rows.rowCount(NOWHERE))
