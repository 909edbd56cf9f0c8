"""The contents of a demonstration: its manifest (`manifest.json`, which hashes every file) and rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from pitwall.core.actions import EventKind, wheel_name
from pitwall.core.frames import MOST_SIDE

KINDS: tuple[str, ...] = get_args(EventKind)
PRESSES = ("key_down", "mouse_down", "mouse_look", "scroll")
"""Kinds of events that count as presses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemonstratedEvent:
    """One key, button, pointer or wheel event of the person.

    Attributes:
        at_ns: monotonic. kind: as an input event's. x, y: fractions of the window; None without a place.
        dx, dy: wheel notches, or of a look the units of the mouse.
        action: text of the game's action that the press matches; "" for none.
        would: in corrections, what the agent was about to do.
    """

    at_ns: int
    kind: EventKind
    key: str = ""
    button: str = ""
    x: float | None = None
    y: float | None = None
    dx: int = 0
    dy: int = 0
    action: str = ""
    would: str = ""

    @property
    def pressed(self) -> str:
        """Return the name of the key, button or wheel."""
        if self.kind == "mouse_look":
            return "mouse look"
        return self.key or (wheel_name(self.dx, self.dy) if self.kind == "scroll" else f"mouse {self.button}")

    @property
    def passes(self) -> bool:
        """Return whether it is over as it happens, and no release follows."""
        return self.kind in ("mouse_look", "scroll")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The game's state when a picture was kept; `episode` is −1 outside of play."""

    at_ns: int
    episode: int
    status: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


MANIFEST = "manifest.json"
MOST_TAGS, LONGEST_TAG, LONGEST_NOTE = 32, 60, 2000
_MOST_FILES = 40_000
_PLAIN = re.compile(r"[^a-z0-9]+")

Kind = Literal["play", "correction", "imported"]
Table = Literal["pictures", "events", "moments"]
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Name = Annotated[str, StringConstraints(max_length=200)]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TAG, strip_whitespace=True)]
Side = Annotated[int, Field(ge=1, le=MOST_SIDE)]
Count = Annotated[int, Field(ge=0, le=1 << 53)]
Seconds = Annotated[float, Field(ge=0, le=1e7)]
Counts = Annotated[dict[Name, Count], Field(max_length=4000)]


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Span(_Plain):
    """A time within a demonstration, in seconds since its beginning."""

    from_s: Seconds
    to_s: Seconds

    @model_validator(mode="after")
    def _forwards(self) -> Span:
        if self.to_s <= self.from_s:
            raise ValueError(f"ends at {self.to_s} s, before it begins at {self.from_s} s")
        return self


class KeptFile(_Plain):
    """One file of a demonstration: a chunk of one of its three tables.

    Attributes:
        rows: how many it holds. first_ns, last_ns: times of its first and last row.
    """

    name: Annotated[
        str, StringConstraints(pattern=r"^(pictures|events|moments)-[0-9]{4,6}\.(parquet|jsonl)$")
    ]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    bytes: Count
    rows: Count
    first_ns: int
    last_ns: int

    @property
    def table(self) -> str:
        """Return the name of the table that it is a chunk of."""
        return self.name.partition("-")[0]


class Demonstration(_Plain):
    """The manifest of one demonstration.

    Attributes:
        id: its folder's name: UTC time and game. game: a game's id; empty for a bare window.
        window: the window's title. run: the run whose takeovers a correction kept; None for others.
        who: who played, in words. picture_size, window_size: width and height in pixels.
        rate_fps: most pictures kept in a second. started_at: UTC, ISO 8601.
        began_ns: monotonic time of its beginning, from which seconds count.
        pictures: how many are kept. actions, keys: presses of each action, and of each key or button.
        dropped: events that were lost. trims: left out by readers; the files keep it until a purge.
        complete: whether the recording was closed.
    """

    schema_number: Literal[1] = Field(1, alias="schema")
    id: Id
    game: Name = ""
    window: Name = ""
    profile_hash: Name = ""
    profile_version: Name = ""
    kind: Kind = "play"
    run: int | None = None
    who: Name = "person"
    instruction: Annotated[str, StringConstraints(max_length=2000)] = ""
    picture_size: tuple[Side, Side]
    window_size: tuple[Annotated[int, Field(ge=1, le=65535)], Annotated[int, Field(ge=1, le=65535)]]
    rate_fps: Annotated[float, Field(gt=0, le=1000)]
    started_at: Name
    began_ns: int = 0
    seconds: Seconds = 0.0
    pictures: Count = 0
    episodes: Count = 0
    actions: Counts = Field(default_factory=dict)
    keys: Counts = Field(default_factory=dict)
    dropped: Count = 0
    tags: Annotated[tuple[Tag, ...], Field(max_length=MOST_TAGS)] = ()
    note: Annotated[str, StringConstraints(max_length=LONGEST_NOTE)] = ""
    trims: Annotated[tuple[Span, ...], Field(max_length=1000)] = ()
    files: Annotated[tuple[KeptFile, ...], Field(max_length=_MOST_FILES)] = ()
    complete: bool = False

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    @property
    def title(self) -> str:
        """Return what was played: the game's id, or the window's title."""
        return self.game or self.window or "a window"

    @property
    def size_bytes(self) -> int:
        """Return the size of its files on the disk."""
        return sum(file.bytes for file in self.files)

    @property
    def kept_seconds(self) -> float:
        """Return its length without the trimmed parts."""
        return max(0.0, self.seconds - sum(span.to_s - span.from_s for span in joined(self.trims)))

    @property
    def presses(self) -> int:
        """Return how many keys and buttons were pressed."""
        return sum(self.keys.values())

    def of(self, table: Table) -> tuple[KeptFile, ...]:
        """Return the chunks of one table, in order of time."""
        return tuple(
            sorted((file for file in self.files if file.table == table), key=lambda chunk: chunk.name)
        )

    def trimmed(self, at_ns: int) -> bool:
        """Return whether a trim leaves a time out."""
        at_s = (at_ns - self.began_ns) / 1e9
        return any(trim.from_s <= at_s < trim.to_s for trim in self.trims)


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Order spans by time, and join those that touch."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda each: each.from_s):
        if merged and span.from_s <= merged[-1].to_s:
            merged[-1] = Span(from_s=merged[-1].from_s, to_s=max(merged[-1].to_s, span.to_s))
        else:
            merged.append(span)
    return tuple(merged)


def id_of(started_at: str, title: str) -> str:
    """Make the id of a demonstration: its UTC time and its game, like "20261123-192500-flappy"."""
    digits = re.sub(r"\D", "", started_at[:19])
    plain = _PLAIN.sub("-", title.lower()).strip("-")[:60].strip("-") or "window"
    return f"{digits[:8]}-{digits[8:14]}-{plain}"
