"""A real console as a program that says where its parts stand, for a person outside who clicks them.

Run as a program: `python walked_console.py ARGUMENTS OF pitwall console`. Each line of its input is answered
by one line of JSON. Nothing is pressed from here.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QWidget,
)
from tests.console.cut_texts import cut_texts

from pitwall.__main__ import main
from pitwall.console.kit.language import catalogue
from pitwall.console.kit.screen_places import point_to_pixels, screen_places
from pitwall.console.shell.window import MainWindow

Place = tuple[int, int]


class Guide(QObject):
    """Answers each line of the input on Qt's own thread."""

    asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.asked.connect(self.answer, Qt.ConnectionType.QueuedConnection)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            self.asked.emit(line)

    def answer(self, line: str) -> None:
        """Answer {"names": beginnings of the names that are looked for, "closely": with cut texts}."""
        question = json.loads(line)
        names = tuple(name.casefold() for name in question.get("names", ()))
        windows = [window for window in QApplication.topLevelWidgets() if window.isVisible()]
        mains = [window for window in windows if isinstance(window, MainWindow)]
        seen: dict[str, Any] = {"parts": [part for window in windows for part in _parts(window, names)]}
        if question.get("closely"):
            seen["cut"] = [text for window in windows for text in cut_texts(window)]
            seen["sideways"] = [bar for window in windows for bar in _sideways(window)]
        print(json.dumps(seen | (_state(mains[0]) if mains else {})), flush=True)  # noqa: T201


def _state(window: MainWindow) -> dict[str, Any]:
    state = window._bridge.state
    note = state.shadow.note
    return {
        "phase": state.phase.value,
        "steps": len(state.steps),
        "recorded_s": state.taught.seconds if state.taught is not None else 0.0,
        "compared": note.agreement.decisions if note is not None else 0,
        "route": state.note.route.value if state.note is not None and state.note.route else "",
        "faults": [fault.what for fault in state.faults],
    }


def _parts(window: QWidget, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield each part in view whose name begins so: buttons, lines, lists, tabs, rows, labels."""
    for widget in (window, *window.findChildren(QWidget)):
        if not names or not widget.isVisible():
            continue
        for name, box in _named(widget):
            if not (name.casefold().startswith(names) or _english(name).casefold().startswith(names)):
                continue
            middle = widget.mapToGlobal(box.center())
            yield {
                "name": name,
                "text": _text(widget),
                "kind": _kind(widget),
                "at": _pixels(middle),
                "box": [
                    *_pixels(widget.mapToGlobal(box.topLeft())),
                    *_pixels(widget.mapToGlobal(box.bottomRight())),
                ],
                "reached": _reached(widget, middle),
                "enabled": widget.isEnabled(),
                "pane": _pane(widget),
            }


def _named(widget: QWidget) -> Iterator[tuple[str, QRect]]:
    if isinstance(widget, QTabBar):
        for at in range(widget.count()):
            yield widget.tabText(at), widget.tabRect(at)
    elif isinstance(widget, QAbstractItemView):
        yield widget.accessibleName(), widget.viewport().rect()
    elif name := widget.accessibleName() or _text(widget):
        yield name, widget.rect()
    view = widget.parentWidget()
    if isinstance(view, QAbstractItemView) and view.viewport() is widget and view.model() is not None:
        yield from _rows(view)


def _rows(view: QAbstractItemView) -> Iterator[tuple[str, QRect]]:
    model = view.model()
    for row in range(min(model.rowCount(view.rootIndex()), 200)):
        index = model.index(row, 0, view.rootIndex())
        words = (
            str(model.index(row, column, view.rootIndex()).data() or "")
            for column in range(model.columnCount(view.rootIndex()))
        )
        box = view.visualRect(index)
        if box.intersects(view.viewport().rect()):
            yield "row: " + " | ".join(words), box


def _kind(widget: QWidget) -> str:
    kinds = {QAbstractButton: "button", QLineEdit: "line", QComboBox: "list", QTabBar: "tab", QLabel: "label"}
    return next((name for kind, name in kinds.items() if isinstance(widget, kind)), type(widget).__name__)


def _text(widget: QWidget) -> str:
    match widget:
        case QAbstractButton() | QLabel() | QLineEdit():
            return widget.text()
        case QComboBox():
            return widget.currentText()
    return ""


def _english(shown: str) -> str:
    return catalogue._in_use.source(shown) if catalogue._in_use is not None else shown


def _pixels(point: QPoint) -> Place:
    return point_to_pixels(point, screen_places())


def _reached(widget: QWidget, middle: QPoint) -> bool:
    """Return whether a click on this point reaches the widget or a part of it."""
    hit = QApplication.widgetAt(middle)
    return hit is not None and (hit is widget or widget.isAncestorOf(hit))


def _pane(widget: QWidget) -> Place | None:
    """Return the middle of the pane that scrolls the widget."""
    pane = widget.parentWidget()
    while pane is not None and not isinstance(pane, QScrollArea):
        pane = pane.parentWidget()
    return None if pane is None else _pixels(pane.viewport().mapToGlobal(pane.viewport().rect().center()))


def _sideways(window: QWidget) -> Iterator[str]:
    """Yield each horizontal scroll bar in view, by the name of its pane."""
    for bar in window.findChildren(QScrollBar):
        holder = bar.parentWidget()
        pane = holder.parentWidget() if holder is not None else None
        if bar.isVisible() and bar.orientation() is Qt.Orientation.Horizontal and bar.maximum() > 0:
            yield f"{type(pane).__name__} {pane.accessibleName() if pane else ''} {bar.maximum()}"


if __name__ == "__main__":
    guide = Guide()
    sys.argv[:1] = ["pitwall", "console"]
    sys.exit(main())
