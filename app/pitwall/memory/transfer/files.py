"""Import and export of the memory: whole files, streamed, all of one or nothing.

JSONL is read and written here. A package adds another format as entry point of `pitwall.memory_files`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from sqlalchemy import Connection

from pitwall.core import rail
from pitwall.core.memories import ImportMemory, Provenance
from pitwall.core.memory_kinds import BETWEEN_STATES
from pitwall.memory.database import records
from pitwall.memory.database.faults import EditRefused, ImportRefused
from pitwall.memory.database.ledger import Ledger, now
from pitwall.memory.transfer import jsonl as transfer_jsonl
from pitwall.memory.transfer import snapshots
from pitwall.memory.transfer.importer import EntryImporter, imported_provenance
from pitwall.memory.transfer.portable import (
    CanonicalHash,
    PortableEntry,
    hash_in,
    line_of,
    portable_of,
    rows_in,
)
from pitwall.store.folder_errors import folder_error

Format = Literal["jsonl", "graphml"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """Holds the report of an export. content_hash: as a snapshot of the entries would have it; empty for
    GraphML."""

    path: Path
    entries: int
    content_hash: str
    notes: tuple[str, ...] = ()


class MemoryFile(Protocol):
    """A file of entries that can be read repeatedly."""

    name: str

    @property
    def origin(self) -> str: ...

    def rows(self) -> Iterator[PortableEntry]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of memory files beside JSONL.

    Attributes:
        read: opens a file; raises ImportRefused or EditRefused.
        write: writes entries to a path and reports them; None where files are only read.
    """

    read: Callable[[Path, ImportMemory], MemoryFile]
    write: Callable[[Path, Iterator[PortableEntry]], ExportReport] | None = None


def import_file(ledger: Ledger, wanted: ImportMemory) -> str:
    """Take a file in, as entries or as a snapshot; returns the snapshot's hash, or an empty text.

    Raises:
        ImportRefused: a fault of the file, its row named.
        EditRefused: a snapshot of another format, or a table without a kind.
    """
    path = Path(wanted.path)
    if wanted.as_snapshot:
        if wanted.format != "jsonl":
            raise EditRefused(f"a snapshot is kept as JSONL, not as {wanted.format}.")
        with closing(transfer_jsonl.JsonlFile(path, wanted.game_id)) as file:
            return _keep_snapshot(ledger.connection, file)
    with closing(_opened(path, wanted)) as source:
        whole = isinstance(source, transfer_jsonl.JsonlFile) and _is_whole(path, source.head)
        _take_entries(ledger, source, whole)
    return ""


def _opened(path: Path, wanted: ImportMemory) -> MemoryFile:
    if wanted.format == "jsonl":
        return transfer_jsonl.JsonlFile(path, wanted.game_id)
    return _format(wanted.format).read(path, wanted)


def _format(name: str) -> FileFormat:
    if name not in rail.contributions(rail.MEMORY_FILES):
        raise EditRefused(f"no installed package reads or writes {name}.", "Take a .jsonl file.")
    named: FileFormat = rail.load(rail.MEMORY_FILES, name)
    return named


def _is_whole(path: Path, head: dict[str, Any]) -> bool:
    """Return whether a file holds what its first line hashes; refuse one that counts or hashes other entries
    than follow. It may say neither."""
    stated = {name: head[name] for name in ("entries", "content_hash") if head.get(name) is not None}
    if not stated:
        return False
    canonical, count = CanonicalHash(), 0
    with closing(transfer_jsonl.JsonlFile(path, "")) as file:  # each of its own game, as it was hashed
        for row in file.rows():
            count += 1
            if not row.forgotten:
                text = records.content_text(row.content)
                canonical.add(row.number, row.game_id, row.content.kind, text, pinned=row.pinned)
    figures = {"entries": count, "content_hash": canonical.hexdigest()}
    for name, value in stated.items():
        if value != figures[name]:
            expected = f"{figures[name]}, as the file holds; or no {name!r}, where it was changed on purpose"
            raise ImportRefused(path.name, 1, name, f"is {str(value)[:64]!r}", expected)
    return "content_hash" in stated


def _take_entries(ledger: Ledger, file: MemoryFile, whole: bool) -> None:
    same = file.origin == snapshots.origin_of(ledger.connection)

    def converted(provenance: Provenance) -> Provenance:
        return provenance if same else imported_provenance(provenance, file.name)

    intake = EntryImporter(ledger, file.name, converted, whole=whole)
    joining = 0

    def rows(between: bool) -> Iterator[PortableEntry]:
        nonlocal joining
        for row in file.rows():
            if row.content.kind in BETWEEN_STATES:
                joining += 1
                if between:
                    yield row
            elif not between:
                yield row

    # States may stand behind the edges that speak of them: edges and likenesses wait for a second pass.
    intake.take(rows(False))
    intake.finish()
    if joining:
        intake.take(rows(True))


def _canonical(file: transfer_jsonl.JsonlFile) -> CanonicalHash:
    """Hash the entries of a snapshot's file.

    Raises:
        ImportRefused: a row that no snapshot has.
    """
    canonical = CanonicalHash()
    late = False
    for row in file.rows():
        between = row.content.kind in BETWEEN_STATES
        if late and not between:
            raise ImportRefused(file.name, row.row, "", "stands behind edges", "edges and likenesses last")
        late = late or between
        if row.forgotten:
            raise ImportRefused(file.name, row.row, "forgotten", "is true", "false: a snapshot has none")
        text = records.content_text(row.content)
        canonical.add(row.number, row.game_id, row.content.kind, text, pinned=row.pinned)
    return canonical


