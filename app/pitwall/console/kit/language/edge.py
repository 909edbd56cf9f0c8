"""The edge between the console and Qt: texts are exchanged at it for another language or a player's words.

Every text that a widget shows goes to Qt by one of the methods below. They are laid over Qt's own, so that
no page needs to know of languages.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QAction, QFontMetrics, QFontMetricsF, QPainter, QStandardItem
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
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
    QToolTip,
    QWidget,
)

from pitwall.console.kit.language.catalogue import ENGLISH, catalogue_for, spoken, use
from pitwall.core.errors import DamagedFile

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
    (QToolTip, ("showText",)),
    (QFileDialog, ("getOpenFileName", "getSaveFileName", "getExistingDirectory")),
    (QFontMetrics, ("elidedText", "horizontalAdvance", "boundingRect", "size")),
    (QFontMetricsF, ("elidedText", "horizontalAdvance", "boundingRect", "size")),
)
"""Classes and their methods whose first text is read by a person (a combo box's data comes after it)."""


class Edge:
    """Translates every text that Qt's widgets show, until `lift`; English in the papers' words at first."""

    def __init__(self) -> None:
        self._before: list[tuple[type, str, Any]] = []
        self._qt, self._locale = QTranslator(), QLocale()
        for kind, methods in _CROSSINGS:
            for method in methods:
                original = getattr(kind, method)
                self._before.append((kind, method, original))
                setattr(kind, method, _exchanging(original))

    def speak(self, language: str, *, advanced: bool) -> None:
        """Translate into another language, in a player's words or in the papers'.

        Raises:
            DamagedFile: a catalogue is missing or damaged.
        """
        use(catalogue_for(language, advanced=advanced))
        QCoreApplication.removeTranslator(self._qt)
        locale = QLocale(self._locale if language == ENGLISH else language)
        locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
        QLocale.setDefault(locale)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if language != ENGLISH and self._qt.load(f"qtbase_{language}", folder):
            QCoreApplication.installTranslator(self._qt)

    def lift(self) -> None:
        """Leave Qt as it was."""
        use(None)
        QCoreApplication.removeTranslator(self._qt)
        QLocale.setDefault(self._locale)
        for kind, method, original in reversed(self._before):
            setattr(kind, method, original)
        self._before.clear()


def speak(language: str, *, advanced: bool = False) -> Edge:
    """Lay an edge that translates into a language; see `Edge.speak`."""
    edge = Edge()
    try:
        edge.speak(language, advanced=advanced)
    except DamagedFile:
        edge.lift()
        raise
    return edge


def _exchanging(original: Any) -> Any:
    def crossing(self: Any, *values: Any, **named: Any) -> Any:
        for at, value in enumerate(values):
            if isinstance(value, str):
                return original(self, *values[:at], spoken(value), *values[at + 1 :], **named)
        if isinstance(named.get("text"), str):
            named["text"] = spoken(named["text"])
        return original(self, *values, **named)

    return crossing
