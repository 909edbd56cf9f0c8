"""Edits the loading options of a model (context, layers, threads, attention) beside the memory they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, SectionTitle, column, row
from pitwall.console.kit.form.fault_line import keep_room
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.theme import GAP, Look
from pitwall.console.models.format import layers
from pitwall.console.models.memory_bar import MemoryNeed
from pitwall.console.models.view_model import ModelViewModel
from pitwall.models.click_scale import CLICK_SCALE_WORDS
from pitwall.models.container_limits import processors
from pitwall.models.spec import FlashAttention

PROJECTORS = "Projectors (*.gguf);;All files (*)"
_WIDTH = 148
_LEAST_CONTEXT, _MOST_CONTEXT = 256, 1_048_576
_MOST_LAYERS = 999
_CORES = processors()
_CLICKS = "click_scale"
_FIELDS = (
    Field(key="gpu_layers", label="GPU layers", kind="number", unit="layers", least=-1, width=_WIDTH),
    Field(key="context", label="Context", kind="number", unit="tokens", step=1024, width=_WIDTH),
    Field(
        key="threads",
        label="Threads",
        kind="number",
        unit="threads",
        most=_CORES,
        special="automatic",
        help=f"1 … {_CORES}; automatic leaves one core to the game",
        width=_WIDTH,
    ),
    Field(
        key="flash_attention",
        label="Flash attention",
        kind="choice",
        options=get_args(FlashAttention),
        help="auto: on a GPU, not on the processor",
        width=_WIDTH,
    ),
    Field(
        key=_CLICKS,
        label="Clicks are written in",
        kind="choice",
        options=(("", "as the click test found"), *CLICK_SCALE_WORDS.items()),
        width=_WIDTH,
    ),
)
_PROJECTOR = Field(
    key="projector",
    label="Projector",
    kind="file",
    name="Projector file, lets a text model see",
    hint="none: it sees no pictures",
    files=PROJECTORS,
)
_OF_KIND = {
    "gguf": ("gpu_layers", "context", "threads", "flash_attention"),
    "onnx": ("threads",),
    "remote": ("context",),
}


class ModelOptions(QWidget):
    """The options of one model with the memory they take; they apply once they are saved.

    Signals:
        saved(changes): the operator saves these options: name → value, of those that changed.
    """

    saved = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._facts: ModelViewModel | None = None
        self._drafts: dict[str, dict[str, Any]] = {}
        self.form = Form(_FIELDS, layout="explained")
        self.projector = Form([_PROJECTOR], layout="above")
        self.need = MemoryNeed(look)
        self._memory_title = SectionTitle("Memory it needs", "what the game leaves free")
        self._save = PrimaryButton("Save", self.save, name="Save the options")
        self._revert = Button("Revert", self.revert, kind="quiet", name="Revert the options")
        self._advice = Label("", "note", wrap=True)
        keep_room(self._advice)
        options = Card(self.form, self.projector, self._advice)
        options.body.addLayout(row(self._save, self._revert, None))
        self.setLayout(column(self._memory_title, self.need, SectionTitle("Options"), options, gap=GAP))
        for form in (self.form, self.projector):
            form.edited.connect(lambda _: self._show())

    @property
    def changed(self) -> dict[str, Any]:
        """Return the options that were entered and not saved."""
        if self._facts is None:
            return {}
        entered, entry = self.form.values | self.projector.values, self._facts.entry
        return {key: value for key, value in entered.items() if value != getattr(entry, key)}

    def show_model(self, facts: ModelViewModel) -> None:
        """Show a model's options; unsaved options of a model come back with it."""
        entered, other = self.changed, self._facts is None or self._facts.name != facts.name
        if other:
            if self._facts is not None:
                self._drafts[self._facts.name] = entered
            entered = self._drafts.get(facts.name, {})
        self._facts = facts
        self._bound(facts)
        self._fill(entered, keep_focused=not other)

    def save(self) -> None:
        if self.changed:
            self.saved.emit(self.changed)

    def revert(self) -> None:
        self._fill({})

    # ---- inside

    def _bound(self, facts: ModelViewModel) -> None:
        form, kind = self.form, facts.kind
        most, most_layers = facts.trained_context or _MOST_CONTEXT, facts.layers or _MOST_LAYERS
        form.number("context").set_bounds(min(_LEAST_CONTEXT, most), max(most, facts.entry.context))
        form.number("gpu_layers").set_bounds(-1, most_layers)
        form.number("gpu_layers").setSpecialValueText(layers(-1, facts.layers))
        form.show_help("context", f"{_LEAST_CONTEXT} … {most:,}")
        form.show_help("gpu_layers", f"0 … {most_layers}, or all")
        form.show_only((*_OF_KIND[kind], *((_CLICKS,) if facts.entry.sees else ())))
        self.projector.setVisible(kind == "gguf")
        self._memory_title.setVisible(kind != "remote")

    def _fill(self, entered: Mapping[str, Any], *, keep_focused: bool = False) -> None:
        if self._facts is None:
            return
        for form in (self.form, self.projector):
            saved = {key: getattr(self._facts.entry, key) for key in form.fields}
            values = {key: entered.get(key, value) for key, value in saved.items()}
            form.show_values(values, keep_focused=keep_focused)
        self._show()

    def _show(self) -> None:
        if self._facts is None:
            return
        changed = self.changed
        self._save.setEnabled(bool(changed))
        self._revert.setVisible(bool(changed))
        self.need.show_shares(self._facts.shares_with(changed))
        anew = " A loaded model is loaded again with them." if self._facts.held else ""
        self._advice.set_text(f"Not saved yet.{anew}")
        self._advice.setVisible(bool(changed))
