"""The chosen model: load it, measure it, its options and memory, a chat, its file."""

from __future__ import annotations

from PySide6.QtCore import Signal

from pitwall.console.kit.elements import Button, Chip, Label, SectionTitle, clear_layout, column, holder, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.notification import NoteCard
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import PAD, STEP, Look, Tone
from pitwall.console.models.chat import ChatPanel
from pitwall.console.models.format import TIERS, speed
from pitwall.console.models.load_options import ModelOptions
from pitwall.console.models.properties import PropertiesCard
from pitwall.console.models.shipped import STAYS, ShippedPanel
from pitwall.console.models.view_model import ModelViewModel, Presence
from pitwall.console.services.bridge import Bridge
from pitwall.console.services.job import Job
from pitwall.core import rail
from pitwall.core.commands import LoadModel, UnloadModel
from pitwall.core.errors import PitwallError


class ModelDetail(ScrollPane):
    """The column beside the table.

    Signals:
        remove_wanted(facts). options_saved(name, changes).
        measured(): a measurement or a trial ended; the registry has its result, if there is one.
        live_wanted(): show the Live page.

    Attributes:
        facts: the model in view.
    """

    remove_wanted = Signal(object)
    options_saved = Signal(str, object)
    measured = Signal()
    live_wanted = Signal()

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__("The chosen model")
        self.setObjectName("side")
        self._bridge = bridge
        self.facts: ModelViewModel | None = None
        self._chips_shown: tuple[tuple[str, Tone], ...] = ()
        self.bench = Job(self, data=bridge.data)
        self._benched = ""
        self.bench.answered.connect(lambda _: self._bench_ended())
        self.bench.failed.connect(self._bench_ended)
        self.bench.cancelled.connect(self._bench_ended)
        self.options = ModelOptions(look)
        self.options.saved.connect(self._save)
        self.chat = ChatPanel(bridge.data, look)
        self.brought = [make(bridge.data) for make in rail.load_all(rail.PARTS, "models.").values()]
        for part in self.brought:
            part.changed.connect(self.measured)
        self.shipped = ShippedPanel()
        self._build()

    # ---- shown

    @property
    def why_not(self) -> str:
        """Return the reason why the model cannot be loaded or unloaded now; empty where it can."""
        return self._why.full_text()

    @property
    def trouble(self) -> str:
        """Return the error of the last command; empty where it succeeded."""
        return self._trouble.text

    def show_model(self, facts: ModelViewModel, *, why_not: str) -> None:
        """Show a model; text that was typed for it stays.

        Args:
            why_not: why nothing can be loaded now; empty where it can.
        """
        if self.facts is not None and self.facts.name != facts.name:
            self.show_trouble(None)
        self.facts = facts
        self._title.set_text(facts.name)
        self._show_chips(facts)
        self._note.say(facts.note, "stop" if facts.trouble else "neutral")
        self.shipped.setVisible(facts.shipped)
        self._why.set_text(why_not)
        self._why_line.setVisible(bool(why_not))
        self._show_deeds(facts)
        self.options.show_model(facts)
        for part in self.brought:
            part.show_model(facts.entry)
        self.chat.show_model(facts)
        self._properties.show_entry(facts.entry)

    def show_trouble(self, error: PitwallError | None) -> None:
        """Show an error; None clears it."""
        self._trouble.say(error_sentence(error) if error is not None else "")

    def measure(self) -> None:
        """Measure its speed, unless a measurement is running."""
        if self.facts is None or self.bench.running:
            return
        self._benched = self.facts.name
        self.show_trouble(None)
        self.bench.start(["models", "bench", self._benched])
        self._show_deeds(self.facts)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Return every command that may run for the model in view."""
        return self.bench, self.chat.job, *(part.job for part in self.brought)

    def close_jobs(self) -> None:
        for job in self.jobs:
            job.cancel()

    # ---- parts

    def _build(self) -> None:
        self._title = Label("", "title", wrap=True)
        self._chips = Flow(STEP)
        self._note, self._trouble = NoteCard(), NoteCard("stop")
        self._load = Button("Load", self._load_pressed)
        self._measure = Button("Measure", self.measure)
        self._remove = Button("Remove…", lambda: self.remove_wanted.emit(self.facts), kind="quiet")
        self._why = Label("", "note", wrap=True)
        go = Button("Open a game", self.live_wanted.emit, kind="link", name="Open a game on the Live page")
        self._why_line = holder(column(self._why, row(go, None), gap=STEP))
        self._busy = ProgressLine(self.bench)
        self._properties = PropertiesCard()
        inside = column(
            self._title,
            self._chips,
            row(self._load, self._measure, None, self._remove),
            self._busy,
            self.shipped,
            self._why_line,
            self._note,
            self._trouble,
            self.options,
            *self.brought,
            self.chat,
            SectionTitle("About it"),
            self._properties,
            None,
            margins=PAD,
        )
        self.setWidget(holder(inside))

    def _show_chips(self, facts: ModelViewModel) -> None:
        tiers = ((TIERS[tier].title, TIERS[tier].tone) for tier in facts.tiers)
        chips = (facts.state_chip, *tiers, (speed(facts.entry.tokens_per_s), "neutral"))
        if chips == self._chips_shown:
            return
        self._chips_shown = chips
        clear_layout(self._chips.flow)
        for text, tone in chips:
            self._chips.flow.addWidget(Chip(text, tone))
        self._chips.updateGeometry()

    def _show_deeds(self, facts: ModelViewModel) -> None:
        loading, measuring = facts.presence is Presence.LOADING, self.bench.running
        self._load.setText(facts.deed)
        self._load.setAccessibleName(f"{facts.deed} {facts.name}")
        self._load.setEnabled(not self.why_not and not loading)
        self._load.setToolTip(self.why_not)
        self._measure.setEnabled(not measuring and facts.kind != "onnx")
        self._measure.setText("Measure again" if facts.entry.measured else "Measure")
        self._measure.setAccessibleName(f"Measure the speed of {facts.name}")
        self._remove.setAccessibleName(f"Remove {facts.name}")
        self._remove.setEnabled(not facts.shipped)
        self._remove.setToolTip(STAYS if facts.shipped else "")
        self._remove.setAccessibleDescription(self._remove.toolTip())
        if loading:
            self._busy.begin(f"Loading {facts.name}", cancellable=False)
        elif measuring:
            self._busy.begin(f"Probing and measuring {self._benched}")
        else:
            self._busy.hide()

    # ---- what the operator does

    def _load_pressed(self) -> None:
        if self.facts is not None:
            held = self.facts.presence is Presence.LOADED
            self._bridge.send((UnloadModel if held else LoadModel)(name=self.facts.name))

    def _save(self, changes: object) -> None:
        if self.facts is not None:
            self.show_trouble(None)
            self.options_saved.emit(self.facts.name, changes)

    def _bench_ended(self, error: PitwallError | None = None) -> None:
        if self.facts is not None:
            if error is not None and self.facts.name == self._benched:
                self.show_trouble(error)
            self._show_deeds(self.facts)
        self.measured.emit()
