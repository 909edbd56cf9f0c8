"""Says when another process holds the memory: it can be read then, and edited once that one has ended."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QWidget

from pitwall.console.kit.elements import Label, row
from pitwall.console.kit.theme import STEP, WIDE
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.bridge import Bridge
from pitwall.store.lease import Holder, holder_of, memory_lock_file
from pitwall_memory_editor.console.port import MemoryPort

_AGAIN_MS = 2_000
BUNDLE_ROLE = "bundle"
"""Role of the process that holds the memory of a shown bundle."""


class LockLine(QFrame):
    """Hidden while nobody else holds the memory. Looks only while the page is in view."""

    def __init__(self, bridge: Bridge, port: MemoryPort, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sayLine")
        self.setProperty("tone", "stop")
        self._file = memory_lock_file(bridge.data)
        self._port = port
        self._aside = BackgroundWorker("memory lock", self)
        self._text = Label("", wrap=True)
        self.setLayout(row(self._text, margins=(WIDE, STEP + 2, WIDE, STEP + 2)))
        self._timer = QTimer(self, interval=_AGAIN_MS)
        self._timer.timeout.connect(self.look)
        port.moved.connect(self._hide_own)
        self.hide()

    @property
    def text(self) -> str:
        """Return the line's text; empty while it is hidden."""
        return self._text.full_text() if not self.isHidden() else ""

    def watch(self, watched: bool) -> None:
        """Poll the lock while the page is in view."""
        if watched:
            self._timer.start()
            self.look()
        else:
            self._timer.stop()

    def look(self) -> None:
        """Read in the background who holds the lock."""
        if self._port.holds:
            self.hide()
        else:
            self._aside.ask(lambda: holder_of(self._file), self._show)

    def _show(self, holder: Holder | None) -> None:
        if holder is None or self._port.holds:
            self.hide()
            return
        if holder.role == BUNDLE_ROLE:
            text = "The memory came with the bundle: it can be read, and not be edited."
        else:
            text = (
                f"! The memory is in use by {holder}. It can be read here; edits are refused until it ends."
            )
        self._text.set_text(text)
        self.setAccessibleName(self._text.full_text())
        self.show()

    def _hide_own(self) -> None:
        if self._port.holds:
            self.hide()
