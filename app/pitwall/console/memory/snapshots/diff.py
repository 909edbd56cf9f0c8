"""What differs between two snapshots, as a table; the chosen row's fields before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QScrollArea, QSplitter, QTableView, QWidget

from pitwall.console.kit.elements import Label, clear_layout, column
from pitwall.console.kit.theme import GAP, SMALL_PX, WIDE, Look, ui_font
from pitwall.console.memory.entries.history import DifferenceTable
from pitwall.console.memory.entries.model import NOWHERE, Index
from pitwall.console.memory.format import SHORT, cut, differences, kind_of, title_of
from pitwall.memory.reader import DiffRow

_SIGNS = {"added": "+ added", "removed": "− removed", "changed": "~ changed"}
_TONES = {"added": "ok", "removed": "stop", "changed": "text"}
_COLUMNS = ("Change", "Kind", "Entry", "What")
_WIDTHS = (96, 84, 0, 240)
_ENTRY = 2
_ROW_HEIGHT = 30


class _DiffModel(QAbstractTableModel):
    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.rows: list[DiffRow] = []

    def show(self, rows: Sequence[DiffRow]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return _cell(row, index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            if index.column() == 0:
                return self._look.colour(_TONES[row.change])
            return self._look.colour("dim" if index.column() != _ENTRY else "text")
        return None


class DiffTable(QWidget):
    """Rows of a diff, and the chosen one in full."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.model = _DiffModel(look, self)
        self.view = QTableView()
        self.view.setModel(self.model)
        self.view.setAccessibleName("What differs")
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setShowGrid(False)
        self.view.setTabKeyNavigation(False)
        self.view.setWordWrap(False)
        self.view.setFont(ui_font(SMALL_PX))
        self.view.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.view.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        self.view.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover, False)
        header = self.view.horizontalHeader()
        header.setHighlightSections(False)
        for at, width in enumerate(_WIDTHS):
            if width:
                self.view.setColumnWidth(at, width)
        header.setSectionResizeMode(_ENTRY, QHeaderView.ResizeMode.Stretch)
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        look.changed.connect(self.view.viewport().update)
        self._detail = column(gap=GAP)
        self._detail.setContentsMargins(WIDE, GAP, WIDE, GAP)
        holder = QWidget()
        holder.setLayout(self._detail)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(holder)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName("The chosen difference")
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self.view)
        splitter.addWidget(scroll)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([360, 160])
        splitter.setChildrenCollapsible(False)
        self.setLayout(column(splitter, gap=0))

    def show_rows(self, rows: Sequence[DiffRow]) -> None:
        """Show these; the first is chosen."""
        self.model.show(rows)
        clear_layout(self._detail)
        if rows:
            self.view.setCurrentIndex(self.model.index(0, 0))

    def _choose(self, now: QModelIndex, _: QModelIndex) -> None:
        clear_layout(self._detail)
        if not now.isValid():
            return
        row = self.model.rows[now.row()]
        before = row.before.content if row.before is not None else None
        after = row.after.content if row.after is not None else None
        self._detail.addWidget(Label(f"{_cell(row, 1)} {row.entry_id} {row.change}", "strong", wrap=True))
        self._detail.addWidget(DifferenceTable(differences(before, after)))
        self._detail.addStretch(1)


def _cell(row: DiffRow, at: int) -> str:
    entry = row.after if row.after is not None else row.before
    if at == 0:
        return _SIGNS[row.change]
    if entry is None:
        return ""
    if at == 1:
        return SHORT[kind_of(entry.content)]
    if at == _ENTRY:
        return cut(title_of(entry.content), 200)
    if row.before is None or row.after is None:
        return ""
    found = [one.title.lower() for one in differences(row.before.content, row.after.content)]
    if row.before.pinned != row.after.pinned:
        found.append("pinned" if row.after.pinned else "unpinned")
    return ", ".join(found) or "where it came from"
