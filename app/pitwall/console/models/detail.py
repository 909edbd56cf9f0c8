"""The chosen model: load it, measure it, its options and memory, a test prompt, its file."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

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
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.theme import GAP, PAD, STEP, Look, Tone
from pitwall.console.models.format import speed
from pitwall.console.models.load_options import ModelOptions
from pitwall.console.models.properties import PropertyLine
from pitwall.console.models.shipped import STAYS, ShippedPanel
from pitwall.console.models.trial import TrialPanel
from pitwall.console.models.view_model import ModelViewModel, Presence
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder


class ModelDetail(QScrollArea):
    """The column beside the table.

    Signals:
        load_wanted(name). unload_wanted(name). remove_wanted(facts). options_saved(name, options).
        measured(name): its speed was measured and written to the registry.
        live_wanted(): show the Live page.
    """

    load_wanted = Signal(str)
    unload_wanted = Signal(str)
    remove_wanted = Signal(object)
    options_saved = Signal(str, object)
    measured = Signal(str)
    live_wanted = Signal()

    def __init__(self, data: DataFolder, look: Look) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("The chosen model")
        self._facts: ModelViewModel | None = None
        self._reason = ""
        self._shown_chips: tuple[tuple[str, Tone], ...] = ()
        self._shown_lines: tuple[PropertyLine, ...] = ()
        self.bench = Job(self, data=data)
        self._benched = ""
        self.bench.answered.connect(lambda _: self._bench_ended(""))
        self.bench.failed.connect(lambda error: self._bench_ended(error_sentence(error)))
        self.bench.cancelled.connect(lambda: self._bench_ended(""))
        self.options = ModelOptions(look)
        self.options.saved.connect(self._save)
        self.trial = TrialPanel(data)
        self.shipped = ShippedPanel()
        self._build()

    # ---- shown

    @property
    def facts(self) -> ModelViewModel | None:
        return self._facts

    @property
    def why_not(self) -> str:
        """Why the model cannot be loaded or unloaded now; empty where it can."""
        return self._why.full_text() if self._why_line.isVisibleTo(self) else ""

    @property
    def trouble(self) -> str:
        """What went wrong with the last thing that was asked; empty for nothing."""
        return self._trouble_text.full_text() if self._trouble.isVisibleTo(self) else ""

    def show_model(self, facts: ModelViewModel, *, why_not: str) -> None:
        """Show a model; what was typed for it stays.

        Args:
            why_not: why nothing can be loaded now; empty where it can.
        """
        if self._facts is not None and self._facts.name != facts.name:
            self.show_trouble(None)
        self._facts, self._reason = facts, why_not
        self._title.set_text(facts.name)
        self._show_chips(facts)
        self._note.set_text(facts.note)
        self._note_card.setVisible(bool(facts.note))
        self._note_card.set_tone("stop" if facts.trouble else "neutral")
        self.shipped.setVisible(facts.shipped)
        self._show_deeds()
        self.options.show_model(facts)
        self.trial.show_model(facts)
        self._show_file(facts)

    def show_card(self, text: str) -> None:
        """The shipped model's card, Markdown; empty where there is none."""
        self.shipped.show_card(text)

    def show_trouble(self, error: PitwallError | None) -> None:
        """Say what went wrong; None clears it."""
        self._trouble_text.set_text(error_sentence(error) if error is not None else "")
        self._trouble.setVisible(error is not None)

    def measure(self) -> None:
        """Measure its speed; nothing happens while one is measured."""
        if self._facts is None or self.bench.running:
            return
        self._benched = self._facts.name
        self.show_trouble(None)
        self.bench.start(["models", "bench", self._facts.name])
        self._show_deeds()

    def close_jobs(self) -> None:
        """End what runs aside."""
        self.bench.cancel()
        self.trial.job.cancel()

    # ---- parts

    def _build(self) -> None:
        self._title = Label("", "title", wrap=True)
        self._chips = Flow(STEP)
        self._note = Label("", wrap=True)
        self._note_card = Card(self._note)
        self._trouble_text = Label("", wrap=True)
        self._trouble_text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._trouble = Card(self._trouble_text, tone="stop")
        self._trouble.hide()
        self._load = Button("Load", self._load_pressed)
        self._measure = Button("Measure", self.measure)
        self._remove = Button("Remove…", self._remove_pressed, kind="quiet")
        self._why = Label("", "note", wrap=True)
        self._why_line = QWidget()
        go = Button("Open a game", self.live_wanted.emit, kind="link", name="Open a game on the Live page")
        inside = column(self._why, gap=STEP)
        inside.addLayout(row(go, None))
        self._why_line.setLayout(inside)
        self._busy = ProgressLine(self.bench)
        self._file_title = SectionTitle("About it")
        self._file = Card(gap=STEP)
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(PAD, PAD, PAD, PAD)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addWidget(self._chips)
        layout.addLayout(row(self._load, self._measure, None, self._remove))
        for widget in (
            self._busy,
            self.shipped,
            self._why_line,
            self._note_card,
            self._trouble,
            self.options,
        ):
            layout.addWidget(widget)
        layout.addWidget(self.trial)
        layout.addWidget(self._file_title)
        layout.addWidget(self._file)
        layout.addStretch(1)
        self.setWidget(holder)

    def _show_chips(self, facts: ModelViewModel) -> None:
        chips = (facts.state_chip, *facts.tier_chips, (speed(facts.tokens_per_s), "neutral"))
        if chips == self._shown_chips:
            return
        self._shown_chips = chips
        clear_layout(self._chips.flow)
        for text, tone in chips:
            self._chips.flow.addWidget(Chip(text, tone))
        self._chips.updateGeometry()

    def _show_deeds(self) -> None:
        facts = self._facts
        if facts is None:
            return
        self._load.setText(facts.deed)
        self._load.setAccessibleName(f"{self._load.text()} {facts.name}")
        self._load.setEnabled(not self._reason and facts.presence is not Presence.LOADING)
        self._load.setToolTip(self._reason)
        self._why.set_text(self._reason)
        self._why_line.setVisible(bool(self._reason))
        measuring = self.bench.running
        self._measure.setEnabled(not measuring and facts.kind != "onnx")
        self._measure.setText("Measure again" if facts.tokens_per_s is not None else "Measure")
        self._measure.setAccessibleName(f"Measure the speed of {facts.name}")
        self._remove.setAccessibleName(f"Remove {facts.name}")
        self._remove.setEnabled(not facts.shipped)
        self._remove.setToolTip(STAYS if facts.shipped else "")
        self._remove.setAccessibleDescription(self._remove.toolTip())
        if facts.presence is Presence.LOADING:
            self._busy.begin(f"Loading {facts.name}", cancellable=False)
        elif measuring:
            self._busy.begin(f"Measuring {self._benched}")
        else:
            self._busy.hide()

    def _show_file(self, facts: ModelViewModel) -> None:
        if facts.lines == self._shown_lines:
            return
        self._shown_lines = facts.lines
        clear_layout(self._file.body)
        for name, text, whole in facts.lines:
            line = KeyValue(name)
            line.set_value(text)
            line.setToolTip(whole or text)
            self._file.body.addWidget(line)

    # ---- what the operator does

    def _load_pressed(self) -> None:
        if self._facts is not None:
            held = self._facts.presence is Presence.LOADED
            (self.unload_wanted if held else self.load_wanted).emit(self._facts.name)

    def _remove_pressed(self) -> None:
        if self._facts is not None:
            self.remove_wanted.emit(self._facts)

    def _save(self, options: object) -> None:
        if self._facts is not None:
            self.show_trouble(None)
            self.options_saved.emit(self._facts.name, options)

    def _bench_ended(self, trouble: str) -> None:
        if trouble and self._facts is not None and self._facts.name == self._benched:
            self._trouble_text.set_text(trouble)
            self._trouble.show()
        self._show_deeds()
        self.measured.emit(self._benched)
