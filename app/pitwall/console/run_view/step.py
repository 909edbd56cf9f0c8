"""One recorded step: the frame it was decided on, and everything that answers "why this action?"."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from pitwall.console.kit import format as words
from pitwall.console.kit.elements import (
    Button,
    Card,
    Chip,
    EmptyState,
    KeyValue,
    Label,
    SectionTitle,
    clear_layout,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.format import step_time
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import GAP, PAD, ROUTE_SIGNS, STEP, Look, route_tone
from pitwall.core.runs import RunManifest
from pitwall.core.steps import StepRecord, Timings


class StepDetail(QScrollArea):
    """The column beside the steps table.

    Signals:
        inspect_wanted(): the operator wants to see what models were asked for this step.
    """

    inspect_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("The selected step")
        self.frame = StillImage(look)
        self._title = SectionTitle("Step")
        self._body = QVBoxLayout()
        self._body.setSpacing(GAP)
        self._empty = EmptyState(
            "No step is selected", "Its frame and the reasons for its action stand here.", width=220
        )
        self._shown = QWidget()
        inside = QVBoxLayout(self._shown)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(GAP)
        self.inspect_button = Button("", self.inspect_wanted.emit, name="Inspect the decision", tip="Ctrl+I")
        for widget in (self._title, self.frame, self.inspect_button):
            inside.addWidget(widget)
        inside.addLayout(self._body)
        inside.addStretch(1)
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(PAD, PAD, PAD, PAD)
        layout.addWidget(self._empty)
        layout.addWidget(self._shown)
        self.setWidget(holder)
        self.clear()

    def clear(self) -> None:
        """No step is selected."""
        self._shown.hide()
        self._empty.show()

    def show_step(self, step: StepRecord, manifest: RunManifest) -> None:
        """Show a step; its frame comes by `show_frame`."""
        self._empty.hide()
        self._shown.show()
        self._title.set_note(f"{step.step:,} · {step_time(step)}")
        clear_layout(self._body)
        thresholds = manifest.thresholds
        for title, note, card in (
            ("Why this action", "", _why(step)),
            ("Signals", "against their thresholds", _signals(step, thresholds)),
            ("What was read", step.status.value, _fields(step)),
            ("Time", "", _timings(step.timings)),
        ):
            self._body.addWidget(SectionTitle(title, note))
            self._body.addWidget(card)

    def show_calls(self, count: int) -> None:
        """Say how many models were asked for the step."""
        asked = f"{count:,} model call{'s' if count != 1 else ''}" if count else "no model call"
        self.inspect_button.setText(f"Inspect · {asked}")
        self.inspect_button.setAccessibleName(f"Inspect the decision, {asked}")

    def show_frame(self, image: QImage, step: StepRecord) -> None:
        """Show the step's frame, or say why there is none."""
        note = "The frame's file is gone." if step.frame_ref else "No frame was kept for this step."
        self.frame.show_image(image, f"Frame of step {step.step}", note)


def _why(step: StepRecord) -> Card:
    card = Card(tone=route_tone(step.route), gap=STEP)
    chips = [Chip(f"{ROUTE_SIGNS[step.route]} {step.route.value}", route_tone(step.route))]
    chips += [Chip(words.REASONS[reason]) for reason in step.reasons]
    flow = Flow(STEP)
    for chip in chips:
        flow.flow.addWidget(chip)
    card.body.addWidget(flow)
    card.body.addWidget(Label(step.why or "No sentence was recorded.", wrap=True))
    sent, refused = words.sent_text(step.sent)
    lines = [("Action", str(step.action)), ("Sent", sent or "nothing"), ("Effect", words.effect(step.effect))]
    if step.proposal is not None:
        lines.insert(0, ("Subgoal", step.proposal.subgoal))
        lines.insert(1, ("Planned by", words.planned_by(step.proposal.source)))
    for name, text in lines:
        card.body.addWidget(KeyValue(name, text))
    if refused:
        card.body.addWidget(KeyValue("Refused", refused, tone="stop"))
    if step.invalid is not None:
        card.body.addWidget(KeyValue("Invalid", step.invalid.value.replace("_", " "), tone="stop"))
    return card


def _signals(step: StepRecord, thresholds: dict[str, object]) -> Card:
    signals = step.signals
    lines = (
        ("Visual change", f"{signals.change:.2f}", thresholds.get("scene_change")),
        ("Zero progress", f"{signals.stall}", thresholds.get("stall_steps")),
        ("Repetition", f"{signals.repetition}", thresholds.get("loop_repeats")),
        ("Since strategic", f"{signals.since_strategic}", thresholds.get("refresh_steps")),
        ("Failure", f"F{signals.failure.value}", None),
    )
    units = ("", "steps", "actions", "steps", "")
    card = Card(gap=STEP)
    for (name, now, limit), unit in zip(lines, units, strict=True):
        of = f" / {limit}" if limit is not None else ""
        card.body.addWidget(KeyValue(name, f"{now}{of} {unit}".rstrip()))
    return card


def _fields(step: StepRecord) -> Card:
    card = Card(gap=STEP)
    for name, read in step.fields.items():
        card.body.addWidget(KeyValue(name.replace("_", " "), words.value(read, "")))
    if not step.fields:
        card.body.addWidget(Label("This game's profile reads no fields.", "dim", wrap=True))
    return card


def _timings(timings: Timings) -> Card:
    card = Card(gap=STEP)
    for name, figure in (
        ("Reaction, pixel to key", timings.reaction_ms),
        ("Frame's age at the key", timings.frame_age_ms),
        ("Capture", timings.capture_ms),
        ("Perceive", timings.perceive_ms),
        ("Trigger", timings.trigger_ms),
        ("Decide", timings.decide_ms),
        ("Act", timings.act_ms),
        ("Record", timings.record_ms),
    ):
        card.body.addWidget(KeyValue(name, words.figure(figure, "ms")))
    return card
