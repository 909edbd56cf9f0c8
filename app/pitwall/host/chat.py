"""Messages become one text by the model's own chat template, and spans are found again in that text.

A template that refuses or drops a system message gets it folded into the next user message; a model
without a usable template gets plain headings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from pitwall.core.prompts import ChatRole, Message
from pitwall.host.gguf_model import GgufModel

_HEADINGS: dict[ChatRole, str] = {"system": "Instructions:", "user": "User:", "assistant": "Assistant:"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a text, as offsets of characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A whole prompt as one text.

    Attributes:
        spans: where each of the prompt's spans stands, in order.
        contents: where messages stand; the rest is the template's.
        stops: texts that end the reply.
    """

    text: str
    spans: tuple[Place, ...]
    contents: tuple[Place, ...]
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text of a turn; `span` is its number in the prompt, −1 for what is put between."""

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
        """What is missing, as one sentence; empty where the model has a template that parses."""
        self._formatter: Jinja2ChatFormatter | None = None
        if not model.template:
            self.note = "It has no chat template: prompts are written with plain headings."
            return
        try:
            self._formatter = Jinja2ChatFormatter(
                template=model.template, eos_token=model.end_text, bos_token=model.begin_text
            )
        except Exception as error:  # whatever its Jinja does
            self.note = (
                f"Its chat template does not parse ({error}): prompts are written with plain headings."
            )

    def render(self, messages: Sequence[Message], picture_mark: str) -> Rendered:
        """The prompt that asks for the next reply; `picture_mark` stands where the picture goes."""
        turns = _turns(messages, picture_mark)
        spans = sum(len(message.spans) for message in messages)
        for form in (turns, _folded(turns)):
            text = self._by_template(form)
            rendered = _located(text, form, spans) if text is not None else None
            if rendered is not None:
                return rendered
        return _plain(turns, spans)

    def _by_template(self, turns: Sequence[_Turn]) -> str | None:
        if self._formatter is None:
            return None
        messages = [{"role": turn.role, "content": turn.text} for turn in turns]
        try:
            # Models that can think aloud are asked not to: the grammar wants the reply at once.
            return self._formatter(messages=messages, enable_thinking=False).prompt  # type: ignore[arg-type]
        except Exception:  # a template may refuse roles or their order, each in its own way
            return None


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
    """The same with system messages as the beginning of user messages, and roles alternating."""
    folded: list[_Turn] = []
    for turn in turns:
        role: ChatRole = "user" if turn.role == "system" else turn.role
        if folded and folded[-1].role == role:
            folded[-1] = _Turn(role, (*folded[-1].pieces, _Piece("\n\n"), *turn.pieces))
        else:
            folded.append(_Turn(role, turn.pieces))
    return folded


def _plain(turns: Sequence[_Turn], spans: int) -> Rendered:
    parts = [f"{_HEADINGS[turn.role]}\n{turn.text}\n\n" for turn in turns]
    text = "".join(parts) + f"{_HEADINGS['assistant']}\n"
    rendered = _located(text, turns, spans)
    assert rendered is not None
    stop = f"\n{_HEADINGS['user']}"
    return Rendered(text=text, spans=rendered.spans, contents=rendered.contents, stops=(stop,))


def _located(text: str, turns: Sequence[_Turn], count: int) -> Rendered | None:
    """Where the turns stand in a text; None where one of them is missing."""
    spans = [Place(0, 0)] * count
    contents: list[Place] = []
    at = 0
    for turn in turns:
        wanted = turn.text
        found = text.find(wanted, at)
        if found < 0:  # templates may trim what they are given
            cut = len(wanted) - len(wanted.lstrip())
            wanted = wanted.strip()
            found = text.find(wanted, at)
            if found < 0:
                return None
        else:
            cut = 0
        at = found + len(wanted)
        contents.append(Place(found, at))
        offset = found - cut
        for piece in turn.pieces:
            if piece.span >= 0:
                start, end = (min(max(edge, found), at) for edge in (offset, offset + len(piece.text)))
                spans[piece.span] = Place(start, end)
            offset += len(piece.text)
    return Rendered(text=text, spans=tuple(spans), contents=tuple(contents))
