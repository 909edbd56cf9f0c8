"""Export to a file and import from one: what, in which format, and what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.form.inputs import Line
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.notification import NoteCard
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.memories import EditResult
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.memory.reader import ExportReport, MemoryReader
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.format import sentence

Format = Literal["jsonl", "graphml"]
_FORMATS = (("jsonl", "JSON lines: every kind of entry"), ("graphml", "GraphML: states and edges"))
_FILTERS = "Memories (*.jsonl *.graphml);;All files (*)"


class _FileDialog(OrderDialog):
    """A path, options, and what became of it; it stays open until it is closed."""

    def __init__(self, title: str, text: str, go: str, fields: tuple[Field, ...], parent: QWidget) -> None:
        super().__init__(title, text, go=go, leave="Close", parent=parent)
        self.form = Form(fields)
        self.form.edited.connect(self._look)
        path = self.form.editor("path")
        assert isinstance(path, Line)
        self.path = path
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.hide()
        self._note = NoteCard()
        for widget in (self.form, self._busy, self._note):
            self.body.addWidget(widget)
        self.go.setEnabled(False)

    @property
    def outcome(self) -> str:
        """Return the transfer's outcome; empty before."""
        return self._note.text

    def take_order(self) -> None:
        self._note.say("")
        self._busy.show()
        self.go.setEnabled(False)
        self.begin()

    def begin(self) -> None:
        """Start the export or import with the entered values."""
        raise NotImplementedError

    def _look(self, _key: str) -> None:
        self.go.setEnabled(bool(self.form.value("path")) and self._busy.isHidden())

    def _say(self, text: str, *, done: bool) -> None:
        self._busy.hide()
        self.go.setEnabled(True)
        self._note.say(text, "ok" if done else "stop")


class ExportDialog(_FileDialog):
    """Writes entries, or a snapshot of them, to a file.

    Args:
        snapshot: hash of the snapshot; empty: the current memory.
        name: its name, for the title.
    """

    def __init__(
        self, data: DataFolder, game_id: str, parent: QWidget, *, snapshot: str = "", name: str = ""
    ) -> None:
        path = Field(key="path", label="File", kind="new_file", name="File to write", files=_FILTERS)
        fields = (
            path,
            Field(key="format", label="Format", kind="choice", options=_FORMATS),
            Field(key="every_game", label="Every game", kind="flag", default=not game_id),
            Field(key="forgotten", label="Forgotten entries too", kind="flag"),
        )
        super().__init__(f"Export {name or 'the memory'}", "", "Export", fields, parent)
        self._reader = MemoryReader(data)
        self._aside = BackgroundWorker("memory export", self)
        self._game_id, self._snapshot = game_id, snapshot
        self.form.show_field("every_game", bool(game_id) and not snapshot)
        self.form.show_field("forgotten", not snapshot)

    def begin(self) -> None:
        values = self.form.values
        path, form, forgotten = Path(values["path"]), values["format"], values["forgotten"]
        game = "" if values["every_game"] else self._game_id

        def write() -> ExportReport:
            return self._reader.export(path, form, game_id=game, snapshot=self._snapshot, forgotten=forgotten)

        self._aside.ask(write, self._written, lambda error: self._say(error_sentence(error), done=False))

    def done(self, result: int) -> None:
        self._aside.close()
        self._reader.close()
        super().done(result)

    def _written(self, report: ExportReport) -> None:
        entries = counted(report.entries, "entry", "entries")
        self._say(" ".join((f"Wrote {entries} to {report.path}.", *report.notes)), done=True)

    def _look(self, key: str) -> None:
        path = self.form.value("path")
        if key == "format" and path:
            self.path.setText(str(Path(path).with_suffix(f".{self.form.value('format')}")))
        super()._look(key)


class ImportDialog(_FileDialog):
    """Takes in a file: all of it, or nothing.

    Signals:
        taken(): entries, or a snapshot, came in.
    """

    taken = Signal()

    def __init__(self, commands: MemoryCommands, game_id: str, parent: QWidget) -> None:
        rule = "All of it is taken in, or, where one row is faulty, nothing. It can be undone."
        hint = "A .jsonl or .graphml file"
        path = Field(key="path", label="File", kind="file", name="File to import", hint=hint, files=_FILTERS)
        here = f"As entries of {game_id}, whatever the file says"
        only = "Only as a snapshot: the memory stays as it is"
        fields = (
            path,
            Field(key="as_here", label=here, kind="flag"),
            Field(key="as_snapshot", label=only, kind="flag"),
        )
        super().__init__("Import into the memory", rule, "Import", fields, parent)
        self._commands, self._game_id = commands, game_id
        self.form.show_field("as_here", bool(game_id))

    def begin(self) -> None:
        values = self.form.values
        form: Format = "graphml" if _is_graph(values["path"]) else "jsonl"
        game = self._game_id if values["as_here"] else ""
        as_snapshot = bool(values["as_snapshot"])
        self._commands.take_in(values["path"], form, game, self._taken, as_snapshot=as_snapshot)

    def _taken(self, result: EditResult) -> None:
        if not result.done:
            self._say(sentence(result.what, result.fix), done=False)
            return
        if self.form.value("as_snapshot"):
            self._say(f"Kept as snapshot {result.content_hash[:12]}.", done=True)
        else:
            self._say(f"Took in {counted(len(result.entry_ids), 'entry', 'entries')}.", done=True)
        self.taken.emit()

    def _look(self, key: str) -> None:
        super()._look(key)
        graph = _is_graph(self.form.value("path"))
        self.form.enable("as_snapshot", not graph, "A snapshot is written as JSON lines")
        if graph and self.form.value("as_snapshot"):
            self.form.enter({"as_snapshot": False})


def _is_graph(path: str) -> bool:
    return path.lower().endswith(".graphml")
