"""Sets up tables that are not yet tables of `kit.table`: rows are chosen whole."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
ROW = Qt.ItemDataRole.UserRole
"""The record behind a row."""


def whole_rows(
    table: QTableView,
    row_height: int,
    chosen: QAbstractItemView.SelectionMode = QAbstractItemView.SelectionMode.SingleSelection,
) -> None:
    """Rows of one height, chosen whole; Tab leaves the table.

    Args:
        row_height: pixels. chosen: how many at once.
    """
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(chosen)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    rows = table.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(row_height)
    table.horizontalHeader().setHighlightSections(False)
