"""A short chat with a model: it is loaded once, each reply is shown as it comes, with its speed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, row
from pitwall.console.kit.form.inputs import Lines, PathField
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import GAP, STEP, Look, ui_font
from pitwall.console.models.format import speed
from pitwall.console.models.view_model import ModelViewModel
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted, figure

_LINES, _TALK_LINES = 2, 12
_PICTURES = "Pictures (*.png *.jpg *.jpeg *.webp *.bmp);;All files (*)"


class Transcript(QTextEdit):
    """Shows a conversation to read, select and copy; a model's text is never interpreted as markup."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.setReadOnly(True)
        self.setAccessibleName("The conversation")
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _TALK_LINES + 20)

    def begin_turn(self, who: str) -> None:
        """Begin what somebody says."""
        cursor = self._end()
        if not self.document().isEmpty():
            block = QTextBlockFormat()
            block.setTopMargin(GAP)
            cursor.insertBlock(block)
        name = QTextCharFormat()
        name.setFont(ui_font(12, bold=True))
        name.setForeground(self._look.colour("dim"))
        cursor.insertText(spoken(who), name)
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())

    def add(self, text: str) -> None:
        """Append to what is being said; a view at the end follows."""
        bar = self.verticalScrollBar()
        follow = bar.value() >= bar.maximum() - 2
        self._end().insertText(text, QTextCharFormat())
        if follow:
            bar.setValue(bar.maximum())

    def _end(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor


class ChatPanel(QWidget):
    """Runs `pitwall models chat`, which stays with its model until another is chosen."""

    def __init__(self, data: DataFolder, look: Look) -> None:
        super().__init__()
        self._facts: ModelViewModel | None = None
        self._answering, self._streamed = "", False
        self.job = Job(self, data=data)
        self.job.line.connect(self._take_line)
        self.job.answered.connect(lambda _: self._ended())
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(self._ended)
        self.prompt = Lines("Your message", "Say something. Ctrl+Enter sends.", least=_LINES)
        self.prompt.sent.connect(self.send)
        self.prompt.textChanged.connect(self._allow)
        self.picture = PathField("Picture to send", "a picture, if you like", _PICTURES)
        self._send = Button("Send", self.send, name="Send your message")
        self._stop = Button("Stop", self.stop, name="Stop this reply")
        self._end = Button("New chat", self.end, kind="quiet", name="End this chat and free the model")
        self._note, self._error = Label("", "note", wrap=True), Label("", "error", wrap=True)
        self.talk = Transcript(look)
        self.talk.hide()
        line = row(self._send, self._stop, self._end, self._note, stretch=3)
        card = Card(self.talk, self.prompt, self.picture, self._error, gap=GAP)
        card.body.addLayout(line)
        self.setLayout(column(SectionTitle("Chat"), card, gap=STEP + 2))
        self._rest("")

    @property
    def answering(self) -> bool:
        """Return whether a reply is awaited or being written."""
        return bool(self._answering)

    def show_model(self, facts: ModelViewModel) -> None:
        """Show a model; the chat with another one ends."""
        other = self._facts is None or self._facts.name != facts.name
        self._facts = facts
        self.picture.setVisible(facts.entry.sees)
        self.setVisible(facts.entry.writes_text)
        if other:
            self.end()
        self._allow()

    def send(self) -> None:
        """Say the message, unless the model is answering; the first message loads it."""
        text = self.prompt.toPlainText().strip()
        if not text or self._facts is None or self.answering or self.job.cancelling:
            return
        message = {"text": text}
        if self._facts.entry.sees and self.picture.path:
            message["image"] = str(Path(self.picture.path))
        loaded = self.job.running
        if not loaded:
            self.talk.clear()
            self.job.start(["models", "chat", self._facts.name])
        self.job.send(message)
        self._answering, self._streamed = text, False
        self.talk.show()
        self.talk.begin_turn("You")
        self.talk.add(text)
        self.prompt.clear()
        self._rest("Reading …" if loaded else "Loading the model …")

    def stop(self) -> None:
        """End the reply; what was written stays, and the model too."""
        self.job.send({"cancel": True})
        self._rest("Stopping …")

    def end(self) -> None:
        """End the chat, and free its model."""
        self._answering = ""
        self.job.cancel()
        self.talk.clear()
        self.talk.hide()
        self._rest("")

    # ---- answers

    def _take_line(self, value: Any) -> None:
        if not isinstance(value, dict) or not self.answering:
            return
        if "loaded" in value:
            self._rest("Reading …")
        elif "streamed" in value:
            self._begin_reply()
            self.talk.add(str(value["streamed"]))
            self._note.set_text(f"{counted(int(value.get('tokens', 0)), 'token')} …")
        elif "reply" in value:
            self._begin_reply()
            self._answering = ""
            self._rest(_figures(value))
        elif "refused" in value:
            refused = value["refused"]
            self._take_back(f"{refused.get('what', '')} {refused.get('fix', '')}".strip())

    def _begin_reply(self) -> None:
        if not self._streamed and self._facts is not None:
            self._streamed = True
            self.talk.begin_turn(self._facts.name)

    def _take_back(self, error: str) -> None:
        """Give a message that was not answered back to its writer."""
        if not self.prompt.toPlainText():
            self.prompt.setPlainText(self._answering)
        self._answering = ""
        self._rest("", error)

    def _failed(self, error: PitwallError) -> None:
        self._take_back(error_sentence(error))

    def _ended(self) -> None:
        if self.answering:
            self._take_back("The chat has ended.")
        self._allow()

    def _rest(self, note: str, error: str = "") -> None:
        self._note.set_text(note)
        self._error.show_text(error)
        self._allow()

    def _allow(self) -> None:
        self._send.setVisible(not self.answering)
        self._stop.setVisible(self.answering)
        self._end.setVisible(self.job.running and not self.answering)
        ready = self._facts is not None and not self.job.cancelling
        self._send.setEnabled(ready and bool(self.prompt.toPlainText().strip()))
        self.picture.setEnabled(not self.answering)


def _figures(reply: dict[str, Any]) -> str:
    parts = [
        counted(int(reply.get("output_tokens", 0)), "token"),
        speed(reply.get("tokens_per_s")) if reply.get("tokens_per_s") else "",
        f"first after {figure(reply.get('first_token_ms'), 'ms')}",
        str(reply.get("device", "")),
        "stopped" if reply.get("finish") == "cancelled" else "",
    ]
    return " · ".join(filter(None, parts))
