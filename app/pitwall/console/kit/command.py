"""Commands: the lines of the command palette, and the keys of a widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QWidget

_Keys = QKeySequence.StandardKey | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Holds one line of the command palette (Ctrl+P).

    Attributes:
        keys: how it is also reached, for the reader; empty for none.
        possible: whether it can be done now.
    """

    name: str
    run: Callable[[], object]
    keys: str = ""
    possible: Callable[[], bool] = lambda: True


def offered(button: QAbstractButton, keys: str = "") -> Command:
    """Make the palette's line for a button: it can be run where the button is in view and can be pressed."""
    return Command(
        name=button.accessibleName(),
        run=button.click,
        keys=keys,
        possible=lambda: button.isVisible() and button.isEnabled(),
    )


def bind_keys(
    widget: QWidget,
    *bindings: tuple[_Keys, Callable[[], object]],
    anywhere: bool = False,
    repeats: bool = True,
) -> None:
    """Call functions by keys while the widget, or one inside it, has the keyboard focus.

    Args:
        anywhere: also while the focus is elsewhere in the window, as long as the widget is shown.
        repeats: a key that is held down calls again and again.
    """
    inside = Qt.ShortcutContext.WidgetWithChildrenShortcut
    for keys, command in bindings:
        shortcut = QShortcut(QKeySequence(keys), widget)
        shortcut.setAutoRepeat(repeats)
        shortcut.setContext(Qt.ShortcutContext.WindowShortcut if anywhere else inside)
        shortcut.activated.connect(lambda command=command: command())
