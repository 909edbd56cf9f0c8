"""Layers side by side: the next prompt as it would be composed now, and as with other switches and caps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QSplitter, QWidget

from pitwall.console.inspector.bars import LayerBar
from pitwall.console.inspector.prompt_view import PromptView
from pitwall.console.kit.elements import (
    Button,
    EmptyState,
    Label,
    PrimaryButton,
    SectionTitle,
    column,
    holder,
    row,
)
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.panes import ReadStack, scrolled, split
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE, Look
from pitwall.console.services.background import RunLogWorker as RunReading
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part
from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import LayerSettings, Settings
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.memory_entries import PROMPT_KINDS
from pitwall.memory.reader import MemoryReader
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import with_shipped
from pitwall_memory_editor.console.layers.composition import Composed, composed, counter_of
from pitwall_memory_editor.console.layers.situation import (
    PURPOSES,
    Situation,
    situation_now,
    situation_recorded,
)
from pitwall_memory_editor.console.layers.switches import LayerLines
from pitwall_memory_editor.console.port import MemoryPort
from pitwall_memory_editor.console.reader import MemoryReadWorker as MemoryReading
from pitwall_memory_editor.console.saving import save_settings

_EVERY_MS = 1_000
"""Time between two compositions of the prompts while a game plays."""
_AGAIN_MS = 700
_COMPACT = 900
_PARTS = Part.FRAME | Part.STEP | Part.MEMORY | Part.CALLS | Part.PROPOSAL | Part.GAME


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The layers' entries of a game, and the contexts of models by name, in tokens."""

    game_id: str
    book: PromptLayers
    contexts: dict[str, int]


