"""The side column: plan, reasons of the last action, readings, budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from pitwall.console.inspector.step_facts import StepFacts
from pitwall.console.kit import format as words
from pitwall.console.kit import places
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
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.format import reason_words
from pitwall.console.kit.theme import PAD, ROUTE_SIGNS, STEP, WIDE, Look, Tone
from pitwall.console.live.shadow_card import ShadowCard
from pitwall.console.live.teach_card import TeachCard
from pitwall.console.live.thinking_card import NoModel, PromptCard, ThinkingCard
from pitwall.console.live.trust_card import TrustCard
from pitwall.console.services.beside import Beside
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part
from pitwall.core import rail
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.quantities import NONE, figure
from pitwall.core.signals import Route
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import Budgets, ProposalNote

_AGES_MS = 250
_READINGS_MS = 200
_MOST_CANDIDATES = 8


class ProposalCard(QWidget):
    """Situation, subgoal, candidates, stop condition, the plan's age, and whether a newer one was late."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._title = SectionTitle("Proposal")
        self._subgoal = Label("", "strong", wrap=True)
        self._situation = Label("", "dim", wrap=True)
        self._stop = Label("", wrap=True)
        self._chips = Flow(STEP)
        self._source = Label("", "note", wrap=True)
        self._late = Label("", wrap=True, tone="stop")
        self._card = Card(
            self._subgoal, self._situation, self._stop, self._chips, self._source, self._late, gap=6
        )
        self._shown: ProposalNote | None = None
        self.setLayout(column(self._title, self._card))
        self._ages = QTimer(self, interval=_AGES_MS)
        self._ages.timeout.connect(self._show_age)
        self._ages.start()
        self._show_plan()

    def refresh(self, changed: Part) -> None:
        if changed & (Part.PROPOSAL | Part.PHASE | Part.BUDGETS):
            self._show_plan()
            self._show_late()
            self._show_age()

    def _show_plan(self) -> None:
        plan = self._bridge.state.thinking.plan
        proposal = plan.proposal if plan is not None else None
        self._card.set_tone("strategic" if proposal is not None else "neutral")
        if plan is None or proposal is None:
            self._shown = None
            self._fill("No plan now", "A plan is made when a signal below asks for one.", "", "")
            clear_layout(self._chips.flow)
            self._chips.setVisible(False)
            return
        if plan is self._shown:
            return
        self._shown = plan
        why = reason_words(plan.reasons)
        made = f"planned in {figure(plan.took_ms, 'ms')}{f' · {why}' if why else ''}"
        by = f"\nby {words.planned_by(proposal.source)}" if proposal.source else ""
        stop = f"Until {words.condition_words(proposal.stop)}" if proposal.stop else ""
        self._fill(proposal.subgoal, proposal.situation, stop, f"{made}{by}")
        clear_layout(self._chips.flow)
        if proposal.module:
            self._chips.flow.addWidget(Chip(f"{ROUTE_SIGNS[Route.REFLEX]} {proposal.module}", "reflex"))
        for candidate in proposal.candidates[:_MOST_CANDIDATES]:
            self._chips.flow.addWidget(Chip(str(candidate), "strategic"))
        self._chips.setVisible(self._chips.flow.count() > 0)
        self._chips.updateGeometry()

    def _fill(self, subgoal: str, situation: str, stop: str, source: str) -> None:
        for label, text in (
            (self._subgoal, subgoal),
            (self._situation, situation),
            (self._stop, stop),
            (self._source, source),
        ):
            label.show_text(text)

    def _show_late(self) -> None:
        """Note that a newer plan came too late and was dropped; the shown one stays in force."""
        state = self._bridge.state
        late = state.thinking.dropped is not None
        dropped_plans = state.budgets.plans_dropped if state.budgets is not None else 0
        count = f" {dropped_plans:,} in this run." if dropped_plans > 1 else ""
        self._late.set_text(
            f"✕ A newer plan came too late for the scene and was dropped.{count}" if late else ""
        )
        self._late.setVisible(late)

    def _show_age(self) -> None:
        state = self._bridge.state
        now = now_ns()
        asked, plan = state.thinking.asked, state.thinking.plan
        if asked is not None and plan is None:
            since = max(0.0, (now - asked.at_ns) / NS_PER_S)
            why = reason_words(asked.reasons)
            self._title.set_note(f"thinking {since:.1f} s{f' · {why}' if why else ''}")
        elif plan is not None:
            done = max(0, (state.steps[-1].step if state.steps else 0) - state.thinking.plan_step)
            most = plan.proposal.steps if plan.proposal is not None else 0
            of = f" of {most}" if most else ""
            age = max(0.0, (state.clock_ns(now) - plan.at_ns) / NS_PER_S)
            self._title.set_note(f"{age:.1f} s old · step {done}{of}")
        else:
            self._title.set_note("")


class ActionReasonCard(QWidget):
    """The last step: route and reason, action, the events that were sent, effect, age of the observation."""

    def __init__(self, bridge: Bridge, inspect: Callable[[int], object]) -> None:
        super().__init__()
        self._bridge = bridge
        self._step = 0
        self._inspect = Button(
            "Inspect",
            lambda: inspect(self._step),
            kind="link",
            name="Inspect this decision",
            tip="What was asked of the models for this step (Ctrl+I for the newest)",
        )
        self._title = SectionTitle("Why this action", "", self._inspect)
        names = ("Route", "Trigger", "Action", "Sent", "Refused", "Effect", "Observation")
        self._facts = StepFacts(names, "The reason for each step appears here while the agent plays.")
        self.setLayout(column(self._title, self._facts))
        self._show(None)

    def refresh(self, changed: Part) -> None:
        if changed & (Part.STEP | Part.RUN):
            steps = self._bridge.state.steps
            self._show(steps[-1] if steps else None)

    def _show(self, step: StepRecord | None) -> None:
        self._step = step.step if step is not None else 0
        self._inspect.setVisible(step is not None)
        self._title.set_note(f"step {step.step:,}" if step is not None else "")
        self._facts.show_step(step)


