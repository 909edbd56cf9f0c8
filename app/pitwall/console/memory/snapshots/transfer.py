"""Export to a file and import from one: what, in which format, and what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFileDialog, QLineEdit, QProgressBar, QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, column, row
from pitwall.console.kit.format import counted
from pitwall.console.kit.theme import GAP, STEP, WIDE
from pitwall.console.memory.commands import MemoryCommands
from pitwall.console.memory.format import refusal, sentence
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.memories import EditResult
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import ExportReport, MemoryReader

Format = Literal["jsonl", "graphml"]
_WIDTH = 560
_FORMATS: dict[str, Format] = {
    "JSON lines: every kind of entry": "jsonl",
    "GraphML: states and edges": "graphml",
}
_FILTERS = "Memories (*.jsonl *.graphml);;All files (*)"


class _FileDialog(QDialog):
    """A path, options, and a line that says what became of it."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setMinimumWidth(_WIDTH)
        self.path = QLineEdit()
        self.path.textChanged.connect(self._look)
        self._choose = Button("Choose…", self._ask_path)
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.hide()
        self._said_text = Label("", wrap=True)
        self._said = Card(self._said_text)
        self._said.hide()
        self._go = PrimaryButton("", self.begin)
        self._close = Button("Close", self.reject, kind="quiet")
        line = row(self.path, self._choose, gap=STEP)
        line.setStretch(0, 1)
        self._body = column(Label(title, "title"), gap=GAP)
        self._body.addLayout(line)
        self._body.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        self.setLayout(self._body)

    @property
    def said(self) -> str:
        """What became of it; empty while nothing did."""
        return self._said_text.full_text() if not self._said.isHidden() else ""

    def begin(self) -> None:
        """Do it."""

    def _end(self) -> None:
        """Everything under the options, once they stand."""
        self._body.addWidget(self._busy)
        self._body.addWidget(self._said)
        self._body.addLayout(row(None, self._close, self._go))
        self._look()

    def _ask_path(self) -> None:
        """Ask for a file."""

    def _look(self, *_: object) -> None:
        self._go.setEnabled(bool(self.path.text().strip()))

    def _show_busy(self, busy: bool) -> None:
        self._busy.setVisible(busy)
        self._go.setEnabled(not busy)
        if busy:
            self._said.hide()

    def _say(self, text: str, *, done: bool) -> None:
        self._show_busy(False)
        self._said_text.set_text(text)
        self._said.set_tone("ok" if done else "stop")
        self._said.show()


class ExportDialog(_FileDialog):
    """Writes entries, or a snapshot of them, to a file.

    Args:
        snapshot: hash of the snapshot that is written; empty: the memory as it stands.
        name: what it is called, for the title.
    """

    def __init__(
        self, data: DataFolder, game_id: str, parent: QWidget, *, snapshot: str = "", name: str = ""
    ) -> None:
        super().__init__(f"Export {name or 'the memory'}", parent)
        self._reader = MemoryReader(data)
        self._aside = BackgroundWorker("memory export", self)
        self._game_id = game_id
        self._snapshot = snapshot
        self.path.setAccessibleName("File to write")
        self.path.setPlaceholderText("File to write")
        self.format = QComboBox()
        self.format.setAccessibleName("Format")
        self.format.addItems(list(_FORMATS))
        self.format.currentIndexChanged.connect(self._rename)
        self.every_game = QCheckBox("Every game")
        self.forgotten = QCheckBox("Forgotten entries too")
        self._body.addWidget(self.format)
        self._body.addLayout(row(self.every_game, self.forgotten, None, gap=WIDE))
        self.every_game.setVisible(bool(game_id) and not snapshot)
        self.every_game.setChecked(not game_id)
        self.forgotten.setVisible(not snapshot)
        self._go.setText("Export")
        self._end()

    def begin(self) -> None:
        path, form = Path(self.path.text().strip()), _FORMATS[self.format.currentText()]
        game = "" if self.every_game.isChecked() else self._game_id
        forgotten = self.forgotten.isChecked()
        self._show_busy(True)

        def write() -> ExportReport:
            return self._reader.export(path, form, game_id=game, snapshot=self._snapshot, forgotten=forgotten)

        self._aside.ask(write, self._written, lambda error: self._say(refusal(error), done=False))

    def done(self, result: int) -> None:
        self._aside.close()
        self._reader.close()
        super().done(result)

    def _written(self, report: ExportReport) -> None:
        what = counted(report.entries, "entry", "entries")
        self._say(" ".join((f"Wrote {what} to {report.path}.", *report.notes)), done=True)

    def _ask_path(self) -> None:
        suffix = _FORMATS[self.format.currentText()]
        file, _ = QFileDialog.getSaveFileName(
            self, self.windowTitle(), self.path.text() or f"memory.{suffix}", _FILTERS
        )
        if file:
            self.path.setText(file)

    def _rename(self) -> None:
        text = self.path.text().strip()
        if text:
            self.path.setText(str(Path(text).with_suffix(f".{_FORMATS[self.format.currentText()]}")))


class ImportDialog(_FileDialog):
    """Takes in a file: all of it, or nothing.

    Signals:
        taken(): entries, or a snapshot, came in.
    """

    taken = Signal()

    def __init__(self, commands: MemoryCommands, game_id: str, parent: QWidget) -> None:
        super().__init__("Import into the memory", parent)
        self._commands = commands
        self._game_id = game_id
        self.path.setAccessibleName("File to import")
        self.path.setPlaceholderText("A .jsonl or .graphml file")
        self.as_here = QCheckBox(f"As entries of {game_id}, whatever the file says")
        self.as_here.setVisible(bool(game_id))
        self.as_snapshot = QCheckBox("Only as a snapshot: the memory stays as it is")
        rule = "All of it is taken in, or, where one row is faulty, nothing. It can be undone."
        note = Label(rule, "note", wrap=True)
        for widget in (self.as_here, self.as_snapshot, note):
            self._body.addWidget(widget)
        self._go.setText("Import")
        self._end()

    def begin(self) -> None:
        path = self.path.text().strip()
        form: Format = "graphml" if path.lower().endswith(".graphml") else "jsonl"
        game = self._game_id if self.as_here.isChecked() else ""
        self._show_busy(True)
        self._commands.take_in(path, form, game, self._taken, as_snapshot=self.as_snapshot.isChecked())

    def _taken(self, result: EditResult) -> None:
        if not result.done:
            self._say(sentence(result.what, result.fix), done=False)
            return
        if self.as_snapshot.isChecked():
            self._say(f"Kept as snapshot {result.content_hash[:12]}.", done=True)
        else:
            self._say(f"Took in {counted(len(result.entry_ids), 'entry', 'entries')}.", done=True)
        self.taken.emit()

    def _ask_path(self) -> None:
        file, _ = QFileDialog.getOpenFileName(self, self.windowTitle(), self.path.text(), _FILTERS)
        if file:
            self.path.setText(file)

    def _look(self, *_: object) -> None:
        super()._look()
        graph = self.path.text().strip().lower().endswith(".graphml")
        self.as_snapshot.setEnabled(not graph)
        if graph:
            self.as_snapshot.setChecked(False)
