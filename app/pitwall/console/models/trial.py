"""Tries a model with a prompt (and a picture) of the operator's own; the answer is shown as it comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, row
from pitwall.console.kit.form.inputs import Lines, PathField
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.theme import GAP, STEP
from pitwall.console.models.format import speed
from pitwall.console.models.view_model import ModelViewModel
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import figure

_LINES = 3
_REPLY_LINES = 6
_PICTURES = "Pictures (*.png *.jpg *.jpeg *.webp *.bmp);;All files (*)"


class TrialPanel(QWidget):
    """Runs `pitwall models test`; the reply is shown as it comes."""

    def __init__(self, data: DataFolder) -> None:
        super().__init__()
        self._facts: ModelViewModel | None = None
        self.job = Job(self, data=data)
        self.job.line.connect(self._take_line)
        self.job.answered.connect(self._answered)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(lambda: self._rest("Stopped."))
        self.prompt = Lines("Test prompt", "Ask it something. Ctrl+Enter sends.", least=_LINES)
        self.prompt.sent.connect(self.send)
        self.prompt.textChanged.connect(self._allow)
        self.picture = PathField("Picture to send", "a picture, if you like", _PICTURES)
        self._send = Button("Send", self.send, name="Send the test prompt")
        self._stop = Button("Stop", self.job.cancel, name="Stop the test prompt")
        self._note, self._error = Label("", "note", wrap=True), Label("", "error", wrap=True)
        self.reply = QPlainTextEdit()
        self.reply.setReadOnly(True)
        self.reply.setAccessibleName("The model's reply")
        self.reply.setFixedHeight(self.reply.fontMetrics().lineSpacing() * _REPLY_LINES + 20)
        self.reply.hide()
        line = row(self._send, self._stop, self._note, stretch=2)
        card = Card(self.prompt, self.picture, self._error, self.reply, gap=GAP)
        card.body.insertLayout(2, line)
        self.setLayout(column(SectionTitle("Test prompt"), card, gap=STEP + 2))
        self._rest("")

    def show_model(self, facts: ModelViewModel) -> None:
        """Show a model; another model's answer is removed."""
        other = self._facts is None or self._facts.name != facts.name
        self._facts = facts
        self.picture.setVisible(facts.entry.sees)
        if other and not self.job.running:
            self.reply.clear()
            self.reply.hide()
            self._rest("")
        self._allow()

    def send(self) -> None:
        """Ask the model, unless it is answering."""
        text = self.prompt.toPlainText().strip()
        if not text or self._facts is None or self.job.running:
            return
        arguments = ["models", "test", self._facts.name, "--prompt", text]
        if self._facts.entry.sees and self.picture.path:
            arguments += ["--image", str(Path(self.picture.path))]
        self.reply.clear()
        self.reply.show()
        self._rest("Loading the model …")
        self.job.start(arguments)
        self._allow()

    # ---- answers

    def _take_line(self, value: Any) -> None:
        if isinstance(value, dict) and "streamed" in value:
            self.reply.moveCursor(QTextCursor.MoveOperation.End)
            self.reply.insertPlainText(str(value["streamed"]))
            self._note.set_text(f"{int(value.get('tokens', 0)):,} tokens …")

    def _answered(self, answer: Any) -> None:
        if not isinstance(answer, dict):
            return
        self.reply.setPlainText(str(answer.get("text", "")))
        parts = [
            f"{int(answer.get('output_tokens', 0)):,} tokens",
            speed(answer.get("tokens_per_s")) if answer.get("tokens_per_s") else "",
            f"first after {figure(answer.get('first_token_ms'), 'ms')}",
            str(answer.get("device", "")),
        ]
        self._rest(" · ".join(filter(None, parts)))

    def _failed(self, error: PitwallError) -> None:
        self._rest("", error_sentence(error))
        self.reply.setVisible(bool(self.reply.toPlainText()))

    def _rest(self, note: str, error: str = "") -> None:
        self._note.set_text(note)
        self._error.show_text(error)
        self._allow()

    def _allow(self) -> None:
        running = self.job.running
        self._send.setVisible(not running)
        self._stop.setVisible(running)
        self._send.setEnabled(self._facts is not None and bool(self.prompt.toPlainText().strip()))
        self.prompt.setReadOnly(running)
        self.picture.setEnabled(not running)
