"""Finds texts of a window that are cut: a widget is narrower, or lower, than its text needs.

A text that is cut on purpose ends with "…" and stands whole in its tooltip; such widgets are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QWidget,
)

from pitwall.console.kit.controls import LineButton
from pitwall.console.kit.elements import Label

_SLACK = 2


def cut_texts(root: QWidget) -> Iterator[str]:
    """Yield each visible text that is cut, with the kind of its widget, what it needs and what it has."""
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and not widget.visibleRegion().isEmpty():
            text, needed, room = _measured(widget)
            if text and needed > room + _SLACK and text not in _plain(widget.toolTip()):
                yield f"{type(widget).__name__} {text!r}: {needed} px needed, {room} px wide"


def _measured(widget: QWidget) -> tuple[str, int, int]:
    """Return a widget's text, the pixels that it needs, and those it has; an empty text: not compared."""
    match widget:
        case LineButton():
            return "", 0, 0
        case QCheckBox() | QRadioButton() | QPushButton() | QToolButton():
            assert isinstance(widget, QAbstractButton)
            icon = widget.iconSize().width() + 4 if not widget.icon().isNull() else 0
            return widget.text(), _advance(widget, widget.text()) + icon, widget.width()
        case QComboBox():
            return widget.currentText(), _combo_width(widget), widget.width()
        case QLineEdit():
            text = widget.text() or widget.placeholderText()
            margins = widget.textMargins()
            inside = widget.contentsRect().width() - margins.left() - margins.right() - 4
            return ("", 0, 0) if widget.text() else (text, _advance(widget, text), inside)
        case QLabel() if widget.wordWrap():
            needed = widget.heightForWidth(widget.width())
            return widget.text(), needed, widget.height()
        case Label() if widget.property("kind") not in ("chip", "key"):
            return "", 0, 0
        case QLabel():
            return widget.text(), widget.sizeHint().width(), widget.width()
    return "", 0, 0


def _combo_width(box: QComboBox) -> int:
    """Return the width at which the current text of a list is whole."""
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    text = QSize(_advance(box, box.currentText()), box.fontMetrics().height())
    return box.style().sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, text, box).width()


def _advance(widget: QWidget, text: str) -> int:
    return widget.fontMetrics().horizontalAdvance(text)


def _plain(tip: str) -> str:
    return tip.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
