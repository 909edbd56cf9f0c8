"""Offers commands on several entries at once."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.elements import Button, Label, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.core.quantities import counted

_ACTIONS = {
    "pin": "Pin",
    "unpin": "Unpin",
    "forget": "Forget",
    "restore": "Restore",
    "purge": "Remove for good…",
}


class BulkBar(QFrame):
    """Bar of actions that appears while several rows are selected.

    Signals:
        action_wanted(action): pin, unpin, forget, restore or purge. cleared(): select one row only.
        cancelled(): stop reading the selected rows; nothing was changed yet.
    """

    action_wanted = Signal(str)
    cleared = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("bulkBar")
        self._count = Label("", "strong")
        self._buttons = {action: self._button(action, text) for action, text in _ACTIONS.items()}
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(140)
        self._reading = Label("", "dim")
        self._cancel = Button("Cancel", self.cancelled.emit, kind="quiet")
        self._clear = Button(
            "Select one", self.cleared.emit, kind="quiet", name="Select only the current row"
        )
        tools = Flow(STEP)
        for button in self._buttons.values():
            tools.flow.addWidget(button)
        end = (self._bar, self._reading, self._cancel, self._clear)
        self.setLayout(row(self._count, tools, *end, gap=PAD, stretch=1, margins=(WIDE, GAP, PAD, GAP)))
        self._forgotten = False
        self.hide()
        self.show_reading(0)

    def show_picked(self, count: int, *, forgotten: bool) -> None:
        """Show the number of selected rows and the actions that forgotten entries, or those in use, allow."""
        self.setVisible(count > 1)
        self._forgotten = forgotten
        self._count.set_text(f"{count:,} selected")
        for action, button in self._buttons.items():
            button.setVisible(forgotten == (action in ("restore", "purge")))
            button.setAccessibleName(f"{button.text().rstrip('…')} {counted(count, 'entry', 'entries')}")

    def show_reading(self, total: int) -> None:
        """Show the number of selected rows that are being read; 0: none."""
        going = total > 0
        for widget in (self._bar, self._reading, self._cancel):
            widget.setVisible(going)
        self._clear.setVisible(not going)
        for button in self._buttons.values():
            button.setEnabled(not going)
        self._reading.set_text(f"Reading {total:,} rows …")
        self._bar.setAccessibleName(self._reading.full_text())

    def _button(self, action: str, text: str) -> Button:
        kind = "danger" if action == "purge" else ""
        return Button(text, lambda: self.action_wanted.emit(action), kind=kind)


def purge_dialog(count: int, parent: QWidget) -> Confirm:
    """Return a dialog that asks whether to remove entries for good."""
    entries = counted(count, "entry", "entries")
    lines = (
        "They go with their history. This cannot be undone.",
        "A snapshot taken before still holds them.",
    )
    leave = "Keep them" if count > 1 else "Keep it"
    return Confirm(f"Remove {entries} for good?", lines, f"Remove {entries}", leave, parent)
