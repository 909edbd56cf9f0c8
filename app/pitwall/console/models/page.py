"""The models page: the installed models, the memory and speed of each, and the tiers that use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from pitwall.console.kit import places
from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import Button, EmptyState, Label, PrimaryButton, column, holder, row
from pitwall.console.kit.form.inputs import take_dropped_files
from pitwall.console.kit.page import Page
from pitwall.console.kit.page_head import PageHead
from pitwall.console.kit.panes import Pane, Panes, ReadStack
from pitwall.console.kit.theme import GAP, SIDE_WIDTH, WIDE, Look
from pitwall.console.models.add_dialog import AddDialog
from pitwall.console.models.detail import ModelDetail
from pitwall.console.models.downloads import DownloadsPanel
from pitwall.console.models.reader import ModelsRead, read_models
from pitwall.console.models.remove_dialog import RemoveDialog, delete_model_file
from pitwall.console.models.table import models_table
from pitwall.console.models.tiers import TiersPanel, tier_uses
from pitwall.console.models.view_model import ModelViewModel, Presence, gather
from pitwall.console.services.background import BackgroundWorker, RepeatedReading
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part, Phase
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import byte_size, counted
from pitwall.core.telemetry import ControllersNote
from pitwall.models.entry import ModelEntry
from pitwall.models.memory_estimate import FreeMemory
from pitwall.models.registry import ModelRegistry

_LEFT_LEAST, _SEARCH_PX = 420, 200


class ModelsPage(Page):
    """Models of the bridge's data folder.

    Args:
        components: shown above the models: components that are still being installed.
    """

    place = places.MODELS

    def __init__(self, bridge: Bridge, look: Look, components: QWidget | None = None) -> None:
        super().__init__(bridge, look)
        self._components = components
        self._registry = ModelRegistry(bridge.data)
        self._aside = BackgroundWorker("models", self)
        self._read: ModelsRead | None = None
        self._wanted = ""
        take_dropped_files(self, lambda files: self.add(files[0]))
        self.table = models_table(look)
        self.detail = ModelDetail(bridge, look)
        self.tiers = TiersPanel(bridge)
        self.downloads = DownloadsPanel(bridge.data, self._aside)
        self._reading = RepeatedReading(self._aside, lambda: read_models(self._registry), self)
        self._build()
        self._connect()

    # ---- what the window asks

    def opened(self) -> None:
        self._reading.start()
        self.downloads.read()

    def closed(self) -> None:
        self._reading.stop()

    def refresh(self, changed: Part) -> None:
        if changed & (Part.MIND | Part.PHASE):
            self._show()

    def commands(self) -> Sequence[Command]:
        facts = self.table.current
        known = Command(name="What fits this machine…", run=self.add_known)
        commands = [Command(name="Add a model…", run=self.add), known]
        if facts is not None:
            commands.append(Command(name=f"Measure {facts.name}", run=self.detail.measure))
            commands.extend(command for part in self.detail.brought for command in part.commands())
        if facts is not None and not facts.shipped:
            commands.append(Command(name=f"Remove {facts.name}…", run=lambda: self._ask_to_remove(facts)))
        return commands

    def close_reading(self) -> None:
        """Stop reading, and end the background work, before the data folder goes away."""
        self._reading.stop()
        self.detail.close_jobs()
        self.downloads.close_jobs()
        self._aside.close()

    # ---- what the operator does

    def add(self, file: Path | None = None) -> AddDialog:
        """Open the dialog that adds a model, with a file selected where one is given."""
        dialog = AddDialog(self.bridge.data, self.look, self._aside, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.added.connect(self._added)
        dialog.download_wanted.connect(self.downloads.begin)
        if file is not None:
            dialog.show_file(file)
        dialog.show()
        return dialog

    def add_known(self) -> None:
        """Open the dialog at the list of well-known models."""
        self.add().show_known()

    def read(self) -> None:
        """Read the registry and the free memory again, in the background."""
        self._reading.now()

    # ---- parts

    def _build(self) -> None:
        self._free = Label("", "dim")
        self._add = PrimaryButton("Add a model…", self.add)
        policy = self._add.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._add.setSizePolicy(policy)
        self._head = head = PageHead("Models")
        self.search = head.add_choice(SearchField("Search models   Ctrl+F", "Search your models"))
        self.search.setMinimumWidth(_SEARCH_PX)
        self.search.textChanged.connect(self._filter)
        head.add_action(self._free)
        head.add_action(self._add)
        self._empty = EmptyState(
            "No model is installed: the skill planner plays on",
            "A local model plans when a plan is due, reacts to what no skill foresees, and sums up a run "
            "for the next one. It runs on this machine; see what fits it, or bring a GGUF file of your own.",
            holder(
                row(
                    PrimaryButton("Add a model…", self.add),
                    Button("What fits this machine…", self.add_known),
                )
            ),
            icon=self.icon_label(),
        )
        self.table.setMinimumWidth(_LEFT_LEAST)
        tiers = holder(column(self.tiers, margins=(GAP, GAP, WIDE, WIDE)))
        self._panes = Panes(
            Pane("Models", self.table),
            Pane("Details", self.detail, width=SIDE_WIDTH),
            Pane("Tiers", tiers, under=self.table),
        )
        self._stack = ReadStack("Reading the models …", self._empty, self._panes, again=self.read)
        above = [widget for widget in (head, self._components, self.downloads) if widget is not None]
        self.setLayout(column(*above, self._stack, gap=0, stretch=len(above)))

    def _connect(self) -> None:
        bind_keys(self, (QKeySequence.StandardKey.Find, self.search.setFocus), anywhere=True)
        self.table.chosen.connect(self._show_chosen)
        self.table.opened.connect(lambda _: self._open_detail())
        self.downloads.added.connect(lambda *_: self.read())
        self.detail.remove_wanted.connect(self._ask_to_remove)
        self.detail.options_saved.connect(self._change)
        self.detail.measured.connect(self.read)
        self.detail.live_wanted.connect(lambda: self.page_wanted.emit(places.LIVE.key))
        self.bridge.settings_changed.connect(lambda *_: self._show())
        self._reading.took.connect(self._take)
        self._reading.failed.connect(self._stack.show_error)

    # ---- what was read

    def _take(self, read: ModelsRead) -> None:
        self._read = read
        self._show()

    # ---- shown

    def _filter(self, words: str) -> None:
        """Show the installed models that hold every word."""
        wanted = words.casefold().split()
        self.table.rows.filter(
            (lambda model: all(word in model.search_text for word in wanted)) if wanted else None
        )

    @property
    def _mind(self) -> ControllersNote | None:
        """Return the open engine's report of its models; None without an engine."""
        return self.bridge.state.mind if self.bridge.state.phase in IN_VIEW | {Phase.OPENING} else None

    def _show(self) -> None:
        if self._read is None:
            return
        read, uses = self._read, tier_uses(self.bridge.settings)
        rows = [
            gather(entry, there=entry.name in read.there, chosen=uses, mind=self._mind, free=read.free)
            for entry in read.entries
        ]
        self._head.set_note(counted(len(rows), "model") if rows else "")
        self._free.set_text(self._free_words(read.free))
        self._stack.setCurrentWidget(self._panes if rows else self._empty)
        self._add.setVisible(bool(rows))
        wanted, self._wanted = self._wanted, ""
        self.table.show_rows(rows, chosen=wanted or None)
        self.tiers.show_tiers(rows, ships=read.ships)
        self.detail.shipped.show_card(read.card)
        if self.table.current is not None:
            self._show_chosen(self.table.current)

    def _show_chosen(self, facts: ModelViewModel | None) -> None:
        if facts is not None:
            self.detail.show_model(facts, why_not=self._why_not_loadable())

    def _free_words(self, free: FreeMemory) -> str:
        vram = f"VRAM {byte_size(free.vram_bytes)}" if free.vram_bytes is not None else "no GPU"
        beside = " beside the game" if self.bridge.state.phase in IN_VIEW else ""
        return f"free now{beside}: RAM {byte_size(free.ram_bytes)} · {vram}"

    def _why_not_loadable(self) -> str:
        """Return the reason why nothing can be loaded now; empty where it can."""
        phase = self.bridge.state.phase
        if phase in IN_VIEW:
            return ""
        if phase is Phase.OPENING:
            return "The game is being opened; then models can be loaded."
        if phase is Phase.LOST:
            return "The engine is gone and its models with it. Restart it on the Live page."
        return "Models are loaded for a game in view: open one on the Live page. Measuring needs none."

    def _open_detail(self) -> None:
        self._panes.bring(self.detail)
        self.detail.setFocus()

    # ---- changes

    def _change(self, name: str, changes: Mapping[str, object]) -> None:
        """Save options in the registry, in the background because a new projector is hashed."""

        def done(_: ModelEntry) -> None:
            self.detail.show_trouble(None)
            self.read()

        self._aside.ask(lambda: self._registry.change(name, **changes), done, self.detail.show_trouble)

    def _added(self, name: str) -> None:
        self._wanted = name
        self.read()

    def _ask_to_remove(self, facts: ModelViewModel) -> None:
        dialog = RemoveDialog(facts, self)
        dialog.confirmed.connect(lambda: self._remove(facts, delete_file=dialog.delete_file.isChecked()))
        dialog.open()

    def _remove(self, facts: ModelViewModel, *, delete_file: bool) -> None:
        if facts.presence is Presence.LOADED:
            self.bridge.send(commands.UnloadModel(name=facts.name))
        settings = self.bridge.settings
        for tier in facts.tiers:
            settings = settings.with_value("models", tier.value, "")
        if facts.tiers:
            self.tiers.save(settings)

        def remove() -> None:
            entry = self._registry.remove(facts.name)
            if delete_file:
                delete_model_file(Path(entry.path))

        self._aside.ask(remove, lambda _: self.read(), self._removed_badly)

    def _removed_badly(self, error: PitwallError) -> None:
        self.detail.show_trouble(error)
        self.read()
