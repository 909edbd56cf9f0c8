"""A change of language, or of the player's words to the papers', in a window that stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QTableWidget,
    QTabWidget,
    QWidget,
)

from pitwall.console.kit.language.catalogue import code_text, spoken
from pitwall.console.kit.language.edge import speak
from pitwall.core.settings import Settings

_TEXTS: tuple[tuple[type, tuple[tuple[str, str], ...]], ...] = (
    (
        QWidget,
        (
            ("toolTip", "setToolTip"),
            ("accessibleName", "setAccessibleName"),
            ("accessibleDescription", "setAccessibleDescription"),
            ("windowTitle", "setWindowTitle"),
        ),
    ),
    (QLabel, (("text", "setText"),)),
    (QAbstractButton, (("text", "setText"),)),
    (QGroupBox, (("title", "setTitle"),)),
    (QLineEdit, (("placeholderText", "setPlaceholderText"),)),
    (QPlainTextEdit, (("placeholderText", "setPlaceholderText"),)),
    (QMenu, (("title", "setTitle"),)),
    (QAction, (("text", "setText"), ("toolTip", "setToolTip"))),
    *(
        (
            box,
            (
                ("specialValueText", "setSpecialValueText"),
                ("prefix", "setPrefix"),
                ("suffix", "setSuffix"),
            ),
        )
        for box in (QSpinBox, QDoubleSpinBox)
    ),
)
"""Classes with the reader and the writer of each text that they show."""

_TIP = Qt.ItemDataRole.ToolTipRole


@runtime_checkable
class Translated(Protocol):
    """A widget that works its text out of another (cut, in capitals)."""

    def renew_texts(self) -> None:
        """Write the texts again, in the language in use."""


class Language:
    """The language of the windows, as the settings have it; `end` leaves Qt as it was.

    Raises:
        DamagedFile: a catalogue is missing or damaged.
    """

    def __init__(self, settings: Settings) -> None:
        self._chosen = _choice(settings)
        self._edge = speak(self._chosen[0], advanced=self._chosen[1])

    def follow(self, settings: Settings) -> None:
        """Exchange the texts of every window where the settings name another language or other words."""
        chosen = _choice(settings)
        if chosen == self._chosen:
            return
        self._edge.speak(chosen[0], advanced=chosen[1])
        self._chosen = chosen
        for widget in QApplication.allWidgets():
            _renew(widget)

    def end(self) -> None:
        """Leave Qt as it was."""
        self._edge.lift()


def _choice(settings: Settings) -> tuple[str, bool]:
    return settings.console.language, settings.console.advanced


def _renew(widget: QWidget) -> None:
    _renew_own(widget)
    for action in widget.actions():
        _renew_own(action)
    if isinstance(widget, QComboBox):
        _renew_parts(widget.count(), widget.itemText, widget.setItemText)
        for at in range(widget.count()):
            _exchange(widget.itemData(at, _TIP) or "", partial(_set_tip, widget, at))
        QApplication.sendEvent(widget, QEvent(QEvent.Type.FontChange))  # Qt measures the options anew
        widget.updateGeometry()
    elif isinstance(widget, QTabWidget):
        _renew_parts(widget.count(), widget.tabText, widget.setTabText)
        _renew_parts(widget.count(), widget.tabToolTip, widget.setTabToolTip)
    elif isinstance(widget, QListWidget):
        for at in range(widget.count()):
            _renew_own_item(widget.item(at))
    elif isinstance(widget, QTableWidget):
        for at in range(widget.rowCount() * widget.columnCount()):
            _renew_own_item(widget.item(*divmod(at, widget.columnCount())))
        for at in range(widget.columnCount()):
            _renew_own_item(widget.horizontalHeaderItem(at))
    if isinstance(widget, Translated):
        widget.renew_texts()
    if isinstance(widget, QAbstractItemView):
        widget.viewport().update()
    widget.update()


def _set_tip(combo: QComboBox, at: int, text: str) -> None:
    combo.setItemData(at, spoken(text), _TIP)


def _renew_own(thing: QWidget | QAction) -> None:
    if isinstance(thing, QAbstractSpinBox):
        thing.setLocale(QLocale())
    if isinstance(thing, QSpinBox | QDoubleSpinBox):
        thing.setSuffix(thing.suffix())  # Qt writes a whole number's marks anew only now
    for kind, texts in _TEXTS:
        if isinstance(thing, kind):
            for reader, writer in texts:
                _exchange(getattr(thing, reader)(), getattr(thing, writer))


def _renew_own_item(item: Any) -> None:
    if item is not None:
        _exchange(item.text(), item.setText)
        _exchange(item.toolTip(), item.setToolTip)


def _renew_parts(count: int, read: Callable[[int], str], write: Callable[[int, str], object]) -> None:
    for at in range(count):
        _exchange(read(at), partial(write, at))


def _exchange(shown: str, write: Callable[[str], object]) -> None:
    """Write a text again where the language in use has other words for it."""
    text = code_text(shown)
    if shown and spoken(text) != shown:
        write(text)
