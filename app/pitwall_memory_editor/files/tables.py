"""Reads entries from tables of other programs: CSV, TSV, JSON, or a table of a SQLite file.

Each row becomes an entry of one kind. A column fills the field of the same name, or the field that it is
mapped to. Other columns must be left out explicitly, so that a misspelt column does not go unnoticed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pitwall.core.bounded_reading import parse_json, read_bytes
from pitwall.core.errors import DamagedFile, nearest
from pitwall.core.memories import Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import fields_of
from pitwall.memory.database.checks import FieldFault, first_fault
from pitwall.memory.database.entry_values import UnfitValue, content_of, is_game_id, listed, normalised
from pitwall.memory.database.faults import EditRefused, ImportRefused
from pitwall.memory.transfer.portable import PortableEntry
from pitwall.store.database import SqliteError, raw_connection
from pitwall_memory_editor.files.csv_rows import csv_rows, matched

OTHERS = "*"
"""Stands for every column that is not named, in a mapping: `{"*": ""}` leaves them out."""
SEPARATOR = ";"
"""Between the texts of a list in one cell: "left; left; take"."""
_BESIDE_CONTENTS = ("game_id", "pinned")
_MOST_BYTES = 256 * 1024 * 1024
_YES = frozenset({"1", "1.0", "true", "yes", "wahr", "ja"})
_NO = frozenset({"", "0", "0.0", "false", "no", "falsch", "nein", "none"})


class TableFile:
    """The rows of a table as entries.

    Args:
        game_id: game of the entries; empty: the column `game_id` names it.
        kind: kind of the entries.
        columns: column → field; an empty field leaves the column out.
        table: table of a SQLite file; empty: its only one.

    Raises:
        ImportRefused: the file cannot be read, or has columns without a field.
        EditRefused: no kind was given.
    """

    origin = ""

    def __init__(
        self,
        path: Path,
        game_id: str,
        *,
        format: str,
        kind: str,
        columns: Mapping[str, str],
        table: str = "",
    ) -> None:
        if kind not in set(MemoryKind):
            raise EditRefused(
                f"{path.name} holds rows of a table, and nothing says which kind of entry they are.",
                f"Name it: --kind {' | '.join(MemoryKind)}",
            )
        self.name = path.name
        self._game_id = game_id
        self._kind = kind
        self._rows = _sqlite_rows(path, table) if format == "sqlite" else _file_rows(path, format)
        self._fields = self._mapped(columns)

    def rows(self) -> Iterator[PortableEntry]:
        """Yield entries in the order of the rows; numbered from 1, without the row of column names.

        Raises:
            ImportRefused: a row that is no entry of this kind.
        """
        for number, row in enumerate(self._rows, start=1):
            yield self._entry(number, row)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _mapped(self, columns: Mapping[str, str]) -> dict[str, str]:
        """Return the field that each column fills."""
        known = (*fields_of(self._kind), *_BESIDE_CONTENTS)
        there = list(dict.fromkeys(column for row in self._rows for column in row))
        for column, field in columns.items():
            if column != OTHERS and column not in there:
                hint = nearest(column, there) or f"one of {', '.join(there)}"
                raise ImportRefused(self.name, 0, repr(column), "is no column", hint)
            if field and field not in known:
                hint = nearest(field, known) or f"one of {', '.join(known)}"
                raise ImportRefused(self.name, 0, repr(field), f"is no field of {self._kind}", hint)
        fields = {column: columns.get(column, field) for column, field in matched(there, known)}
        filled = [field for field in fields.values() if field]
        for field in filled:
            if filled.count(field) > 1:
                given = [repr(column) for column, name in fields.items() if name == field]
                expected = f"one column for {field}; leave the others out (--map COLUMN=)"
                raise ImportRefused(self.name, 0, ", ".join(given), f"fill {field} twice", expected)
        lost = [column for column, field in fields.items() if not field and column not in columns]
        if lost and OTHERS not in columns:
            raise ImportRefused(
                self.name,
                0,
                ", ".join(map(repr, lost)),
                f"{'are no fields' if len(lost) > 1 else 'is no field'} of {self._kind}",
                f"{_meant(lost, known)} (fields: {', '.join(known)}), columns that are mapped "
                "(--map COLUMN=FIELD) or left out (--map COLUMN=, all: --map '*=')",
            )
        return {column: field for column, field in fields.items() if field}

    def _entry(self, number: int, row: Mapping[str, Any]) -> PortableEntry:
        values = {field: row[column] for column, field in self._fields.items() if row.get(column) is not None}
        game_id = self._game_id or str(values.pop("game_id", ""))
        values.pop("game_id", None)
        pin = str(values.pop("pinned", "")).strip().lower()
        if pin not in _YES | _NO:
            raise ImportRefused(self.name, number, "pinned", f"is {pin[:40]!r}", "true or false")
        pinned = pin in _YES
        try:
            content = normalised(content_of(self._kind, self._converted(values)))
        except UnfitValue as unfit:
            fault = unfit.fault
            raise ImportRefused(self.name, number, fault.field, fault.problem, fault.expected) from None
        if (problem := first_fault(content)) is not None:
            raise ImportRefused(self.name, number, problem.field, problem.problem, problem.expected)
        if not is_game_id(game_id):
            expected = "a game's id in a column game_id (or name the game with --game)"
            raise ImportRefused(self.name, number, "game_id", f"is {game_id[:40]!r}", expected)
        return PortableEntry(
            row=number,
            number=number,
            game_id=game_id,
            content=content,
            provenance=Provenance(author="import"),
            pinned=pinned,
        )

    def _converted(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert cells to values of fields; an empty cell keeps the field's default."""
        converted: dict[str, Any] = {}
        fields = fields_of(self._kind)
        for field, value in values.items():
            if value == "":
                continue
            if fields[field].type is tuple and isinstance(value, str):
                try:
                    converted[field] = listed(value, SEPARATOR)
                except ValueError as error:
                    problem, expected = (
                        f"is no list ({error})",
                        f"texts between {SEPARATOR!r}, or a JSON list",
                    )
                    raise UnfitValue(FieldFault(field, problem, expected)) from None
            else:
                converted[field] = None if fields[field].optional and value == "none" else value
        return converted