class LayersPanel(QWidget):
    """Switches and caps above, both prompts below.

    Signals:
        live_wanted(): no game is known yet; open one.
    """

    live_wanted = Signal()

    def __init__(self, bridge: Bridge, look: Look, port: MemoryPort, memory: MemoryReading) -> None:
        super().__init__()
        self.setAccessibleName("Layers of the next prompt")
        self._bridge = bridge
        self._memory = memory
        self._runs = RunReading(bridge.data, self)
        self._game_id = ""
        self._shelf: _Shelf | None = None
        self._recorded: Situation | None = None
        self._asked = 0
        self._sized = False
        self.now: Composed | None = None
        self.then: Composed | None = None
        self.lines = LayerLines(look)
        self._sides = {name: _Side(look, name) for name in ("As it would be now", "As changed")}
        self._build()
        self._tick = QTimer(self, singleShot=True, interval=_EVERY_MS)
        self._tick.timeout.connect(self._show)
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._again.timeout.connect(self._read)
        self.lines.tried.connect(lambda *_: self._tried())
        self._runs.failed.connect(self._show_error)
        port.changed.connect(self._memory_changed)
        bridge.changed.connect(self._refresh)
        bridge.settings_changed.connect(self._settings_changed)
        self.lines.show_layers(bridge.settings.layers, bridge.settings.layers)

    # ---- asked by the page

    def use_game(self, game_id: str) -> None:
        """Set the game whose memory is shown while no game is in view."""
        self._game_id = game_id
        self._shelf = self._recorded = None
        if self.isVisible():
            self._read()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self._shown.setSizes((self._switches.sizeHint().height() + 2, 320))
        self._read()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lines.be_compact(self.width() < _COMPACT)

    def close_reading(self) -> None:
        """Read no more; before the data folder goes away."""
        self._tick.stop()
        self._again.stop()
        self._runs.close()

    # ---- parts

    def _build(self) -> None:
        self.purpose = Combo(
            "Which prompt", [(purpose.value, f"for {asks}") for purpose, asks in PURPOSES.items()]
        )
        self.purpose.activated.connect(lambda *_: self._show())
        self._origin = Label("", "note")
        self._total = Label("", "strong")
        self._total.setMinimumWidth(200)
        self._result = Label("", "note")
        self._reset = Button(
            "Reset", self.reset, kind="quiet", name="Discard the changes that are not applied"
        )
        self.apply = PrimaryButton("Apply", self._apply, name="Save the layers in the settings")
        title = Label("The next prompt", "title")
        says = (self._origin, self._result, self._total)
        head = row(
            title,
            self.purpose,
            *says,
            self._reset,
            self.apply,
            gap=PAD,
            stretch=2,
            margins=(WIDE, PAD, WIDE, GAP),
        )
        self._switches: QWidget = holder(column(self.lines, margins=(WIDE, STEP, WIDE, PAD)))
        self._scroll = scrolled(self._switches, "Switches and caps of the layers")
        lower = QFrame()
        lower.setObjectName("lower")
        prompts = split(*self._sides.values(), sizes=(1, 1))
        prompts.setStretchFactor(1, 1)  # both are read: each has half of the room
        lower.setLayout(column(prompts, gap=0))
        self._shown: QSplitter = split(self._scroll, lower, stretch=1, vertical=True)
        self._empty = EmptyState(
            "No game is known yet",
            "The next prompt is composed here of its layers, as it would be now and as with other switches "
            "and caps, as soon as a game is in view or something is remembered of one.",
            PrimaryButton("Go to Live", self.live_wanted.emit),
        )
        self._stack = ReadStack("Reading the layers …", self._empty, self._shown, again=self._read)
        self.setLayout(column(head, self._stack, gap=0, stretch=1))

    # ---- what the operator does

    def reset(self) -> None:
        """Show switches and caps as they are in force."""
        layers = self._bridge.settings.layers
        self.lines.show_layers(layers, layers)
        self._tried()

    def _tried(self) -> None:
        self._say("")
        self._show()

    def _apply(self) -> None:
        layers = LayerSettings.model_validate(self.lines.layers.model_dump())
        settings = self._bridge.settings.model_copy(update={"layers": layers})
        outcome = save_settings(self._bridge, settings)
        self._say(outcome.text, trouble=not outcome.done)

    def _say(self, text: str, *, trouble: bool = False) -> None:
        self._result.set_text(text)
        self._result.set_tone("stop" if trouble else "ok" if text else "neutral")

    # ---- read

    @property
    def _wanted(self) -> str:
        """Return the game to compose a prompt for: the one in view, else the one whose memory is shown."""
        state = self._bridge.state
        live = state.game is not None and state.phase in IN_VIEW
        return state.game.game_id if live and state.game is not None else self._game_id

    @property
    def _live(self) -> Situation | None:
        """Return the situation of the game in view; None before its first frame, or without a game."""
        state = self._bridge.state
        return situation_now(state) if state.phase in IN_VIEW else None

    def _read(self) -> None:
        """Read the layers' entries in the background; without a game in view, a recorded run's end first."""
        game_id, live = self._wanted, self._live
        if not game_id:
            self._shelf = None
            self._stack.setCurrentWidget(self._empty)
            return
        if self._shelf is None:
            self._stack.show_reading()
        self._asked += 1
        ticket, data, settings = self._asked, self._bridge.data, self._bridge.settings

        def take(shelf: _Shelf) -> None:
            if ticket == self._asked:
                self._shelf = shelf
                self._show()

        def fail(error: PitwallError) -> None:
            if ticket == self._asked:
                self._show_error(error)

        def read_layers(seen: Situation) -> None:
            self._memory.ask(lambda reader: _read_shelf(reader, data, settings, seen), take, fail)

        def take_recorded(situation: Situation) -> None:
            self._recorded = situation
            read_layers(situation)

        if live is not None:
            read_layers(live)
        else:
            self._runs.ask(lambda reader: situation_recorded(reader, game_id), take_recorded)

    def _memory_changed(self, _ids: Sequence[int], kinds: Sequence[str], *_: object) -> None:
        affected = not kinds or any(
            kind in {kind_in_prompts.value for kind_in_prompts in PROMPT_KINDS} for kind in kinds
        )
        if affected and self.isVisible() and not self._again.isActive():
            self._again.start()

    def _refresh(self, changed: Part) -> None:
        if not self.isVisible():
            return
        if changed & (Part.GAME | Part.PHASE):
            self._again.start()
        elif changed & _PARTS and not self._tick.isActive():
            self._tick.start()

    def _settings_changed(self, settings: Settings) -> None:
        tried = self.lines.layers
        base = settings.layers
        unsaved = self.apply.isEnabled() and tried != self._bridge.settings.layers
        self.lines.show_layers(tried if unsaved else base, base)
        if self.isVisible():
            self._show()

    # ---- shown

    def _show(self) -> None:
        shelf = self._shelf
        if shelf is None:
            return
        state, settings = self._bridge.state, with_shipped(self._bridge.settings)
        situation = self._live or self._recorded or Situation(game_id=shelf.game_id)
        if situation.game_id != shelf.game_id:
            return
        purpose = Purpose(self.purpose.current)
        count = counter_of(state.thinking.calls)
        context = shelf.contexts.get(getattr(settings.models, purpose.tier.value), 0)
        made = [
            composed(shelf.book, situation, purpose, layers, settings, count, context=context)
            for layers in (settings.layers, self.lines.layers)
        ]
        self.now, self.then = made
        self.lines.show_prompts(*made)
        for side, prompt in zip(self._sides.values(), made, strict=True):
            side.show_prompt(prompt)
        self._show_head(situation, count.words, context)
        self._stack.setCurrentWidget(self._shown)

    def _show_head(self, situation: Situation, counted: str, context: int) -> None:
        assert self.now is not None
        assert self.then is not None
        parts = [f"as of {situation.origin}", counted]
        if context:
            parts.append(f"the model's context is {context:,}")
        if self._bridge.settings.memory.global_only:
            parts.insert(
                0,
                "“Global memory only” is on: learned knowledge, runs (L4) and skills (L5) are left out",
            )
        self._origin.set_text(" · ".join(parts))
        before, after = self.now.tokens, self.then.tokens
        self._total.set_text(
            f"{before:,} → {after:,} tokens" if before != after else f"{before:,} tokens, both"
        )
        changed = self.lines.layers != self._bridge.settings.layers
        self.apply.setEnabled(changed)
        self._reset.setEnabled(changed)

    def _show_error(self, error: PitwallError) -> None:
        self._shelf = None
        self._stack.show_error(error)


