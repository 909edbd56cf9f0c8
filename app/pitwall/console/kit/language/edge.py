"""The edge between the console and Qt: where another language is chosen, texts are exchanged at it.

Every text that a widget shows goes to Qt by one of the methods below. They are laid over Qt's own, so that
no page needs to know of languages, and in English nothing is laid over anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator
from PySide6.QtGui import QAction, QFontMetrics, QFontMetricsF, QPainter, QStandardItem
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListWidgetItem,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QTableWidgetItem,
    QTabWidget,
    QWidget,
)

from pitwall.console.kit.language.catalogue import Catalogue, load_catalogue, use

_CROSSINGS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (QWidget, ("setToolTip", "setAccessibleName", "setAccessibleDescription", "setWindowTitle", "addAction")),
    (QLabel, ("__init__", "setText")),
    (QAbstractButton, ("setText",)),
    (QPushButton, ("__init__",)),
    (QCheckBox, ("__init__",)),
    (QRadioButton, ("__init__",)),
    (QGroupBox, ("__init__", "setTitle")),
    (QLineEdit, ("setPlaceholderText",)),
    (QPlainTextEdit, ("setPlaceholderText",)),
    (QComboBox, ("addItem", "insertItem", "setItemText", "setPlaceholderText")),
    (QTabWidget, ("addTab", "insertTab", "setTabText", "setTabToolTip")),
    (QMenu, ("__init__", "addAction", "addMenu", "addSection", "setTitle")),
    (QAction, ("__init__", "setText", "setToolTip")),
    (QSpinBox, ("setSpecialValueText", "setSuffix", "setPrefix")),
    (QDoubleSpinBox, ("setSpecialValueText", "setSuffix", "setPrefix")),
    (QListWidgetItem, ("__init__", "setText", "setToolTip")),
    (QTableWidgetItem, ("__init__", "setText", "setToolTip")),
    (QStandardItem, ("__init__", "setText", "setToolTip")),
    (QPainter, ("drawText",)),
    (QFontMetrics, ("elidedText", "horizontalAdvance", "boundingRect", "size")),
    (QFontMetricsF, ("elidedText", "horizontalAdvance", "boundingRect", "size")),
)
"""Classes and their methods whose first text is read by a person (a combo box's data comes after it)."""
ENGLISH = "en"


class Edge:
    """Translates every text that Qt's widgets show, until `lift`."""

    def __init__(self, name: str) -> None:
        self.catalogue: Catalogue = load_catalogue(name)
        self._before: list[tuple[type, str, Any]] = []
        self._qt = QTranslator()
        if self._qt.load(f"qtbase_{name}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            QCoreApplication.installTranslator(self._qt)
        use(self.catalogue)
        for kind, methods in _CROSSINGS:
            for method in methods:
                original = getattr(kind, method)
                self._before.append((kind, method, original))
                setattr(kind, method, _exchanging(original, self.catalogue.translated))

    def lift(self) -> None:
        """Leave Qt as it was."""
        use(None)
        QCoreApplication.removeTranslator(self._qt)
        for kind, method, original in reversed(self._before):
            setattr(kind, method, original)
        self._before.clear()


def speak(name: str) -> Edge | None:
    """Translate the console into a language; None for English.

    Raises:
        DamagedFile: its catalogue is missing or damaged.
    """
    return None if name == ENGLISH else Edge(name)


def _exchanging(original: Any, translated: Callable[[str], str]) -> Any:
    def crossing(self: Any, *values: Any, **named: Any) -> Any:
        for at, value in enumerate(values):
            if isinstance(value, str):
                return original(self, *values[:at], translated(value), *values[at + 1 :], **named)
        if isinstance(named.get("text"), str):
            named["text"] = translated(named["text"])
        return original(self, *values, **named)

    return crossing