def _meant(lost: list[str], known: tuple[str, ...]) -> str:
    """Return the fields that misspelt columns are nearest to, as a question; "a field" without any."""
    near = dict.fromkeys(name for column in lost if (name := nearest(column.strip().casefold(), known)))
    return f"{', '.join(near)}?" if near else "a field"


def _file_rows(path: Path, format: str) -> list[dict[str, Any]]:
    """Read the rows of a CSV, TSV or JSON file (one list of objects)."""
    try:
        content = read_bytes(path, most_bytes=_MOST_BYTES)
        if format == "csv":
            return csv_rows(path.name, content, tabs=path.suffix.lower() == ".tsv")
        rows = parse_json(content.decode("utf-8-sig"), path.name)
    except FileNotFoundError:
        raise ImportRefused(path.name, 0, "", "is not there") from None
    except DamagedFile as error:
        raise ImportRefused(path.name, 0, "", error.problem, error.expected or "a list of objects") from None
    except UnicodeDecodeError as error:
        raise ImportRefused(
            path.name, 0, "", f"is not UTF-8 at byte {error.start}", "JSON in UTF-8"
        ) from None
    rows = [rows] if isinstance(rows, dict) else rows
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ImportRefused(path.name, 0, "", "holds other things than objects", "a list of objects")
    return rows


def _sqlite_rows(path: Path, table: str) -> list[dict[str, Any]]:
    """Read the rows of a table or view of a SQLite file, which is opened read-only."""
    from sqlite_utils import Database

    try:
        with contextlib.closing(raw_connection(path.resolve(), "ro")) as connection:
            database = Database(connection, execute_plugins=False)
            names = [*database.table_names(), *database.view_names()]
            chosen = table or (names[0] if len(names) == 1 else "")
            if chosen not in names:
                near = nearest(table, names) if table else ""
                expected = near or f"one of {', '.join(names) or 'none: it has no table'}"
                named = (
                    f"has no table {table!r}" if table else "has several tables, and none was named (--table)"
                )
                raise ImportRefused(path.name, 0, "", named, expected)
            return [dict(row) for row in database[chosen].rows]
    except SqliteError as error:
        raise ImportRefused(path.name, 0, "", f"cannot be read: {error}", "a SQLite file") from None