class _Side(QWidget):
    """Shows one of both prompts."""

    def __init__(self, look: Look, title: str) -> None:
        super().__init__()
        self._title = SectionTitle(title)
        self._bar = LayerBar(look)
        self.view = PromptView(look)
        self.view.setAccessibleName(f"The prompt, {title.lower()}")
        parts = (self._title, self._bar, self.view)
        self.setLayout(column(*parts, gap=STEP, stretch=2, margins=(WIDE, GAP, WIDE, PAD)))
        self.setMinimumWidth(220)
        self.made: Composed | None = None

    def show_prompt(self, made: Composed) -> None:
        """Show a prompt, unless it is already shown."""
        self._title.set_note(f"{made.tokens:,} tokens")
        self._bar.show_layers(made.by_layer, None, unit="tokens")
        if self.made is None or self.made.prompt != made.prompt:
            self.made = made
            self.view.show_prompt(made.prompt, made.by_layer)


def _read_shelf(reader: MemoryReader, data: DataFolder, settings: Settings, seen: Situation) -> _Shelf:
    """Read the layers of a game's role, and the context sizes of the models.

    Raises:
        PitwallError: the game is not known, or a file of its knowledge cannot be read.
    """
    game = Registry(data).load(seen.game_id)
    role = seen.role if any(role.name == seen.role for role in game.profile.roles) else ""
    book = PromptLayers(
        game,
        role,
        forms=Vocabulary(game.profile, role).forms,
        layers=settings.layers,
        memory=settings.memory,
        remembered=reader.entries(seen.game_id, PROMPT_KINDS),
        seed=seen.seed,
    )
    contexts = {entry.name: entry.context for entry in ModelRegistry(data).all() if entry.kind != "remote"}
    return _Shelf(seen.game_id, book, contexts)
