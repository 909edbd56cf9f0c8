"""Thinking as it happens: the chain of calls, the reply being written, time and speed; and who thinks.

The words of a reply are painted, not laid out: a token costs one small repaint, ten times a second at most.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.inspector import format as texts
from pitwall.console.inspector.bars import LayerBar, LayerLegend
from pitwall.console.kit import format as words
from pitwall.console.kit.controls import ShareBar
from pitwall.console.kit.elements import (
    Button,
    Card,
    Chip,
    KeyValue,
    Label,
    SectionTitle,
    clear_layout,
    column,
    row,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.theme import ROUTE_SIGNS, STEP, TINY_PX, Look, mono_font
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.model_calls import Call
from pitwall.console.state.view_state import IN_VIEW, Part
from pitwall.core.calls import CallTokens
from pitwall.core.clock import now_ns
from pitwall.core.quantities import figure
from pitwall.core.signals import Route
from pitwall.core.telemetry import ControllersNote

NO_MODEL = "No model is installed: the skill planner plays."
NONE_CHOSEN = "No model is chosen: the skill planner plays."
_WRITING_MS = 100
_TAIL_LINES = 3
_PATIENCE_HEIGHT = 3


def plays_without(mind: ControllersNote) -> bool:
    """Return whether the skill planner plays and no tier has a model."""
    return mind.planner == "skills" and not any(mind.tiers.values())


class NoModel(Card):
    """Explains that no model thinks, and offers one button to change that.

    Args:
        add_model: opens the page where models are added.
        installed: whether there is a model that a tier could use.
    """

    def __init__(
        self, bridge: Bridge, add_model: Callable[[], object], installed: Callable[[], bool]
    ) -> None:
        self._text = Label("", wrap=True)
        self._add = Button("Add a model…", add_model, kind="link")
        super().__init__(self._text, gap=STEP)
        self._bridge = bridge
        self._installed = installed
        self.body.addLayout(row(self._add, None))
        self.hide()

    def refresh(self, changed: Part) -> None:
        if not changed & (Part.MIND | Part.PHASE | Part.GAME):
            return
        mind = self._bridge.state.mind
        self.setVisible(mind is not None and plays_without(mind))
        if mind is not None and plays_without(mind):
            there = self._installed()
            self._text.set_text(mind.text or (NONE_CHOSEN if there else NO_MODEL))
            self._add.setText("Choose a model…" if there else "Add a model…")
            self._add.setAccessibleName(self._add.text())


class ThinkingCard(QWidget):
    """Shows the calls of the newest thought, from the first call of a run on.

    Args:
        inspect: opens the decision inspector at a step.
    """

    def __init__(self, bridge: Bridge, look: Look, inspect: Callable[[int], object]) -> None:
        super().__init__()
        self._bridge = bridge
        self._call: Call | None = None
        self._open = Button("Inspect", lambda: inspect(self._call.step if self._call else 0), kind="link")
        self._open.setAccessibleName("Inspect the present thought")
        self._title = SectionTitle("Thinking", "", self._open)
        self._chain = Flow(STEP)
        self._why = Label("", "dim")
        self._tail = _Tail(look)
        self._patience = ShareBar(look, "strategic", height=_PATIENCE_HEIGHT)
        self._figures = Label("", "note")
        self._reactive = KeyValue(f"{ROUTE_SIGNS[Route.REACTIVE]} react")
        self._problem = Label("", wrap=True, tone="stop")
        self._note = Label("", "dim", wrap=True)
        self._card = Card(
            self._why,
            self._chain,
            self._tail,
            self._patience,
            self._figures,
            self._problem,
            self._reactive,
            gap=STEP + 2,
        )
        self.setLayout(column(self._title, self._card, self._note))
        self._chips: object = None
        self._writing = QTimer(self, interval=_WRITING_MS)
        self._writing.timeout.connect(self._show_writing)
        self.hide()

    def refresh(self, changed: Part) -> None:
        if changed & (Part.CALLS | Part.MIND | Part.PHASE | Part.RUN | Part.PROPOSAL):
            self._show()
        elif changed & Part.STREAM and not self._writing.isActive():
            self._pace()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._pace()

    # ---- what is shown

    def _show(self) -> None:
        state = self._bridge.state
        calls = state.thinking.calls
        chain = calls.chain()
        react = calls.newest(fast=True)
        mind = state.mind
        note = mind.text if mind is not None and not plays_without(mind) else ""
        self._note.show_text(note)
        shown = bool(chain) or react is not None
        self._card.setVisible(shown)
        self._title.setVisible(shown)
        self.setVisible((shown or bool(note)) and state.phase in IN_VIEW)
        if not shown:
            return
        self._call = chain[-1] if chain else react
        self._show_chain(chain)
        for widget in (self._chain, self._tail, self._patience, self._figures):
            widget.setVisible(bool(chain))
        asked = state.thinking.asked
        why = words.reason_words(asked.reasons) if asked is not None else ""
        self._why.show_text(f"trigger: {why}" if why else "")
        problem = texts.problem(self._call) if self._call is not None else ""
        self._problem.show_text(problem)
        self._reactive.setVisible(react is not None)
        self._show_writing()
        self._pace()

    def _show_chain(self, chain: tuple[Call, ...]) -> None:
        chips = [(texts.purpose(call.purpose), texts.outcome(call)) for call in chain]
        if chips == self._chips:
            return
        self._chips = chips
        clear_layout(self._chain.flow)
        for at, (name, outcome) in enumerate(chips):
            chip = Chip(f"{name} {outcome.sign}", "strategic" if chain[at].open else outcome.tone)
            chip.setParent(self._chain)
            if at:
                arrow = Label("→", "note")
                arrow.setFixedHeight(chip.sizeHint().height())
                self._chain.flow.addWidget(arrow)
            self._chain.flow.addWidget(chip)
        self._chain.setAccessibleName(", then ".join(f"{name}: {outcome.word}" for name, outcome in chips))
        self._chain.updateGeometry()

    def _show_writing(self) -> None:
        calls = self._bridge.state.thinking.calls
        call, now = self._call, now_ns()
        if call is None or not self.isVisible():
            self._writing.stop()
            return
        self._card.set_tone("strategic" if call.open else "neutral")
        seconds = call.seconds(now)
        deadline = call.deadline_ms / 1000
        of = f" of {deadline:g} s" if call.open and deadline else f" · step {call.step:,}"
        self._title.set_note(f"{seconds:.1f} s{of}")
        self._tail.show_text(call.reply)
        gone = seconds / deadline if call.open and deadline else 0.0
        self._patience.show_share(gone)
        self._patience.setAccessibleName(f"{100 * min(1.0, gone):.0f} % of the deadline is gone")
        speed = call.tokens_per_s(now)
        parts = (
            figure(speed, "tok/s") if speed else "",
            f"{call.tokens:,} tokens" if call.tokens else "reading the prompt" if call.open else "",
            call.model,
        )
        self._figures.set_text(" · ".join(part for part in parts if part))
        react = calls.newest(fast=True)
        if react is not None:
            outcome = texts.outcome(react)
            self._reactive.set_value(f"{outcome} · {react.seconds(now):.2f} s", outcome.tone)
        if not calls.waiting:
            self._writing.stop()

    def _pace(self) -> None:
        if self._bridge.state.thinking.calls.waiting and self.isVisible():
            self._writing.start()


class PromptCard(QWidget):
    """The newest prompt by layer, and how much of it was cached."""

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self._title = SectionTitle("Prompt")
        self._bar = LayerBar(look)
        self._legend = LayerLegend(look)
        self.setLayout(column(self._title, self._bar, self._legend, gap=STEP + 2))
        self.hide()

    def refresh(self, changed: Part) -> None:
        if changed & (Part.CALLS | Part.PHASE | Part.RUN):
            self._show()

    def _show(self) -> None:
        state = self._bridge.state
        settled = [
            call for call in state.thinking.calls if call.record is not None and call.record.tokens.prompt
        ]
        self.setVisible(bool(settled) and state.phase in IN_VIEW)
        if not settled:
            return
        tokens: CallTokens = settled[-1].record.tokens if settled[-1].record is not None else CallTokens()
        sizes, counted = texts.layer_sizes(settled[-1].prompt, tokens.by_layer)
        self._bar.show_layers(sizes, tokens if counted else None)
        self._legend.show_layers(sizes, counted=counted)
        self._title.set_note(f"{tokens.prompt:,} tokens · {tokens.cached:,} from cache")


class _Tail(QWidget):
    """The last words of a text, in a few lines of fixed height."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._text = ""
        self._font = mono_font(TINY_PX)
        self._metrics = QFontMetricsF(self._font)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(round(_TAIL_LINES * self._metrics.lineSpacing()) + STEP)
        self.setAccessibleName("The reply as it is written")
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleDescription(text[-400:])
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        each = max(1.0, self._metrics.averageCharWidth())
        columns = max(8, int(self.width() / each))
        text = " ".join(self._text.split())[-columns * _TAIL_LINES * 2 :]
        whole, rest = divmod(len(text), columns)
        begin = max(0, whole + (1 if rest else 0) - _TAIL_LINES) * columns
        painter.setPen(self._look.colour("dim"))
        for line in range(_TAIL_LINES):
            part = text[begin + line * columns : begin + (line + 1) * columns]
            top = line * self._metrics.lineSpacing() + self._metrics.ascent()
            painter.drawText(0, round(top), part)
