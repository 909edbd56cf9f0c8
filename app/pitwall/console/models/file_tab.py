"""Adding a file from disk: looked at first, then hashed and added by a command aside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from pitwall.console.kit.elements import (
    Card,
    KeyValue,
    Label,
    PrimaryButton,
    clear_layout,
    column,
    row,
)
from pitwall.console.kit.form.inputs import PathField
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import BYTES, ProgressLine
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.console.models.memory_bar import MemoryBar, MemoryLegend
from pitwall.console.models.view_model import ModelViewModel
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.models.entry import ModelEntry
from pitwall.models.entry_from_file import entry_of_file, name_of
from pitwall.models.memory_estimate import FreeMemory, free_memory

MODEL_FILES = "Models (*.gguf *.onnx);;All files (*)"
_PROJECTORS = "Projectors (*.gguf);;All files (*)"


class Preview(QWidget):
    """What a file says of itself, and what it would take of memory; or why it is none."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._lines = Card(gap=STEP)
        self._bars = {memory: MemoryBar(look, memory) for memory in ("VRAM", "RAM")}
        self._legend = MemoryLegend(look)
        self._memory = Card(*self._bars.values(), self._legend, None)
        self._text = Label("", wrap=True)
        self._trouble = Card(self._text, tone="stop")
        layout = column(gap=GAP)
        beside = row(self._lines, self._memory, gap=GAP)
        beside.setStretch(0, 1)
        beside.setStretch(1, 1)
        layout.addLayout(beside)
        layout.addWidget(self._trouble)
        self.setLayout(layout)
        self.clear()

    @property
    def words(self) -> str:
        """Everything it says, as shown."""
        lines = [line.accessibleName() for line in self._lines.findChildren(KeyValue)]
        bars = [f"{name} {bar.words}" for name, bar in self._bars.items() if bar.isVisibleTo(self)]
        shown = lines if self._lines.isVisibleTo(self) else []
        return "\n".join(filter(None, (*shown, *bars, self._text.full_text())))

    def clear(self) -> None:
        for widget in (self._lines, self._memory, self._trouble):
            widget.hide()
        self._text.set_text("")
        clear_layout(self._lines.body)

    def show_facts(self, facts: ModelViewModel) -> None:
        """Header, and the estimate beside what is free now."""
        self.clear()
        for name, text, whole in facts.lines:
            if name == "File":
                continue
            line = KeyValue(name)
            line.set_value(text)
            line.setToolTip(whole)
            self._lines.body.addWidget(line)
        self._lines.show()
        for memory, bar in self._bars.items():
            share = next((one for one in facts.shares if one.memory == memory), None)
            bar.setVisible(share is not None)
            if share is not None:
                bar.show_share(share)
        self._legend.show_shares(facts.shares)
        self._memory.setVisible(bool(facts.shares))

    def show_trouble(self, text: str) -> None:
        """Why it is no model."""
        self.clear()
        self._text.set_text(text)
        self._trouble.show()


class FileTab(QWidget):
    """A file from disk: looked at first, then hashed and added by `pitwall models add` aside.

    Signals:
        added(name).
    """

    added = Signal(str)

    def __init__(self, data: DataFolder, look: Look, aside: BackgroundWorker) -> None:
        super().__init__()
        self._aside = aside
        self._looked_at = ""
        self.job = Job(self, data=data)
        self.job.answered.connect(self._answered)
        self.job.failed.connect(lambda error: self._rest(error_sentence(error), failed=True))
        self.job.cancelled.connect(lambda: self._rest("Cancelled. Nothing was added."))
        self.path = PathField("Model file", "Drop a GGUF or ONNX file here, or type its path", MODEL_FILES)
        self.path.changed.connect(self.look_at)
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the model")
        self.projector = PathField("Projector file", "none: only where the model is to see", _PROJECTORS)
        self.preview = Preview(look)
        self._hashing = ProgressLine(self.job, "Hashing the file", unit=BYTES)
        self._outcome_text = Label("", wrap=True)
        self._outcome = Card(self._outcome_text)
        self._add = PrimaryButton("Add", self.add, name="Add this file")
        self._lay_out()
        self._rest("")

    @property
    def outcome(self) -> str:
        """What came of it, as shown; empty before."""
        return self._outcome_text.full_text()

    def look_at(self, path: str) -> None:
        """Read the header aside and show it; the file is neither hashed nor added."""
        self._looked_at = path
        self._rest("")
        self.preview.clear()
        self._add.setEnabled(False)
        if not path:
            return
        file = Path(path).expanduser()

        def look() -> tuple[ModelEntry, int, FreeMemory]:
            return entry_of_file(file, name_of(file) or "model"), file.stat().st_size, free_memory()

        def show(found: tuple[ModelEntry, int, FreeMemory]) -> None:
            entry, count, free = found
            if path == self._looked_at:
                self.name.setPlaceholderText(entry.name)
                self.preview.show_facts(
                    ModelViewModel(entry=entry.model_copy(update={"size_bytes": count}), free=free)
                )
                self._projector_shown(entry.kind == "gguf")
                self._add.setEnabled(True)

        def refuse(error: PitwallError) -> None:
            if path == self._looked_at:
                self.preview.show_trouble(error_sentence(error))

        self._aside.ask(look, show, refuse)

    def add(self) -> None:
        """Hash and add the file that is looked at."""
        if not self._add.isEnabled() or self.job.running:
            return
        file = str(Path(self.path.path).expanduser())
        arguments = ["models", "add", file]
        if self.name.text().strip():
            arguments += ["--name", self.name.text().strip()]
        if self.projector.path:
            arguments += ["--projector", str(Path(self.projector.path).expanduser())]
        self._outcome.hide()
        self.job.start(arguments)
        self._hashing.begin()
        self._set_busy(True)

    # ---- inside

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setHorizontalSpacing(PAD)
        form.setVerticalSpacing(GAP)
        self._projector_name = Label("Projector", "dim")
        for at, (label, field) in enumerate(
            (
                (Label("File", "dim"), self.path),
                (Label("Name", "dim"), self.name),
                (self._projector_name, self.projector),
            )
        ):
            form.addWidget(label, at, 0)
            form.addWidget(field, at, 1)
        form.setColumnStretch(1, 1)
        layout = column(gap=GAP)
        layout.setContentsMargins(0, PAD, 0, 0)
        layout.addLayout(form)
        for widget in (self.preview, self._hashing, self._outcome):
            layout.addWidget(widget)
        layout.addLayout(row(self._add, None))
        layout.addStretch(1)
        self.setLayout(layout)

    def _projector_shown(self, shown: bool) -> None:
        self._projector_name.setVisible(shown)
        self.projector.setVisible(shown)

    def _set_busy(self, busy: bool) -> None:
        for widget in (self.path, self.name, self.projector):
            widget.setEnabled(not busy)
        self._add.setVisible(not busy)

    def _rest(self, text: str, *, failed: bool = False, added: bool = False) -> None:
        self._set_busy(False)
        self._outcome_text.set_text(text)
        self._outcome.set_tone("stop" if failed else "ok" if added else "neutral")
        self._outcome.setVisible(bool(text))

    def _answered(self, answer: Any) -> None:
        entry = answer["entry"]
        text = f"Added as {entry['name']}. Its SHA-256 is {entry['sha256']}."
        self._rest(" ".join(filter(None, (text, answer.get("note")))), added=True)
        self._add.setEnabled(False)
        self.added.emit(entry["name"])
