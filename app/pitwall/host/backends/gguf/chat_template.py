"""Writes messages as one text by the model's own chat template, and records where each span is in it.

A template that refuses or drops a system message gets it folded into the next user message; a model
without a usable template gets plain headings. Where a probe found that a model answers better in another form
(`models/probe.py`), it is asked in that one.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
import secrets
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from pitwall.core.prompts import ChatRole, Message
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.models.probed import PromptForm

_PAD = "\u2003"
"""White space that no template writes: if it is missing afterwards, the template trims."""
_TURN_END = "<|im_end|>"
_CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    f"{_TURN_END}\n{{% endfor %}}<|im_start|>assistant\n"
)
_LONGEST_S = 2.0
"""Time that a template may take; usual templates take less than 10 ms."""
_HEADINGS: dict[ChatRole, str] = {"system": "Instructions:", "user": "User:", "assistant": "Assistant:"}


class TemplateTooSlow(Exception):
    """A chat template computes too long: a damaged or hostile file may hold loops without end."""


@dataclass(frozen=True, slots=True)
class Place:
    """Marks a place in a text, as offsets of characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A whole prompt as one text.

    Attributes:
        spans: the place of each of the prompt's spans, in order.
        contents: the places of messages; the rest belongs to the template.
    """

    text: str
    spans: tuple[Place, ...]
    contents: tuple[Place, ...]
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A text in a turn; `span` is its number in the prompt, −1 for text that the template adds."""

    text: str
    span: int = -1


@dataclass(frozen=True, slots=True)
class _Turn:
    role: ChatRole
    pieces: tuple[_Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class Chat:
    """Renders prompts for one model."""

    def __init__(self, model: GgufModel) -> None:
        self.note = ""
        """The missing template, as one sentence; empty if the model has a template that parses."""
        self._own: Jinja2ChatFormatter | None = None
        self._chatml = _formatter(model, _CHATML)
        if not model.template:
            self.note = "It has no chat template: prompts are written with plain headings."
            return
        try:
            self._own = _formatter(model, model.template)
        except Exception as error:  # whatever its Jinja does
            self.note = (
                f"Its chat template does not parse ({error}): prompts are written with plain headings."
            )

    def render(
        self,
        messages: Sequence[Message],
        picture_mark: str,
        form: PromptForm = PromptForm.AUTO,
        tools: Sequence[object] = (),
    ) -> Rendered:
        """Return the prompt that asks for the next reply; `picture_mark` marks the place of a picture.

        The model's own template also gets the functions that it may call. A form that the template refuses
        gives way to plain headings.
        """
        turns = _turns(messages, picture_mark)
        spans = sum(len(message.spans) for message in messages)
        if form is PromptForm.RAW:
            written = _Written(spans)
            for turn in turns:
                written.add_turn(turn, trimmed=False)
                written.add("\n")
            return written.rendered()
        chatml = form in (PromptForm.CHATML, PromptForm.CHATML_FOLDED)
        formatter = self._chatml if chatml else self._own
        if formatter is None or form is PromptForm.PLAIN:
            return _plain(turns, spans)
        tried = (turns, _folded(turns))[form in (PromptForm.FOLDED, PromptForm.CHATML_FOLDED) :]
        try:
            for shape in tried:
                rendered = _by_template(formatter, shape, spans, (_TURN_END,) if chatml else (), tools)
                if rendered is not None:
                    return rendered
        except TemplateTooSlow:
            self._own = None
            self.note = f"Its chat template takes more than {_LONGEST_S:g} s: plain headings stand for it."
        return _plain(turns, spans)


def _formatter(model: GgufModel, template: str) -> Jinja2ChatFormatter:
    return Jinja2ChatFormatter(template=template, eos_token=model.end_text, bos_token=model.begin_text)


def _by_template(
    formatter: Jinja2ChatFormatter,
    turns: Sequence[_Turn],
    spans: int,
    stops: Sequence[str],
    tools: Sequence[object] = (),
) -> Rendered | None:
    """Return the prompt as a template writes it; None if it refuses the turns or drops one.

    The template gets a mark for each turn's text, so no text can be taken for the
    template's own, and the texts are put in afterwards.
    """
    marks = [f"[{secrets.token_hex(8)}]" for _ in turns]
    messages = [
        {"role": turn.role, "content": f"{_PAD}{mark}{_PAD}"} for turn, mark in zip(turns, marks, strict=True)
    ]
    try:
        with _bounded(_LONGEST_S):
            # Models that can think aloud are asked not to: the grammar wants the reply at once.
            given: dict[str, Any] = {"messages": messages, "tools": list(tools) or None}
            text = formatter(**given, enable_thinking=False).prompt
    except TemplateTooSlow:
        raise
    except Exception:  # a template may refuse roles or their order, each in its own way
        return None
    if not all(mark in text for mark in marks):
        return None
    return _filled(text, dict(zip(marks, turns, strict=True)), spans, stops)


@contextlib.contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    """Raise `TemplateTooSlow` in this thread if the block's Python runs longer than this."""
    thread, over, lock = ctypes.c_ulong(threading.get_ident()), False, threading.Lock()

    def cut() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(TemplateTooSlow))

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
        timer.cancel()


