"""The memory as JSONL: a first line about the file, then one line for each entry, edges and likenesses last.

    {"pitwall_memory": 1, "game_id": "flappy", "entries": 2, "content_hash": "…", "name": "", "origin": "…"}
    {"id": 7, "game_id": "flappy", "pinned": false, "created_at": "…", "provenance": {…}, "content": {…}}

Ids are valid only inside the file. The first line needs only `pitwall_memory`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pitwall.core.bounded_reading import open_regular, parse_json
from pitwall.core.errors import DamagedFile, nearest
from pitwall.core.memories import Provenance
from pitwall.core.memory_kinds import CONTENT_TYPES, MemoryContent, fields_of
from pitwall.core.validation import expectation
from pitwall.memory.database.checks import first_fault
from pitwall.memory.database.entry_values import is_game_id, normalised
from pitwall.memory.database.faults import ImportRefused
from pitwall.memory.transfer.portable import PortableEntry
from pitwall.store.strict_json import to_json

VERSION = 1
_MOST_BYTES = 4 * 1024 * 1024
"""Longest line that is read at all."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: int = Field(ge=0, lt=2**53)
    content: MemoryContent
    game_id: str = ""
    pinned: bool = False
    forgotten: bool = False
    created_at: str = Field("", max_length=64)
    provenance: Provenance = Provenance(author="import")


_LINE: TypeAdapter[_Line] = TypeAdapter(_Line)


class JsonlFile:
    """A file of entries. It can be read repeatedly, in pieces.

    Args:
        game_id: game that the entries are imported for; empty: as each line says.

    Raises:
        ImportRefused: the file cannot be read, or its first line is not that of such a file.
    """

    def __init__(self, path: Path, game_id: str) -> None:
        self.name = path.name
        self._game_id = game_id
        try:
            self._stream = open_regular(path)
        except FileNotFoundError:
            raise ImportRefused(self.name, 0, "", "is not there") from None
        except DamagedFile as error:
            raise ImportRefused(self.name, 0, "", error.problem, error.expected) from None
        try:
            self.head = self._first_line()
        except BaseException:
            self.close()
            raise

    @property
    def origin(self) -> str:
        """Return the memory that the ids and runs belong to; empty if the file does not name it."""
        return str(self.head.get("origin", ""))

    def rows(self) -> Iterator[PortableEntry]:
        """Yield its entries, in the order of the file.

        Raises:
            ImportRefused: a line that is none.
        """
        self._stream.seek(0)
        for row, line in enumerate(_lines(self._stream, self.name), start=1):
            if row > 1 and line.strip():
                yield self._entry(row, line)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _first_line(self) -> dict[str, Any]:
        line = next(_lines(self._stream, self.name), b"")
        if not line.strip():
            raise ImportRefused(self.name, 0, "", "is empty", 'a first line {"pitwall_memory": 1}')
        head = self._parsed(1, line)
        version = head.get("pitwall_memory")
        if version != VERSION or isinstance(version, bool):
            problem = "is missing" if version is None else f"is {_short(version)}"
            raise ImportRefused(
                self.name, 1, "pitwall_memory", problem, f"{VERSION}, the version of the format"
            )
        return head

    def _entry(self, row: int, line: bytes) -> PortableEntry:
        raw = self._parsed(row, line)
        self._refuse_unknown(row, raw)
        try:
            entry = _validated(line, raw)
        except ValidationError as error:
            raise self._invalid(row, error, raw) from None
        content = normalised(entry.content)
        if (fault := first_fault(content)) is not None:
            raise ImportRefused(self.name, row, fault.field, fault.problem, fault.expected)
        game_id = self._game_id or entry.game_id
        if not is_game_id(game_id):
            expected = "a game's id: small letters, digits and hyphens"
            raise ImportRefused(self.name, row, "game_id", f"is {_short(game_id)}", expected)
        return PortableEntry(
            row=row,
            number=entry.id,
            game_id=game_id,
            content=content,
            provenance=entry.provenance,
            pinned=entry.pinned,
            forgotten=entry.forgotten,
            created_at=entry.created_at,
        )

    def _parsed(self, row: int, line: bytes) -> dict[str, Any]:
        try:
            raw = parse_json(line.decode("utf-8"), self.name)
        except UnicodeDecodeError as error:
            raise ImportRefused(self.name, row, "", f"is no UTF-8 at byte {error.start}") from None
        except DamagedFile as error:
            raise ImportRefused(self.name, row, "", error.problem, "one JSON object") from None
        if not isinstance(raw, dict):
            raise ImportRefused(self.name, row, "", f"is {_short(raw)}", "one JSON object")
        return raw

    def _refuse_unknown(self, row: int, raw: dict[str, Any]) -> None:
        content = raw.get("content")
        kind = content.get("kind") if isinstance(content, dict) else None
        allowed = {"": [*_Line.model_fields]}
        if isinstance(kind, str) and kind in CONTENT_TYPES:
            allowed["content."] = ["kind", *fields_of(kind)]
        for prefix, names in allowed.items():
            for name in content or () if prefix else raw:
                if name not in names:
                    near = nearest(str(name), names)
                    expected = f"{prefix}{near}" if near else f"one of {', '.join(names)}"
                    raise ImportRefused(
                        self.name, row, f"{prefix}{_short(name, 60)}", "is no field", expected
                    )

    def _invalid(self, row: int, error: ValidationError, raw: dict[str, Any]) -> ImportRefused:
        first = error.errors(include_url=False)[0]
        kinds = set(CONTENT_TYPES)
        where = [str(part) for part in first["loc"] if not (part in kinds and first["loc"][0] == "content")]
        expected = expectation(first)
        if first["type"] == "missing":
            return ImportRefused(self.name, row, ".".join(where), "is missing")
        if first["type"].startswith("union_tag"):
            kind = raw["content"].get("kind") if isinstance(raw["content"], dict) else None
            problem = "is missing" if kind is None else f"is {_short(kind)}"
            return ImportRefused(
                self.name, row, "content.kind", problem, f"one of {', '.join(CONTENT_TYPES)}"
            )
        return ImportRefused(self.name, row, ".".join(where), f"is {_short(first['input'])}", expected)


def write(path: Path, head: dict[str, Any], lines: Iterator[str]) -> None:
    """Write a file: its first line, then the entries' lines.

    Raises:
        OSError: it cannot be written.
    """
    first = json.dumps({"pitwall_memory": VERSION, **head}, ensure_ascii=False, separators=(",", ":"))
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for line in itertools.chain([first], lines):
            out.write(f"{line}\n")


def _validated(line: bytes, raw: dict[str, Any]) -> _Line:
    try:
        return _LINE.validate_json(line, strict=True)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] != "json_invalid":
            raise
    return _LINE.validate_json(to_json(raw), strict=True)  # half of a UTF-16 pair: "?" stands for it


def _lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    row = 0
    while True:
        row += 1
        try:
            line = stream.readline(_MOST_BYTES + 1)
        except OSError as error:
            raise ImportRefused(name, row, "", f"cannot be read: {error.strerror}") from None
        if not line:
            return
        if len(line) > _MOST_BYTES:
            raise ImportRefused(name, row, "", "is too long", f"at most {_MOST_BYTES} bytes")
        yield line.removeprefix(b"\xef\xbb\xbf") if row == 1 else line


def _short(value: object, most: int = 40) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= most else f"{text[:most]}…"
