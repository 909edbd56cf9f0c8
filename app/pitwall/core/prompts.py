"""A composed prompt: messages made of spans, each from a known layer (SPEC §4)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Layer(StrEnum):
    """Names the layer of a span, in the order of a prompt: from least to most changeable."""

    PROTOCOL = "L1"
    """Operator prompt and protocol; immutable."""
    SCHEMA = "L2"
    """State-typed schema and legal actions; immutable."""
    KNOWLEDGE = "L3"
    """Game knowledge; changes with the profile's version."""
    EPISODES = "L4"
    """Summaries of earlier runs."""
    SKILLS = "L5"
    """Skills with explicit triggers."""
    ROUNDS = "rounds"
    """The rounds before this one, whole, where a rolling memory takes the place of L3 to L5."""
    STATE = "state"
    """The present state: observation, proposal, recent steps, failures. Composed for each call."""


PROMPT_LAYERS = tuple(layer for layer in Layer if layer is not Layer.ROUNDS)
"""The layers with a cap and a switch of their own; rounds are counted by `memory.rounds` alone."""

ChatRole = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span: a piece of a prompt's text that comes from one layer.

    Attributes:
        text: as in the prompt, with the line breaks at its end.
        item: id of the entry of its layer it came from (a skill's name, an episode's id, a file's name).
    """

    layer: Layer
    text: str
    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Holds one message of a chat.

    Attributes:
        image: the call's picture comes before this message's text.
    """

    role: ChatRole
    spans: tuple[Span, ...]
    image: bool = False

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A whole prompt, composed fresh for one call."""

    messages: tuple[Message, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span, in order."""
        return tuple(span for message in self.messages for span in message.spans)

    @property
    def content_hash(self) -> str:
        """Return SHA-256, hexadecimal, over roles and spans with their layers; the picture has its own."""
        rows = [
            [message.role, message.image, [[span.layer, span.item, span.text] for span in message.spans]]
            for message in self.messages
        ]
        return hash_of(json.dumps(rows, ensure_ascii=True, separators=(",", ":")))


def hash_of(text: str) -> str:
    """Return SHA-256 of a text (a grammar, a prompt), hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
