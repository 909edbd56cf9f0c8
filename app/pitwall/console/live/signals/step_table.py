"""The table of the signals: the newest steps with their signals, route, trigger and model calls."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from pitwall.console.inspector import format as texts
from pitwall.console.kit import format as words
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.model_calls import Call
from pitwall.console.state.view_state import Part
from pitwall.core.clock import NS_PER_S
from pitwall.core.quantities import clock_tenths
from pitwall.core.signals import WEIGHED, TriggerSignal
from pitwall.core.steps import StepRecord


def _signal_column(signal: TriggerSignal) -> Column[StepRecord]:
    return Column(signal.title, lambda step: signal.number(getattr(step.signals, signal.name)), number=True)


_COLUMNS: tuple[Column[StepRecord], ...] = (
    Column("step", lambda step: str(step.step), number=True),
    Column("time", lambda step: clock_tenths(step.at_ns / NS_PER_S), number=True),
    *(_signal_column(signal) for signal in WEIGHED.values()),
    Column("route", lambda step: step.route.value),
    Column("trigger", lambda step: words.reasons(step.reasons)),
    Column("action", lambda step: str(step.action)),
    Column("effect", lambda step: words.effect(step)),
)


def call_words(calls: Sequence[Call]) -> str:
    """List the calls of a step with their outcomes: "describe ✓, plan ✕"."""
    return ", ".join(f"{texts.purpose(call.purpose)} {texts.outcome(call).sign}" for call in calls)


class StepTable(Table[StepRecord]):
    """Shows steps, newest first.

    Signals:
        step_wanted(step): a row was activated (Enter, or a double click).
    """

    step_wanted = Signal(int)

    def __init__(self, bridge: Bridge, look: Look) -> None:
        calls: Column[StepRecord] = Column(
            "model calls", lambda step: call_words(bridge.state.thinking.calls.of_step(step.step)), stretch=1
        )
        model = TableModel((*_COLUMNS, calls), key=lambda step: step.step)
        super().__init__(
            look, model, "Signals by step", "Enter inspects a step", row_height=26, sortable=False
        )
        self._bridge = bridge
        self.opened.connect(lambda step: self.step_wanted.emit(step.step))

    def refresh(self, changed: Part) -> None:
        """Show the changes; calls that began or ended are redrawn."""
        if changed & (Part.STEP | Part.RUN):
            self.show_rows(list(reversed(self._bridge.state.steps)))
        if changed & Part.CALLS:
            self.viewport().update()
