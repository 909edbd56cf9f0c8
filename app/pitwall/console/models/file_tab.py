"""Adds a file from disk: its header is shown first, then a command hashes and adds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from pitwall.console.kit.elements import KeyValue, PrimaryButton, column, row
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import BYTES, ProgressLine
from pitwall.console.kit.notification import NoteCard
from pitwall.console.kit.theme import PAD, Look, Tone
from pitwall.console.models.load_options import PROJECTORS
from pitwall.console.models.memory_bar import MemoryNeed
from pitwall.console.models.properties import PropertiesCard
from pitwall.console.models.view_model import ModelViewModel
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.models.entry_from_file import entry_of_file, name_of
from pitwall.models.memory_estimate import free_memory
from pitwall.models.probed import PROBING

_FIELDS = (
    Field(
        key="file",
        label="File",
        name="Model file",
        kind="file",
        hint="Drop a GGUF or ONNX file here, or type its path",
        files="Models (*.gguf *.onnx);;All files (*)",
    ),
    Field(key="name", label="Name", name="Name of the model"),
    Field(
        key="projector",
        label="Projector",
        name="Projector file",
        kind="file",
        hint="optional: only for a model that sees",
        files=PROJECTORS,
    ),
)


class Preview(QWidget):
    """Shows a file's header and the memory it would take; or why it is no model."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._properties = PropertiesCard()
        self._need = MemoryNeed(look)
        self._trouble = NoteCard("stop")
        beside = row(self._properties, self._need, stretch=0)
        beside.setStretch(1, 1)
        self.setLayout(column(beside, self._trouble))
        self.clear()

    @property
    def words(self) -> str:
        """Return all text of the preview, as shown."""
        lines = self._properties.findChildren(KeyValue)
        shown = [line.accessibleName() for line in lines if line.isVisibleTo(self)]
        return "\n".join(filter(None, (*shown, *self._need.words, self._trouble.text)))

    def clear(self) -> None:
        self._properties.hide()
        self._need.hide()
        self._trouble.say("")

    def show_facts(self, facts: ModelViewModel) -> None:
        """Show the header, and the estimate beside the free memory."""
        self.clear()
        self._properties.show_entry(facts.entry, left_out="File")
        self._properties.show()
        self._need.show_shares(facts.shares)

    def show_trouble(self, text: str) -> None:
        self.clear()
        self._trouble.say(text)


class FileTab(QWidget):
    """Adds a file from disk by `pitwall models add`, which hashes and probes it.

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
        self.job.failed.connect(lambda error: self._rest(error_sentence(error), "stop"))
        self.job.cancelled.connect(self._cancelled)
        self.job.progressed.connect(lambda *_: self._show_stage())
        self.form = Form(_FIELDS, live=False)
        self.form.edited.connect(lambda key: self._look_at() if key == "file" else None)
        self.preview = Preview(look)
        self._busy = ProgressLine(self.job)
        self.outcome = NoteCard()
        self.go = PrimaryButton("Add", self.add, name="Add this file")
        self.go.setEnabled(False)
        parts = (self.form, self.preview, self._busy, self.outcome, row(self.go, None), None)
        self.setLayout(column(*parts, margins=(0, PAD, 0, 0)))

    def add(self) -> None:
        """Hash, add and probe the selected file."""
        if not self.go.isEnabled() or self.job.running:
            return
        values = self.form.values
        arguments = ["models", "add", str(Path(values["file"]).expanduser())]
        arguments += ["--name", values["name"]] if values["name"] else []
        if values["projector"]:
            arguments += ["--projector", str(Path(values["projector"]).expanduser())]
        self.outcome.say("")
        self.job.start(arguments)
        self._busy.begin("Hashing the file", unit=BYTES)
        self._set_busy(True)

    # ---- inside

    def _look_at(self) -> None:
        """Read the header in the background and show it; the file is neither hashed nor added."""
        path = self.form.value("file")
        if path == self._looked_at:
            return
        self._looked_at = path
        self._rest("")
        self.preview.clear()
        self.go.setEnabled(False)
        if not path:
            return
        file = Path(path).expanduser()

        def look() -> ModelViewModel:
            entry = entry_of_file(file, name_of(file) or "model")
            entry = entry.model_copy(update={"size_bytes": file.stat().st_size})
            return ModelViewModel(entry=entry, free=free_memory())

        def show(facts: ModelViewModel) -> None:
            if path == self._looked_at:
                self._show(facts)

        def refuse(error: PitwallError) -> None:
            if path == self._looked_at:
                self.preview.show_trouble(error_sentence(error))

        self._aside.ask(look, show, refuse)

    def _show(self, facts: ModelViewModel) -> None:
        name = self.form.editor("name")
        assert isinstance(name, QLineEdit)
        name.setPlaceholderText(facts.name)
        self.preview.show_facts(facts)
        self.form.show_field("projector", facts.kind == "gguf")
        self.go.setEnabled(True)

    def _set_busy(self, busy: bool) -> None:
        self.form.setEnabled(not busy)
        self.go.setVisible(not busy)

    @property
    def _probing(self) -> bool:
        return self.job.progress.stage == PROBING

    def _show_stage(self) -> None:
        if self._probing:
            self._busy.begin("Added; probing what it can do", unit="questions")

    def _cancelled(self) -> None:
        if not self._probing:
            self._rest("Cancelled. Nothing was added.")
            return
        self._rest(
            "Added, but the probe was stopped: its card is incomplete. Measure it to complete the card."
        )
        self.go.setEnabled(False)
        name = self.form.editor("name")
        assert isinstance(name, QLineEdit)
        self.added.emit(self.form.value("name") or name.placeholderText())

    def _rest(self, text: str, tone: Tone = "neutral") -> None:
        self._set_busy(False)
        self.outcome.say(text, tone)

    def _answered(self, answer: Any) -> None:
        entry = answer["entry"]
        text = f"Added as {entry['name']}. Its SHA-256 is {entry['sha256']}."
        self._rest(" ".join(filter(None, (text, answer.get("note")))), "ok")
        self.go.setEnabled(False)
        self.added.emit(entry["name"])
