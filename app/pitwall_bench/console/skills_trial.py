"""Tries a model against the skills: the result of the last trial, and the button for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.command import Command
from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, row
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.theme import GAP, STEP
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.models.entry import ModelEntry

_ABOUT = (
    "A bundled puzzle is played for two minutes with this model and without it, on the same boards and on a "
    "screen of its own. The result is one sentence."
)
_PAUSED = "Stopped. The runs so far are kept; the trial resumes there."


class SkillsTrial(QWidget):
    """Runs `pitwall models trial`.

    Signals:
        changed(): a trial ended; its result is in the registry.
    """

    changed = Signal()

    def __init__(self, data: DataFolder) -> None:
        super().__init__()
        self._entry: ModelEntry | None = None
        self._name = ""
        self.job = Job(self, data=data)
        self.job.answered.connect(self._answered)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(lambda: self._rest(_PAUSED))
        self._result, self._error = Label("", wrap=True), Label("", "error", wrap=True)
        self._start = Button("Try against the skills", self.start)
        self._busy = ProgressLine(self.job, unit="s")
        card = Card(self._result, self._error, row(self._start, None), self._busy, gap=GAP)
        self.setLayout(column(SectionTitle("Is this model worth using?"), card, gap=STEP + 2))

    def commands(self) -> Sequence[Command]:
        """Return what the palette offers for the model in view."""
        named = "" if self._entry is None else self._entry.name
        return [Command(name=f"Try {named} against the skills", run=self.start)] if named else []

    def show_model(self, entry: ModelEntry) -> None:
        """Show a model; a running trial goes on."""
        other = self._entry is None or self._entry.name != entry.name
        self._entry = entry
        self.setVisible(entry.writes_text)
        if other and not self.job.running:
            self._rest()
        elif not self.job.running and not self._error.full_text():
            self._show_result()

    def start(self) -> None:
        """Start a trial, or resume one, unless one is running."""
        if self._entry is None or self.job.running:
            return
        self._name = self._entry.name
        self._error.show_text("")
        self.job.start(["models", "trial", self._name])
        self._start.setEnabled(False)
        self._busy.begin(f"Playing with and without {self._name}")

    def _answered(self, _answer: Any) -> None:
        self._rest()
        self.changed.emit()

    def _failed(self, error: PitwallError) -> None:
        self._rest()
        self._error.show_text(error_sentence(error))

    def _rest(self, note: str = "") -> None:
        self._error.show_text("")
        self._show_result(note)
        self._start.setEnabled(True)

    def _show_result(self, note: str = "") -> None:
        trial = self._entry.trial if self._entry is not None else None
        self._result.set_text(note or (trial.sentence if trial is not None else _ABOUT))
        name = self._entry.name if self._entry is not None else ""
        self._start.setText("Try again" if trial is not None else "Try against the skills")
        self._start.setAccessibleName(f"Try {name} against the skills")
