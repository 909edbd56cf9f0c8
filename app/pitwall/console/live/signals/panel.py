"""The signals strip: each signal's value against its threshold, adjustable live, and the table twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Label, SectionTitle, column, holder, row
from pitwall.console.kit.panes import stacked
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.console.live.signals.route_lanes import LaneKey
from pitwall.console.live.signals.step_table import StepTable
from pitwall.console.live.signals.thresholds import AllThresholds
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part

if TYPE_CHECKING:
    from pitwall.console.live.signals.strips import Strips

_STRIPS_MS = 300
"""The strips are made this long after they are first wanted, or at once when a game is in view."""


class SignalsPanel(QWidget):
    """Title with tools, and below it strips or table.

    Signals:
        step_wanted(step): a step was chosen, in the strips or in the table.
    """

    step_wanted = Signal(int)

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._look = look
        self._strips: Strips | None = None
        self._table = StepTable(bridge, look)
        self._table.step_wanted.connect(self.step_wanted)
        self._stack = stacked(QWidget(), self._table)
        self._toggle = Button("Table", self._show_table, kind="link", name="Show the signals as a table")
        self._toggle.setCheckable(True)
        more = Button(
            "All thresholds…",
            self._show_all,
            kind="link",
            tip="Every threshold of the trigger, and the game's own",
        )
        self._bridge = bridge
        self._key = LaneKey(look)
        note = Label("last 60 s", "note")
        self.tools = holder(row(self._key, note, more, self._toggle, gap=PAD, margins=(0, 0, PAD, 0)))
        """Its tools: in its own head, or elsewhere in a narrow window."""
        self._head_line = row(SectionTitle("Signals"))
        self._head = holder(self._head_line)
        self.setLayout(column(self._head, self._stack, gap=STEP, stretch=1, margins=(PAD, GAP, 0, STEP)))
        self.keep_tools()

    def keep_tools(self) -> None:
        """Put the tools into the panel's own head."""
        self._head_line.addWidget(self.tools)
        for widget in (self._key, self._head, self.tools):
            widget.show()

    def give_tools(self) -> QWidget:
        """Take the head away; the tools are the caller's to place."""
        self._head.hide()
        self._key.hide()
        return self.tools

    def use_subject(self) -> None:
        """Drop changes of the former game's thresholds that were not sent."""
        if self._strips is not None:
            self._strips.use_subject()

    def refresh(self, changed: Part) -> None:
        if self._bridge.state.phase in IN_VIEW:
            self._make_strips()
        if self._strips is not None:
            self._strips.refresh(changed)
        if self._stack.currentWidget() is self._table:
            self._table.refresh(changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(_STRIPS_MS, self, self._make_strips)

    def _make_strips(self) -> None:
        """Make the strips, once: their chart's library is loaded after the window's first picture."""
        if self._strips is not None:
            return
        from pitwall.console.live.signals.strips import Strips

        strips = self._strips = Strips(self._bridge, self._look)
        strips.chart.step_wanted.connect(self.step_wanted)
        room = self._stack.widget(0)
        assert room is not None
        room.setLayout(column(strips, margins=0))
        strips.refresh(Part.ALL)

    def _show_table(self) -> None:
        self._stack.setCurrentIndex(int(self._toggle.isChecked()))
        self._table.refresh(Part.ALL)

    def _show_all(self) -> None:
        AllThresholds(self, self._bridge).open()
