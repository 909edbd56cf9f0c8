"""A field for a file: typed, chosen, or dropped onto it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.theme import STEP


def dropped_files(mime: QMimeData) -> list[Path]:
    """Local files that are dragged, in order."""
    return [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]


class _Line(QLineEdit):
    """Signals: dropped(path): a file was dropped onto it."""

    dropped = Signal(str)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = dropped_files(event.mimeData())
        if not files:
            super().dropEvent(event)
            return
        event.acceptProposedAction()
        self.setText(str(files[0]))
        self.dropped.emit(str(files[0]))


class PathField(QWidget):
    """A path with a button that opens the file dialog.

    Args:
        name: what the file is, for screen readers and the dialog's title.
        hint: stands in it while it is empty.
        kinds: the dialog's filter.

    Signals:
        changed(path): it was typed, chosen or dropped; once for each, after typing ended.
    """

    changed = Signal(str)

    def __init__(self, name: str, hint: str, kinds: str) -> None:
        super().__init__()
        self._name, self._kinds = name, kinds
        self._told = ""
        self.line = _Line()
        self.line.setAccessibleName(name)
        self.line.setPlaceholderText(hint)
        self.line.editingFinished.connect(self._tell)
        self.line.dropped.connect(lambda *_: self._tell())
        self.button = Button("Choose…", self._choose, name=f"Choose: {name}")
        layout = row(self.line, self.button, gap=STEP)
        layout.setStretch(0, 1)
        self.setLayout(layout)
        self.setFocusProxy(self.line)

    @property
    def path(self) -> str:
        """As it stands in the field, without quotes that a file manager may have put around it."""
        return self.line.text().strip().strip("'\"").removeprefix("file://")

    def set_path(self, path: str) -> None:
        """Put a path in, and tell it."""
        self.line.setText(path)
        self._tell()

    def _tell(self) -> None:
        if self.path != self._told:
            self._told = self.path
            self.changed.emit(self._told)

    def _choose(self) -> None:
        start = str(Path(self.path).parent) if self.path else ""
        file, _ = QFileDialog.getOpenFileName(self, self._name, start, self._kinds)
        if file:
            self.set_path(file)
