"""The line that says where a report was written, and opens it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame

from pitwall.console.kit.elements import Button, Label, row, set_property
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE


class ReportLine(QFrame):
    """Hidden until something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("sayLine")
        set_property(self, "tone", "ok")
        self._files: Sequence[Path] = ()
        self._text = Label("", wrap=True)
        self._open = Button("Open", self._open_first, kind="link", name="Open what was written")
        self._folder = Button("Show folder", self._open_folder, kind="link", name="Show the report's folder")
        close = Button("Close", self.hide, kind="quiet", name="Close this line")
        layout = row(self._text, self._open, self._folder, close, gap=PAD)
        layout.setStretch(0, 1)
        layout.setContentsMargins(WIDE, STEP, GAP, STEP)
        self.setLayout(layout)
        self.hide()

    @property
    def text(self) -> str:
        """The text in view; empty while the line is hidden."""
        return self._text.full_text() if not self.isHidden() else ""

    def show_files(self, files: Sequence[Path]) -> None:
        """Say what was written."""
        if not files:
            return
        self._files = files
        names = ", ".join(one.name for one in files)
        self._text.set_text(f"✓ Wrote {names} in {files[0].parent}")
        self._open.setVisible(len(files) == 1 or files[0].suffix == ".html")
        self._open.setToolTip(str(files[0]))
        self.show()

    def _open_first(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._files[0])))

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._files[0].parent)))
