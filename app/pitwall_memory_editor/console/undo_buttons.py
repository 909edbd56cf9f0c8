"""Undo and Redo of the memory's edits: buttons that can be pressed while there is something to turn back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.command import Command
from pitwall.console.kit.elements import Button, row
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.reader import MemoryReadWorker


class UndoButtons(QWidget):
    """Holds both buttons, and their commands for the palette."""

    def __init__(self, reading: MemoryReadWorker, edits: MemoryCommands) -> None:
        super().__init__()
        self._reading, self._edits = reading, edits
        self.undo = Button("Undo", edits.undo, tip="Undo the last edit · Ctrl+Z")
        self.redo = Button("Redo", edits.redo, kind="quiet", tip="Redo the edit · Ctrl+Shift+Z")
        self.setLayout(row(self.undo, self.redo))
        self._allow((False, False))

    def read(self) -> None:
        """Read what can be undone and redone now."""
        self._reading.ask(lambda reader: reader.undoable(), self._allow, lambda _: None)

    def commands(self) -> Sequence[Command]:
        undo, redo = self.undo.isEnabled, self.redo.isEnabled
        return (
            Command(name="Undo the last memory edit", run=self._edits.undo, keys="Ctrl+Z", possible=undo),
            Command(name="Redo the memory edit", run=self._edits.redo, keys="Ctrl+Shift+Z", possible=redo),
        )

    def _allow(self, possible: tuple[bool, bool]) -> None:
        self.undo.setEnabled(possible[0])
        self.redo.setEnabled(possible[1])
