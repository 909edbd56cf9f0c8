"""The budget of a run: calls and steps of their caps, tokens fresh, cached and written, dropped plans."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import KeyValue, Meter, SectionTitle, column
from pitwall.console.kit.theme import GAP, Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part
from pitwall.core.telemetry import Budgets


class BudgetCard(QWidget):
    """Calls and steps always; tokens and dropped plans once there are any."""

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self._calls = Meter(look, "Model calls", "strategic")
        self._steps = Meter(look, "Steps", "reactive")
        self._prompt = KeyValue("Prompt tokens")
        self._output = KeyValue("Reply tokens")
        self._dropped = KeyValue("Plans dropped")
        self._tokens = (self._prompt, self._output)
        self.setLayout(
            column(
                SectionTitle("Budget"),
                self._calls,
                self._steps,
                self._prompt,
                self._output,
                self._dropped,
                gap=GAP,
            )
        )
        self._show(None)

    def refresh(self, changed: Part) -> None:
        if changed & (Part.BUDGETS | Part.PHASE):
            self._show(self._bridge.state.budgets)

    def _show(self, budgets: Budgets | None) -> None:
        spent = (
            budgets is not None and budgets.fresh_tokens + budgets.cached_tokens + budgets.output_tokens > 0
        )
        for line in self._tokens:
            line.setVisible(spent)
        self._dropped.setVisible(budgets is not None and budgets.plans_dropped > 0)
        if budgets is None:
            self._calls.clear()
            self._steps.clear()
            return
        self._calls.set_used(budgets.calls, budgets.calls_cap)
        self._steps.set_used(budgets.steps, budgets.steps_cap)
        self._prompt.set_value(f"{budgets.fresh_tokens:,} fresh · {budgets.cached_tokens:,} cached")
        self._output.set_value(f"{budgets.output_tokens:,}")
        self._dropped.set_value(f"✕ {budgets.plans_dropped:,}", "stop")
