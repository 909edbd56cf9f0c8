"""What may be asked of the host process, and what it answers. One channel message each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from pitwall.core.geometry import Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """Read the text in a picture.

    The message's blob is the picture: height × width × 3 bytes, BGR rows without padding.
    """

    kind: Literal["read_text"] = "read_text"
    request_id: int
    width: int
    height: int


HostRequest = ReadText
"""Everything the engine may ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """One line of text, and where it stands in the picture, in its pixels. Confidence 0 … 1."""

    text: str
    confidence: float
    box: Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRead:
    """Answer to `ReadText`.

    Attributes:
        text: rows from top to bottom, pieces side by side joined by a space; empty where there is no text.
        confidence: that of the least certain line; 1 where there is no text.
    """

    kind: Literal["text_read"] = "text_read"
    request_id: int
    text: str
    lines: tuple[TextLine, ...]
    confidence: float
    took_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFault:
    """A request that failed; the host lives on."""

    kind: Literal["host_fault"] = "host_fault"
    request_id: int
    what: str
    fix: str = ""
    traceback: str = ""


HostReply = Annotated[TextRead | HostFault, Field(discriminator="kind")]
"""Everything the host may answer."""
