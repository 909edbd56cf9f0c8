"""Gathers every text of a window that a person can read: shown, as a tool tip, or read aloud."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QToolButton,
    QWidget,
)

from pitwall.console.kit.elements import Label

_MOST_ROWS = 60
_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)


def shown_texts(window: QWidget) -> set[str]:
    """Return the texts of a window's visible parts, its menus and its lists."""
    texts: set[str] = set()
    for part in (window, *window.findChildren(QWidget)):
        if part.isVisible():
            texts.update(_texts_of(part))
    for action in window.findChildren(QAction):
        if action.associatedObjects():  # an action of a chart's scene is in no menu
            texts.update((action.text(), action.toolTip()))
    return {text.strip() for text in texts if text.strip()}


def _texts_of(part: QWidget) -> Iterator[str]:
    yield from (part.toolTip(), part.accessibleName(), part.accessibleDescription())
    if isinstance(part, Label):
        yield part.full_text()
    elif isinstance(part, QLabel | QAbstractButton):
        yield part.text()
    elif isinstance(part, QLineEdit | QPlainTextEdit):
        yield part.placeholderText()
    elif isinstance(part, QComboBox):
        for at in range(part.count()):
            yield part.itemText(at)
            yield str(part.itemData(at, Qt.ItemDataRole.ToolTipRole) or "")
    elif isinstance(part, QTabBar):
        yield from (part.tabText(at) for at in range(part.count()))
    elif isinstance(part, QAbstractItemView):
        yield from _cells(part)
    menu = part.menu() if isinstance(part, QToolButton) else None
    if isinstance(menu, QMenu):
        menu.aboutToShow.emit()
        for action in menu.actions():
            yield from (action.text(), action.toolTip())


def _cells(view: QAbstractItemView) -> Iterator[str]:
    model = cast("QAbstractItemModel | None", view.model())
    if model is None:
        return
    across = Qt.Orientation.Horizontal
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    for column in range(columns):
        for role in _ROLES:
            yield str(model.headerData(column, across, role) or "")
        for row in range(min(_MOST_ROWS, model.rowCount())):
            for role in _ROLES:
                yield str(model.index(row, column).data(role) or "")
