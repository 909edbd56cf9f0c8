"""Tries other weights and other figures of an entry before they are saved ("what if")."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal

from pitwall.console.kit.elements import Button, Label, SectionTitle, column, holder, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import PAD, WIDE
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import SettingsError
from pitwall.core.memories import EditResult, FlagEntries, MemoryEdit, MemoryEntry, PutEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.retrieval import MemoryWeights, Retrieval
from pitwall.core.settings import Settings
from pitwall.memory.retrieval.retriever import weights_of
from pitwall_memory_editor.console.format import sentence
from pitwall_memory_editor.console.port import MemoryPort
from pitwall_memory_editor.console.saving import save_settings
from pitwall_memory_editor.console.why.inputs import EntryInputs, WeightInputs
from pitwall_memory_editor.console.why.rows import CandidateRow, imagine

_DEEDS_WIDTH = 260
_REASON = "tried out on a retrieval"


class WhatIf(ScrollPane):
    """Weights at the left, the chosen entry at the right.

    Signals:
        tried(): `result` is another one now.
        overtaken(entry): somebody else changed an entry meanwhile; as it is now.
    """

    tried = Signal()
    overtaken = Signal(object)

    def __init__(self, bridge: Bridge, port: MemoryPort) -> None:
        super().__init__("What if")
        self._bridge = bridge
        self._port = port
        self._base: Retrieval | None = None
        self._changes: dict[int, MemoryEntry] = {}
        self._row: CandidateRow | None = None
        self._entries: Mapping[int, MemoryEntry] = {}
        self.weights = WeightInputs()
        self.entry = EntryInputs()
        self._reset = Button("Reset", self.reset, kind="quiet", name="Take back everything that is tried")
        self._in_force = Button("Use those in force", self._use_those_in_force, kind="quiet")
        self.save = Button("Save weights", self._save_weights, name="Save the weights in the settings")
        self._result = Label("", "note", wrap=True)
        self._build()
        self.weights.tried.connect(self._weights_tried)
        self.entry.tried.connect(self._entry_tried)
        self.entry.save_wanted.connect(self._save_entry)
        bridge.settings_changed.connect(lambda *_: self._show_deeds())

    def _build(self) -> None:
        buttons = (row(button, None) for button in (self.save, self._in_force, self._reset))
        deeds = holder(column(SectionTitle("Keep it"), *buttons, self._result, None))
        deeds.setFixedWidth(_DEEDS_WIDTH)
        inside = Flow(2 * WIDE)
        for group in (self.weights, self.entry, deeds):
            inside.flow.addWidget(group)
        inside.setContentsMargins(WIDE, PAD, WIDE, PAD)
        self.setWidget(inside)

    # ---- what is tried

    @property
    def active(self) -> bool:
        """Return whether other weights or figures are being tried."""
        return self._base is not None and (bool(self._changes) or self.weights.weights != self._base.weights)

    @property
    def result(self) -> Retrieval | None:
        """Return the retrieval under the tried weights and figures."""
        if self._base is None:
            return None
        return imagine(self._base, self.weights.weights, self._changes)

    def show_retrieval(self, retrieval: Retrieval) -> None:
        """Start from a recorded retrieval and discard trials on another one."""
        self._base = retrieval
        self._changes = {}
        self.weights.show_weights(retrieval.weights, retrieval.weights)
        self._say("")
        self._show_entry()

    def show_row(self, row: CandidateRow | None) -> None:
        """Show the inputs of the chosen candidate."""
        self._row = row
        self._show_entry()

    def show_entries(self, entries: Mapping[int, MemoryEntry]) -> None:
        """Take the current entries of the candidates."""
        self._entries = entries
        self._show_entry()

    def reset(self) -> None:
        """Discard all trials."""
        if self._base is not None:
            self._changes = {}
            self.weights.show_weights(self._base.weights, self._base.weights)
            self._say("")
            self._show_entry()
            self.tried.emit()

    # ---- inside

    def _weights_tried(self, _: MemoryWeights) -> None:
        self._say("")
        self._show_deeds()
        self.tried.emit()

    def _entry_tried(self, tried: MemoryEntry) -> None:
        if tried == self.entry.entry:
            self._changes.pop(tried.entry_id, None)
        else:
            self._changes[tried.entry_id] = tried
        self._say("")
        self._show_deeds()
        self.tried.emit()

    def _use_those_in_force(self) -> None:
        if self._base is not None:
            self.weights.show_weights(weights_of(self._bridge.settings.memory), self._base.weights)
            self._weights_tried(self.weights.weights)

    def _show_entry(self) -> None:
        self._show_deeds()
        if self._row is None:
            self.entry.show_entry(None, None, "Choose a candidate to try other figures of its entry.")
            return
        number = self._row.candidate.entry_id
        entry = self._entries.get(number)
        if entry is None:
            self.entry.show_entry(None, None, f"Action {number} is not in the memory any more.")
            return
        self.entry.show_entry(entry, self._changes.get(number), _since(entry, self._row))

    def _show_deeds(self) -> None:
        in_force = weights_of(self._bridge.settings.memory)
        differ = self._base is not None and self.weights.weights != in_force
        self.save.setEnabled(differ)
        self._in_force.setEnabled(differ)
        self._reset.setEnabled(self.active)

    def _say(self, text: str, *, trouble: bool = False) -> None:
        self._result.set_text(text)
        self._result.set_tone("stop" if trouble else "ok" if text else "neutral")

    # ---- saving

    def _save_weights(self) -> None:
        try:
            settings = _with_weights(self._bridge.settings, self.weights.weights)
        except SettingsError as error:
            self._say(f"Not saved. {error}", trouble=True)
            return
        outcome = save_settings(self._bridge, settings)
        self._say(outcome.text, trouble=not outcome.done)
        self._show_deeds()

    def _save_entry(self, tried: MemoryEntry) -> None:
        number = tried.entry_id
        assert self.entry.entry is not None
        edit: MemoryEdit
        if tried.forgotten != self.entry.entry.forgotten:
            edit = FlagEntries(entry_ids=(number,), forgotten=tried.forgotten, reason=_REASON)
        else:
            edit = PutEntry(
                game_id=tried.game_id,
                content=tried.content,
                entry_id=number,
                version=tried.version,
                reason=_REASON,
            )
        self._say("Saving …")
        self._port.edit((edit,), lambda result: self._saved(number, result))

    def _saved(self, entry_id: int, result: EditResult) -> None:
        if result.conflicts:
            self._changes.pop(entry_id, None)
            for conflict in result.conflicts:
                if conflict.theirs is not None:
                    self.overtaken.emit(conflict.theirs)
            self.tried.emit()
            self._say(
                f"! Action {entry_id} was changed meanwhile, so nothing was saved. Its figures are shown as "
                "they are now: look again, then save.",
                trouble=True,
            )
        elif not result.done:
            self._say(f"! {sentence(result.what, result.fix)}", trouble=True)
        else:
            self._say(f"✓ Saved action {entry_id}: in force from the next decision on.")


def _with_weights(settings: Settings, weights: MemoryWeights) -> Settings:
    """Return the settings with these weights.

    Raises:
        SettingsError: a weight is outside its bounds.
    """
    for name in MemoryWeights.__slots__:
        settings = settings.with_value("memory", name, getattr(weights, name))
    return settings


def _since(entry: MemoryEntry, row: CandidateRow) -> str:
    """Describe the changes of an entry since it was retrieved; empty without changes."""
    content = entry.content
    if entry.forgotten:
        return "It was forgotten since this retrieval."
    if not isinstance(content, ActionMemory):
        return ""
    rate = content.successes / max(1, content.attempts)
    if abs(rate - row.before.success) > 0.005:
        return f"Since this retrieval its success rate went from {row.before.success:.2f} to {rate:.2f}."
    return ""
