"""Two ways to lie: side by side, or behind tabs where the window is narrow. One place says when."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.theme import COMPACT_WIDTH, RAIL_WIDTH

_WHEN = (QEvent.Type.Resize, QEvent.Type.Show)


class NarrowSwitch(QObject):
    """Lays a widget beside the rail out anew as soon as the window becomes narrow or wide.

    Args:
        lay: told whether it is narrow; only where that changes.

    Attributes:
        compact: how it lies now; None before the widget was shown or sized.
    """

    def __init__(self, widget: QWidget, lay: Callable[[bool], None]) -> None:
        super().__init__(widget)
        self.compact: bool | None = None
        self._widget, self._lay = widget, lay
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002
        if event.type() in _WHEN:
            self.arrange()
        return False

    def arrange(self) -> None:
        """Lay it out for the width that it has."""
        compact = self._widget.width() + RAIL_WIDTH < COMPACT_WIDTH
        if compact != self.compact:
            self.compact = compact
            self._lay(compact)
