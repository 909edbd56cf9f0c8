"""How a model is loaded (context, layers, threads, attention), and what that does to the memory it needs."""

from __future__ import annotations

import os
from typing import cast, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QSpinBox, QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, SectionTitle, column, row
from pitwall.console.kit.form.inputs import scroll_past
from pitwall.console.kit.theme import GAP, STEP, Look
from pitwall.console.models.format import layers
from pitwall.console.models.memory_bar import MemoryBar, MemoryLegend
from pitwall.console.models.view_model import LoadOptions, ModelViewModel
from pitwall.models.spec import FlashAttention

_EDITOR_WIDTH = 148
_LEAST_CONTEXT = 256
_MOST_CONTEXT = 1_048_576
_FEW_LAYERS = 999


class ModelOptions(QWidget):
    """The options of one model with the memory they take; nothing is in force before Save.

    Signals:
        saved(options): the operator wants these `LoadOptions` kept.
    """

    saved = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._facts: ModelViewModel | None = None
        self._drafts: dict[str, LoadOptions | None] = {}
        self.context = _number("Context", "tokens", _LEAST_CONTEXT, _MOST_CONTEXT, step=1024)
        self.gpu_layers = _number("GPU layers", "layers", -1, _FEW_LAYERS, step=1)
        self.threads = _number("Threads", "threads", 0, os.cpu_count() or 1, step=1)
        self.threads.setSpecialValueText("one a core but one")
        self.flash_attention = QComboBox()
        self.flash_attention.setAccessibleName("Flash attention")
        self.flash_attention.addItems(get_args(FlashAttention))
        self.flash_attention.setFixedWidth(_EDITOR_WIDTH)
        scroll_past(self.flash_attention)
        self._fits: dict[QWidget, Label] = {}
        self._lines = {
            box: self._line(name, box)
            for name, box in (
                ("GPU layers", self.gpu_layers),
                ("Context", self.context),
                ("Threads", self.threads),
            )
        }
        self._flash_line = self._line("Flash attention", self.flash_attention)
        self._fits[self.flash_attention].set_text("auto: on a GPU, not on the processor")
        self.projector = QLineEdit()
        self.projector.setAccessibleName("Projector file, lets a text model see")
        self.projector.setPlaceholderText("none: it sees no pictures")
        self.projector.textChanged.connect(self._edited)
        self._choose = Button("…", self._choose_projector, name="Choose the projector file")
        self._projector_line = QWidget()
        inside = row(self.projector, self._choose, gap=STEP)
        inside.setStretch(0, 1)
        below = column(Label("Projector", "dim"), gap=STEP)
        below.addLayout(inside)
        self._projector_line.setLayout(below)
        self._bars = {memory: MemoryBar(look, memory) for memory in ("VRAM", "RAM")}
        self._legend = MemoryLegend(look)
        self._memory_title = SectionTitle("Memory", "what the game leaves free")
        self._memory = Card(*self._bars.values(), self._legend)
        self._save = PrimaryButton("Save", self.save, name="Save the options")
        self._revert = Button("Revert", self.revert, kind="quiet", name="Revert the options")
        self._said = Label("", "note", wrap=True)
        for box in self._lines:
            box.valueChanged.connect(self._edited)
        self.flash_attention.currentTextChanged.connect(self._edited)
        self._options = Card(*self._lines.values(), self._flash_line, self._projector_line, self._said)
        self._options.body.addLayout(row(self._save, self._revert, None))
        layout = column(self._memory_title, self._memory, SectionTitle("Options"), self._options, gap=GAP)
        self.setLayout(layout)

    @property
    def options(self) -> LoadOptions:
        """As entered."""
        return LoadOptions(
            context=self.context.value(),
            gpu_layers=self.gpu_layers.value(),
            threads=self.threads.value(),
            flash_attention=cast(FlashAttention, self.flash_attention.currentText()),
            projector=self.projector.text().strip(),
        )

    @property
    def changed(self) -> bool:
        """Whether something was entered and not saved."""
        return self._facts is not None and self.options != self._facts.options

    @property
    def memory_words(self) -> tuple[str, ...]:
        """The bars in words, as they are shown."""
        return tuple(bar.words for bar in self._bars.values() if not bar.isHidden())

    def show_model(self, facts: ModelViewModel) -> None:
        """Show a model's options; what was entered for a model and not saved comes back with it."""
        if self._facts is not None:
            self._drafts[self._facts.name] = self.options if self.changed else None
        self._facts = facts
        self._bound(facts)
        self._fill(self._drafts.get(facts.name) or facts.options)
        self._edited()

    def save(self) -> None:
        if self.changed:
            self.saved.emit(self.options)

    def revert(self) -> None:
        if self._facts is not None:
            self._fill(self._facts.options)

    # ---- inside

    def _line(self, name: str, box: QWidget) -> QWidget:
        line = QWidget()
        fits = Label("", "note")
        self._fits[box] = fits
        words = column(Label(name), fits, gap=0)
        inside = row(gap=GAP)
        inside.addLayout(words, 1)
        inside.addWidget(box, 0, Qt.AlignmentFlag.AlignVCenter)
        line.setLayout(inside)
        return line

    def _bound(self, facts: ModelViewModel) -> None:
        """Bounds of this model, without telling a change."""
        most_context = facts.trained_context or _MOST_CONTEXT
        for box, least, most in (
            (self.context, _LEAST_CONTEXT, max(most_context, facts.options.context)),
            (self.gpu_layers, -1, facts.layers or _FEW_LAYERS),
        ):
            box.blockSignals(True)
            box.setRange(min(least, most), most)
            box.blockSignals(False)
        self.gpu_layers.setSpecialValueText(layers(-1, facts.layers))
        self._fits[self.context].set_text(f"{_LEAST_CONTEXT} … {most_context:,} tokens")
        self._fits[self.gpu_layers].set_text(f"0 … {facts.layers or _FEW_LAYERS}, or all")
        self._fits[self.threads].set_text(f"1 … {self.threads.maximum()}, or by itself")
        local, text = facts.kind != "remote", facts.kind == "gguf"
        self._lines[self.gpu_layers].setVisible(text)
        self._lines[self.threads].setVisible(local)
        self._lines[self.context].setVisible(facts.kind != "onnx")
        self._flash_line.setVisible(text)
        self._projector_line.setVisible(text)
        self._memory.setVisible(local)
        self._memory_title.setVisible(local)

    def _fill(self, options: LoadOptions) -> None:
        self.context.setValue(options.context)
        self.gpu_layers.setValue(options.gpu_layers)
        self.threads.setValue(options.threads)
        self.flash_attention.setCurrentText(options.flash_attention)
        self.projector.setText(options.projector)

    def _edited(self, *_: object) -> None:
        if self._facts is None:
            return
        self._save.setEnabled(self.changed)
        self._revert.setVisible(self.changed)
        shares = self._facts.shares_with(self.options)
        for memory, bar in self._bars.items():
            share = next((one for one in shares if one.memory == memory), None)
            bar.setVisible(share is not None)
            if share is not None:
                bar.show_share(share)
        self._legend.show_shares(shares)
        self._said.set_text(self._advice())
        self._said.setVisible(bool(self._said.full_text()))

    def _advice(self) -> str:
        if self._facts is None or not self.changed:
            return ""
        return (
            "Not saved yet. A loaded model is loaded anew with them."
            if self._facts.held
            else "Not saved yet."
        )

    def _choose_projector(self) -> None:
        file, _ = QFileDialog.getOpenFileName(
            self, "Projector of the model", self.projector.text(), "Projectors (*.gguf);;All files (*)"
        )
        if file:
            self.projector.setText(file)


def _number(name: str, unit: str, least: int, most: int, *, step: int) -> QSpinBox:
    box = QSpinBox()
    box.setAccessibleName(f"{name}, {unit}")
    box.setRange(least, most)
    box.setSingleStep(step)
    box.setSuffix(f" {unit}")
    box.setGroupSeparatorShown(True)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setFixedWidth(_EDITOR_WIDTH)
    scroll_past(box)
    return box
