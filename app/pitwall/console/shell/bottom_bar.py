"""The bottom bar: rates, ages, held keys, and the run with when it was last saved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from pitwall.console.kit.elements import Button, Label, key_words, row
from pitwall.console.kit.theme import BOTTOM_HEIGHT, PAD, STEP, WIDE
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.quantities import NONE, ago, clock, figure

_EVERY_MS = 250


class Figure(QWidget):
    """A measured figure with its name and unit: "capture 35 Hz"."""

    def __init__(self, name: str, tip: str = "", *, widest: str = "") -> None:
        super().__init__()
        self._name = name
        self._value = Label("–")
        if widest:
            self._value.setMinimumWidth(self._value.fontMetrics().horizontalAdvance(widest) + 2)
        self.setLayout(row(Label(name, "dim"), self._value, gap=STEP + 2))
        self.setToolTip(tip)
        self.setAccessibleName(f"{name}: {NONE}")

    def set_value(self, text: str) -> None:
        if text != self._value.full_text():
            self._value.set_text(text)
            self.setAccessibleName(f"{self._name}: {text}")


class BottomBar(QFrame):
    """Shows the run's figures, at most four times a second so that they can be read.

    Args:
        keyboard: shows who has a shared keyboard.
        show_models: opens the page with the progress of installations; None where there is none.
    """

    def __init__(
        self, bridge: Bridge, keyboard: QWidget, show_models: Callable[[], object] | None = None
    ) -> None:
        super().__init__()
        self.setObjectName("bottomBar")
        self.setFixedHeight(BOTTOM_HEIGHT)
        self._bridge = bridge
        self._rate = Figure("capture", "Frames taken in a second", widest="000.0 Hz")
        self._age = Figure("frame age", "Age of a frame when its processing ended", widest="000.0 ms")
        self._loop = Figure("loop p95", "Processing time of a frame, 95th percentile", widest="000.0 ms")
        self._reaction = Figure(
            "reaction p95", "Changed pixels to first key sent, 95th percentile", widest="000.0 ms"
        )
        self._refused = Figure("refused", "Events that the broker refused in this run")
        self._held = Figure("held", "Keys and buttons that the agent holds down now")
        self._run = Label("")
        self._work = Button("", show_models or (lambda: None), kind="quiet", name="What is being installed")
        self._work.hide()
        figures = (self._rate, self._age, self._loop, self._reaction, self._refused, self._held)
        self._by_need = (self._held, self._rate, self._reaction, self._refused, self._loop, self._age)
        self._keyboard = keyboard
        self.setLayout(
            row(self._keyboard, *figures, None, self._work, self._run, gap=WIDE, margins=(PAD, 0, PAD, 0))
        )
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._show)
        self._timer.start()
        self._show()

    def refresh(self, changed: Part) -> None:
        """Show at once what an operator must see at once."""
        if changed & (Part.PHASE | Part.RUN):
            self._show()

    def show_work(self, text: str, more: str) -> None:
        """Show work beside the play, in short and in full; empty: there is none."""
        self._work.setText(text)
        self._work.setToolTip(more)
        self._work.setVisible(bool(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the figures that have room, whole: those that an operator needs most come first."""
        room = self.width() - 2 * PAD - self._run.sizeHint().width()
        for part in (self._keyboard, self._work):
            room -= 0 if part.isHidden() else max(part.sizeHint().width(), part.minimumWidth()) + WIDE
        for figure_part in self._by_need:
            room -= figure_part.sizeHint().width() + WIDE
            figure_part.setVisible(room >= 0)

    def _show(self) -> None:
        state = self._bridge.state
        stats = state.stats if state.phase in IN_VIEW else None
        self._rate.set_value(figure(stats.capture_hz, "Hz") if stats else NONE)
        self._age.set_value(figure(stats.frame_age_ms.p50 if stats else None, "ms"))
        self._loop.set_value(figure(stats.loop_ms.p95 if stats else None, "ms"))
        self._reaction.set_value(figure(stats.reaction_ms.p95 if stats else None, "ms"))
        self._refused.set_value(f"{sum(stats.refusals.values()):,}" if stats else NONE)
        self._held.set_value(", ".join(key_words(key) for key in state.held) or "none")
        self._run.set_text(self._run_words())
        self._fit()

    def _run_words(self) -> str:
        state, now = self._bridge.state, now_ns()
        seconds = state.run_seconds(now)
        if state.run is None or seconds is None:
            return "no run"
        saved = ago((now - state.saved_ns) / NS_PER_S)
        if state.ended is not None:
            return f"run {state.run.run_id} · {clock(seconds)} · {state.ended.summary.outcome} · saved"
        return f"run {state.run.run_id} · {clock(seconds)} · saved {saved}"
