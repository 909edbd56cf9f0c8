"""What the analyser says of a version: its sentences, as text to read and to copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QWidget

from pitwall.console.pages.lab_facts import ModuleKey
from pitwall.console.theme import GAP, Look, mono_font
from pitwall.console.widgets.panels import Button, EmptyState, PrimaryButton, column, row


class AnalysisTab(QWidget):
    """Keeps the newest analysis of each version. Signals: analyse_wanted()."""

    analyse_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._known: dict[tuple[ModuleKey, str], Mapping[str, Any]] = {}
        self._empty = EmptyState(
            "Not analysed yet",
            "Action use, parts of the reward, trends of the state, stability and regressions: what the "
            "training showed, in sentences. The improve loop reads the same.",
            PrimaryButton("Analyse", self.analyse_wanted.emit, name="Analyse this version"),
        )
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.text.setAccessibleName("Analysis")
        found = QWidget()
        lines = column(gap=GAP)
        lines.addLayout(row(None, Button("Analyse again", self.analyse_wanted.emit)))
        lines.addWidget(self.text, 1)
        found.setLayout(lines)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(found)
        self.setLayout(column(self._stack))

    def keep(self, key: ModuleKey, version: str, answer: Mapping[str, Any]) -> None:
        """Keep an analysis, in place of an older one."""
        self._known[key, version] = answer

    def show_version(self, key: ModuleKey, version: str) -> None:
        """Show a version's analysis, or that there is none."""
        found = self._known.get((key, version))
        self._stack.setCurrentIndex(1 if found is not None else 0)
        text = str(found.get("text", "")) if found is not None else ""
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
