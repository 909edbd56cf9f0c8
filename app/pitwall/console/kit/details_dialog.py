"""The dialog with the whole text of an error or a job's log, to read and copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.error_details import copy_text, details_text
from pitwall.console.kit.theme import WIDE, mono_font


class DetailsDialog(QDialog):
    """Shows a text that is too long for a line, under its title and a sentence."""

    def __init__(self, title: str, sentence: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.resize(760, 420)
        text = QPlainTextEdit(details)
        text.setReadOnly(True)
        text.setFont(mono_font())
        text.setAccessibleName("Details")
        whole = "\n".join(filter(None, (title, sentence, details)))
        copy = Button("Copy details", lambda: copy_text(details_text(whole)), kind="quiet")
        self.setLayout(
            column(
                Label(title, "title", wrap=True),
                Label(sentence, "dim", wrap=True),
                text,
                row(copy, None, Button("Close", self.accept)),
                margins=WIDE,
            )
        )