def _require_stated(file: transfer_jsonl.JsonlFile, content_hash: str) -> None:
    stated = file.head.get("content_hash")
    if stated != content_hash:
        expected = f"{content_hash}, the hash of its entries"
        raise ImportRefused(file.name, 1, "content_hash", f"is {str(stated)[:64]!r}", expected)


def _keep_snapshot(connection: Connection, file: transfer_jsonl.JsonlFile) -> str:
    canonical = _canonical(file)
    content_hash = canonical.hexdigest()
    _require_stated(file, content_hash)
    lines = ((row.number, row.content.kind, _line(row)) for row in file.rows())
    snapshots.keep(
        connection,
        content_hash,
        lines,
        name=str(file.head.get("name") or file.name)[:200],
        game_id=str(file.head.get("game_id") or ""),
        counts=canonical.counts,
        origin=file.origin or "?",
    )
    return content_hash


def begin_from(ledger: Ledger, path: Path, content_hash: str) -> None:
    """Fill an empty memory with a snapshot's file; ids, runs and authors stay those of the snapshot's memory.

    Raises:
        ImportRefused: a fault of the file, or its entries have another hash.
        EditRefused: the memory holds entries already.
    """
    connection = ledger.connection
    if connection.exec_driver_sql("SELECT 1 FROM entries LIMIT 1").scalar() is not None:
        raise EditRefused("only an empty memory begins with a snapshot.", "Restore it instead.")
    with closing(transfer_jsonl.JsonlFile(path, "")) as file:
        kept = _keep_snapshot(connection, file)
        if kept != content_hash:
            raise ImportRefused(file.name, 1, "content_hash", f"is {kept!r}", content_hash)
        origin = file.origin or "?"
    connection.exec_driver_sql("UPDATE meta SET value = ? WHERE name = 'origin'", (origin,))
    snapshots.restore(ledger, content_hash)


def snapshot_file(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the hash of the entries in a snapshot's file, and its first line.

    Raises:
        ImportRefused: the file cannot be read, or its first line does not fit its entries.
    """
    with closing(transfer_jsonl.JsonlFile(path, "")) as file:
        canonical = _canonical(file)
        _require_stated(file, canonical.hexdigest())
        return canonical.hexdigest(), file.head


def _line(row: PortableEntry) -> str:
    return line_of(
        {
            "entry_id": row.number,
            "game_id": row.game_id,
            "kind": row.content.kind,
            "standing": 0,
            "pinned": row.pinned,
            "created_at": row.created_at,
            "provenance": records.provenance_text(row.provenance),
            "content": records.content_text(row.content),
        }
    )


def export(
    connection: Connection, path: Path, format: Format, *, game_id: str, snapshot: str, forgotten: bool
) -> ExportReport:
    """Write a file under a temporary name, then rename it (see MemoryReader.export).

    Raises:
        UnknownSnapshot: there is no such snapshot.
        DataFolderError: the file cannot be written.
    """
    kept = snapshots.find(connection, snapshot) if snapshot else None
    aside = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if kept is not None:
            report = _export_snapshot(connection, aside, format, kept)
        else:
            report = _export_entries(connection, aside, format, game_id, forgotten=forgotten)
        aside.replace(path)
    except OSError as error:
        raise folder_error(error, path) from error
    finally:
        aside.unlink(missing_ok=True)
    return ExportReport(
        path=path, entries=report.entries, content_hash=report.content_hash, notes=report.notes
    )


def _export_entries(
    connection: Connection, path: Path, format: Format, game_id: str, *, forgotten: bool
) -> ExportReport:
    if format != "jsonl":
        return _write(path, format, (line_of(row) for row in rows_in(connection, game_id)))
    canonical = hash_in(connection, game_id)
    entries = sum(1 for _ in rows_in(connection, game_id, forgotten=forgotten))
    head = {
        "game_id": game_id,
        "entries": entries,
        "content_hash": canonical.hexdigest(),
        "name": "",
        "origin": snapshots.origin_of(connection),
        "exported_at": now(),
    }
    transfer_jsonl.write(
        path, head, (line_of(row) for row in rows_in(connection, game_id, forgotten=forgotten))
    )
    return ExportReport(path=path, entries=entries, content_hash=canonical.hexdigest())


def _export_snapshot(connection: Connection, path: Path, format: Format, kept: Any) -> ExportReport:
    row = snapshots.row_of(kept)
    lines = snapshots.lines_in(connection, row.content_hash)
    if format != "jsonl":
        return _write(path, format, lines)
    entries = sum(row.counts.values())
    head = {
        "game_id": row.game_id,
        "entries": entries,
        "content_hash": row.content_hash,
        "name": row.name,
        "origin": kept["origin"],
        "exported_at": now(),
    }
    transfer_jsonl.write(path, head, lines)
    return ExportReport(path=path, entries=entries, content_hash=row.content_hash)


def _write(path: Path, format: Format, lines: Iterator[str]) -> ExportReport:
    write = _format(format).write
    if write is None:
        raise EditRefused(f"{format} is only read, not written.")
    return write(path, (portable_of(line, number) for number, line in enumerate(lines, start=1)))