class ReadingsCard(QWidget):
    """Every state-reader field with its value, at most five times a second."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._title = SectionTitle("State reader")
        self._card = Card(gap=STEP)
        self._lines: dict[str, KeyValue] = {}
        self.setLayout(column(self._title, self._card))
        self._timer = QTimer(self, interval=_READINGS_MS)
        self._timer.timeout.connect(self._show)
        self._timer.start()
        self._game: object = self
        self._refill()

    def refresh(self, changed: Part) -> None:
        if changed & (Part.GAME | Part.PHASE):
            self._refill()

    def _refill(self) -> None:
        game = self._bridge.state.game
        if game is self._game:
            return
        self._game = game
        clear_layout(self._card.body)
        self._title.set_note("")
        self._lines = {}
        if game is not None and game.beside:
            others = ", ".join(game.beside)
            sides = f"The agent plays {game.role}; {others} is played by you or another agent."
            self._card.body.addWidget(Label(sides, wrap=True))
        if game is None or not game.fields:
            none = (
                "The fields read from the picture appear here."
                if game is None
                else "This game reads no fields."
            )
            self._card.body.addWidget(Label(none, wrap=True))
            return
        for name in game.fields:
            self._lines[name] = KeyValue(words.field_name(name), NONE)
            self._card.body.addWidget(self._lines[name])

    def _show(self) -> None:
        state = self._bridge.state
        if not self.isVisible() or state.note is None or state.phase not in IN_VIEW:
            return
        self._title.set_note(state.note.status.value)
        for reading in state.note.readings:
            line = self._lines.get(reading.name)
            if line is not None:
                line.set_value(words.value(reading.value, reading.unit))


class Meter(QWidget):
    """Used of allowed: name, "84 / 200", and a bar; without a cap only the count."""

    def __init__(self, look: Look, name: str, tone: Tone) -> None:
        super().__init__()
        self._line = KeyValue(name, "–")
        self._bar = ShareBar(look, tone)
        self.setLayout(column(self._line, self._bar, gap=STEP))

    def set_used(self, used: int, cap: int | None) -> None:
        self._line.set_value(f"{used:,} / {cap:,}" if cap is not None else f"{used:,} · no cap")
        self._bar.show_share(used / cap if cap else 0.0)

    def clear(self) -> None:
        self._line.set_value("–")
        self._bar.show_share(0.0)


class BudgetCard(QWidget):
    """Calls and steps of their caps; tokens and dropped plans once there are any."""

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self._calls = Meter(look, "Model calls", "strategic")
        self._steps = Meter(look, "Steps", "reactive")
        self._prompt = KeyValue("Prompt tokens")
        self._output = KeyValue("Reply tokens")
        self._dropped = KeyValue("Plans dropped")
        lines = (self._calls, self._steps, self._prompt, self._output, self._dropped)
        self.setLayout(column(SectionTitle("Budget"), *lines))
        self._show(None)

    def refresh(self, changed: Part) -> None:
        if changed & (Part.BUDGETS | Part.PHASE):
            self._show(self._bridge.state.budgets)

    def _show(self, budgets: Budgets | None) -> None:
        spent = budgets is not None and budgets.fresh_tokens + budgets.cached_tokens + budgets.output_tokens
        for line in (self._prompt, self._output):
            line.setVisible(bool(spent))
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


class SideColumn(QWidget):
    """The cards under one another.

    Args:
        inspect: opens the decision inspector at a step.
        show_page: brings a page into view by its key.
        installed: whether there is a model that a tier could use.
    """

    def __init__(
        self,
        bridge: Bridge,
        look: Look,
        *,
        inspect: Callable[[int], object],
        show_page: Callable[[str], object],
        installed: Callable[[], bool],
    ) -> None:
        super().__init__()
        beside = Beside(bridge, self)
        self.teaching = TeachCard(bridge, look, beside, show_page)
        self._brought = [
            make(bridge, look, show_page) for make in rail.load_all(rail.PARTS, "live.").values()
        ]
        self._shadow = ShadowCard(bridge, look, beside)
        self._cards = (
            self.teaching,
            *self._brought,
            self._shadow,
            NoModel(bridge, partial(show_page, places.MODELS.key), installed),
            ThinkingCard(bridge, look, inspect),
            ProposalCard(bridge),
            TrustCard(bridge, look),
            ActionReasonCard(bridge, inspect),
            PromptCard(bridge, look),
            BudgetCard(bridge, look),
            ReadingsCard(bridge),
        )
        self.setLayout(column(*self._cards, None, gap=WIDE, margins=(WIDE, PAD, WIDE, PAD)))

    def use_subject(self) -> None:
        """Drop what the cards keep of the former game or run."""
        for card in (self._shadow, self.teaching, *self._brought):
            card.use_subject()

    def close_reading(self) -> None:
        """End the cards' jobs, before the data folder goes away."""
        for card in (self.teaching, *self._brought):
            card.close_reading()

    def refresh(self, changed: Part) -> None:
        for card in self._cards:
            card.refresh(changed)
