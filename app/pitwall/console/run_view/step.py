"""Shows one recorded step: the frame it was decided on, and everything that answers "why this action?"."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from pitwall.console.inspector.step_facts import StepFacts
from pitwall.console.kit import format as words
from pitwall.console.kit.elements import (
    Button,
    Card,
    EmptyState,
    Label,
    SectionTitle,
    clear_layout,
    column,
    facts_card,
    holder,
)
from pitwall.console.kit.format import step_time
from pitwall.console.kit.panes import scrolled, stacked
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import GAP, PAD, Look, route_tone
from pitwall.core import quantities, rail
from pitwall.core.quantities import counted
from pitwall.core.runs import RunManifest
from pitwall.core.signals import WEIGHED
from pitwall.core.steps import StepRecord, Timings

_WHY = ("Route", "Trigger", "Subgoal", "Planned by", "Action", "Sent", "Effect", "Refused")


class StepDetail(QWidget):
    """The column beside the steps table.

    Signals:
        inspect_wanted(): the operator wants to see what models were asked for this step.
        part_wanted(make): the operator wants a package's dialog about this step (`rail.PARTS`).
    """

    inspect_wanted = Signal()
    part_wanted = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.frame = StillImage(look)
        self._title = SectionTitle("Step")
        self.inspect_button = Button("", self.inspect_wanted.emit, name="Inspect the decision", tip="Ctrl+I")
        brought = [
            Button(make.offer, partial(self.part_wanted.emit, make), name=make.offer_name, tip=make.tip)
            for make in rail.load_all(rail.PARTS, "run.").values()
        ]
        self._why = StepFacts(_WHY, "")
        self._body = column(gap=GAP)
        why = SectionTitle("Why this action")
        shown = column(
            self._title,
            self.frame,
            self.inspect_button,
            *brought,
            why,
            self._why,
            self._body,
            None,
            margins=PAD,
        )
        empty = EmptyState(
            "No step is selected", "Its frame and the reasons for its action appear here.", width=220
        )
        self._stack = stacked(empty, scrolled(holder(shown), "The selected step"))
        self.setLayout(column(self._stack, gap=0))

    def clear(self) -> None:
        """Show that no step is selected."""
        self._stack.setCurrentIndex(0)

    def show_step(self, step: StepRecord, manifest: RunManifest) -> None:
        """Show a step; its frame comes by `show_frame`."""
        self._stack.setCurrentIndex(1)
        self._title.set_note(f"{step.step:,} · {step_time(step)}")
        self._why.show_step(step)
        self._why.set_tone(route_tone(step.route))
        clear_layout(self._body)
        for title, note, card in (
            ("Signals", "against their thresholds", _signals(step, manifest.thresholds)),
            ("What was read", step.status.value, _fields(step)),
            ("Time", "", _timings(step.timings)),
        ):
            self._body.addWidget(SectionTitle(title, note))
            self._body.addWidget(card)

    def show_calls(self, count: int) -> None:
        """Say how many models were asked for the step."""
        asked = counted(count, "model call") if count else "no model call"
        self.inspect_button.setText(f"Inspect · {asked}")
        self.inspect_button.setAccessibleName(f"Inspect the decision, {asked}")

    def show_frame(self, image: QImage, step: StepRecord) -> None:
        """Show the step's frame, or say why there is none."""
        note = "The frame's file is gone." if step.frame_ref else "No frame was kept for this step."
        self.frame.show_image(image, f"Frame of step {step.step}", note)


def _signals(step: StepRecord, thresholds: dict[str, object]) -> Card:
    limits = {name: f" / {limit}" for name, limit in thresholds.items() if limit is not None}
    facts = []
    for name, signal in WEIGHED.items():
        value = signal.text(getattr(step.signals, name)) + limits.get(signal.setting, "")
        facts.append((signal.title.capitalize(), f"{value} {signal.unit_behind}".rstrip()))
    return facts_card(facts)


def _fields(step: StepRecord) -> Card:
    if not step.fields:
        return Card(Label("This game's profile reads no fields.", "dim", wrap=True))
    return facts_card((name.replace("_", " "), words.value(read, "")) for name, read in step.fields.items())


def _timings(timings: Timings) -> Card:
    lines = (
        ("Reaction, pixel to key", timings.reaction_ms),
        ("Frame's age at the key", timings.frame_age_ms),
        ("Capture", timings.capture_ms),
        ("Perceive", timings.perceive_ms),
        ("Trigger", timings.trigger_ms),
        ("Decide", timings.decide_ms),
        ("Act", timings.act_ms),
        ("Record", timings.record_ms),
    )
    return facts_card((name, quantities.figure(figure, "ms")) for name, figure in lines)
