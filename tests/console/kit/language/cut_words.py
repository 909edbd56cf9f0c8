"""Finds words that have less room on the screen than they need."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QPushButton, QWidget

from pitwall.console.kit.elements import Label


def cut_words(part: QWidget) -> list[str]:
    """Words of buttons and of labels in one line that have less room than they need."""
    cut = []
    for button in part.findChildren(QPushButton):
        if button.isVisible() and button.text() and button.width() < button.minimumSizeHint().width() - 1:
            cut.append(button.text())
    for label in part.findChildren(Label):
        if not label.isVisible() or label.property("kind") not in ("section", "heading", "chip", "key"):
            continue
        if label.width() < QFontMetrics(label.font()).horizontalAdvance(label.full_text()) - 1:
            cut.append(label.full_text())
    return cut