def _turns(messages: Sequence[Message], picture_mark: str) -> list[_Turn]:
    turns: list[_Turn] = []
    number = 0
    for message in messages:
        pieces = [_Piece(picture_mark)] if message.image else []
        for span in message.spans:
            pieces.append(_Piece(span.text, number))
            number += 1
        turns.append(_Turn(message.role, tuple(pieces)))
    return turns


def _folded(turns: Sequence[_Turn]) -> list[_Turn]:
    """Return the messages with system messages folded into user messages, and roles alternating."""
    folded: list[_Turn] = []
    for turn in turns:
        role: ChatRole = "user" if turn.role == "system" else turn.role
        if folded and folded[-1].role == role:
            folded[-1] = _Turn(role, (*folded[-1].pieces, _Piece("\n\n"), *turn.pieces))
        else:
            folded.append(_Turn(role, turn.pieces))
    return folded


def _plain(turns: Sequence[_Turn], spans: int) -> Rendered:
    written = _Written(spans)
    for turn in turns:
        written.add(f"{_HEADINGS[turn.role]}\n")
        written.add_turn(turn, trimmed=False)
        written.add("\n\n")
    written.add(f"{_HEADINGS['assistant']}\n")
    return written.rendered(f"\n{_HEADINGS['user']}")


def _filled(text: str, turns: dict[str, _Turn], spans: int, stops: Sequence[str]) -> Rendered:
    written = _Written(spans)
    at = 0
    for match in re.finditer("|".join(f"{_PAD}?{re.escape(mark)}{_PAD}?" for mark in turns), text):
        written.add(text[at : match.start()])
        mark = match.group().strip(_PAD)
        written.add_turn(turns[mark], trimmed=len(match.group()) < len(mark) + 2 * len(_PAD))
        at = match.end()
    written.add(text[at:])
    return written.rendered(*stops)


class _Written:
    """Builds the text of a prompt and records the place of each of its spans (`core.prompts.Span`)."""

    def __init__(self, spans: int) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._spans = [Place(0, 0)] * spans
        self._contents: list[Place] = []

    def add(self, text: str) -> None:
        """Add text that belongs to no turn."""
        self._parts.append(text)
        self._length += len(text)

    def add_turn(self, turn: _Turn, *, trimmed: bool) -> None:
        """Add a turn's text, trimmed of white space where the template trims it."""
        text = turn.text
        skipped = len(text) - len(text.lstrip()) if trimmed else 0
        text = text.strip() if trimmed else text
        start, end = self._length, self._length + len(text)
        offset = start - skipped
        for piece in turn.pieces:
            if piece.span >= 0:
                edges = (min(max(edge, start), end) for edge in (offset, offset + len(piece.text)))
                self._spans[piece.span] = Place(*edges)
            offset += len(piece.text)
        self._contents.append(Place(start, end))
        self.add(text)

    def rendered(self, *stops: str) -> Rendered:
        text = "".join(self._parts)
        return Rendered(text=text, spans=tuple(self._spans), contents=tuple(self._contents), stops=stops)
