"""Errors, as a bar under the top bar: what, how to mend it, and the traceback for the curious."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from pitwall.console.kit.details_dialog import DetailsDialog
from pitwall.console.kit.elements import Button, Card, Label, column, row
from pitwall.console.kit.theme import GAP, PAD
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part


class FaultBar(QWidget):
    """The newest error not yet dismissed; takes no room while there is none."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._what = Label("", "strong", wrap=True)
        self._fix = Label("", "dim", wrap=True)
        self._more = Label("", "note")
        self._details = Button("Details", self._show_details, kind="quiet")
        dismiss = Button("Dismiss", self._dismiss, kind="quiet", name="Dismiss the error")
        self._card = Card(tone="stop")
        words = QWidget()
        words.setLayout(column(self._what, self._fix, gap=2))
        self._card.body.addLayout(row(words, self._more, self._details, dismiss, stretch=0))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(PAD, GAP, PAD, GAP)
        layout.addWidget(self._card)
        self.setVisible(False)

    def refresh(self, changed: Part) -> None:
        """Show the newest error."""
        if changed & Part.FAULT:
            self._show()

    def _show(self) -> None:
        faults = self._bridge.state.faults
        self.setVisible(bool(faults))
        if not faults:
            return
        newest = faults[-1]
        self._what.set_text(newest.what)
        self._fix.set_text(newest.fix)
        self._fix.setVisible(bool(newest.fix))
        self._more.set_text(f"{len(faults) - 1} more" if len(faults) > 1 else "")
        self._more.setVisible(len(faults) > 1)
        self._details.setVisible(bool(newest.traceback))

    def _dismiss(self) -> None:
        if self._bridge.state.faults:
            self._bridge.state.faults.pop()
        self._show()

    def _show_details(self) -> None:
        if self._bridge.state.faults:
            fault = self._bridge.state.faults[-1]
            DetailsDialog(fault.what, fault.fix, fault.traceback, self).open()
