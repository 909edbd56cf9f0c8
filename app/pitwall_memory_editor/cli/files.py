"""`pitwall memory snapshot|snapshots|diff|restore|export|import`: the memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.memories import ImportMemory, RestoreSnapshot, TakeSnapshot
from pitwall.core.memory_fields import MemoryKind
from pitwall.memory.reader import DiffRow
from pitwall_memory_editor.cli.format import GameOption, differences, edited, entry_line, reading

SnapshotArgument = Annotated[
    str, typer.Argument(metavar="SNAPSHOT", help="Its name, its hash, or the hash's beginning.")
]
FormatOption = Annotated[
    Literal["jsonl", "graphml"] | None,
    typer.Option("--format", help="jsonl (everything) or graphml (SA-KG); else by the file's ending."),
]
ImportFormat = Literal["jsonl", "graphml", "csv", "json", "sqlite"]
_ENDINGS: dict[str, ImportFormat] = {
    ".graphml": "graphml",
    ".xml": "graphml",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def snapshot(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="A name for it; none: the time.")] = "",
    game: GameOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Save the current memory, under its content hash."""
    edited(data, [TakeSnapshot(name=name, game_id=game)], json=json, done="Kept.\n{content_hash}")


def snapshots(data: DataOption = None, json: JsonOption = False) -> None:
    """List the snapshots, newest first."""
    with reading(data) as reader:
        rows = reader.snapshots()
    lines = [
        f"{row.content_hash[:12]}  {row.at[:19]}  {row.game_id or 'every game':12s}  "
        f"{sum(row.counts.values()):7d} entries  {row.name}"
        for row in rows
    ]
    none = ["No snapshots yet. Keep one: pitwall memory snapshot NAME"]
    Reporter(json).result({"snapshots": rows}, lines or none)


def diff(
    before: SnapshotArgument,
    after: Annotated[
        str | None, typer.Argument(metavar="[SNAPSHOT]", help="Another one; none: the current memory.")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List entries added (+), removed (-) and changed (~) since a snapshot."""
    with reading(data) as reader:
        rows = reader.diff(before, after)
    counts = {change: sum(row.change == change for row in rows) for change in _SIGNS}
    body = [
        {"change": row.change, "entry_id": row.entry_id, "before": row.before, "after": row.after}
        for row in rows
    ]
    summary = ", ".join(f"{count} {change}" for change, count in counts.items())
    lines = (*(line for row in rows for line in _diff_lines(row)), f"{summary}.")
    Reporter(json).result({**counts, "rows": body}, lines)


def _diff_lines(row: DiffRow) -> Iterator[str]:
    shown = row.after or row.before
    yield f"{_SIGNS[row.change]} {entry_line(shown) if shown is not None else row.entry_id}"
    if row.before is not None and row.after is not None:
        for name, old, new in differences(row.before, row.after):
            yield f"      {name}: {old} → {new}"


def restore(
    chosen: SnapshotArgument,
    game: Annotated[
        str, typer.Option("--game", help="Only this game; empty: what the snapshot was taken of.")
    ] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Restore a snapshot; entries that it does not contain are forgotten. Can be undone."""
    wanted = RestoreSnapshot(content_hash=chosen, game_id=game)
    edited(data, [wanted], json=json, done="Restored: {n} changed.")


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write; ends in .jsonl or .graphml.")],
    format: FormatOption = None,
    game: GameOption = "",
    snapshot: Annotated[str, typer.Option("--snapshot", help="A snapshot instead of the memory.")] = "",
    forgotten: Annotated[bool, typer.Option("--forgotten", help="Forgotten entries as well.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write entries to a file."""
    if file.exists() and not force:
        raise PitwallError(f"{file} is there already.", "Name another file, or replace it: --force")
    named = format or ("graphml" if file.suffix.lower() in (".graphml", ".xml") else "jsonl")
    with reading(data) as reader:
        report = reader.export(file, named, game_id=game, snapshot=snapshot, forgotten=forgotten)
    content_hash = f", {report.content_hash}" if report.content_hash else ""
    lines = (f"{report.path}: {report.entries} entries{content_hash}", *report.notes)
    Reporter(json).result(report, lines)


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of entries, as export writes it; or a table.")
    ],
    format: Annotated[
        ImportFormat | None,
        typer.Option("--format", help="Else by the file's ending; csv, json and sqlite are tables."),
    ] = None,
    kind: Annotated[
        MemoryKind | None, typer.Option("--kind", help="Of a table: what each row becomes.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="COLUMN=FIELD", help="Repeatable; '*=' leaves other columns out."),
    ] = None,
    table: Annotated[str, typer.Option("--table", help="Of a SQLite file; default: its only one.")] = "",
    game: GameOption = "",
    as_snapshot: Annotated[
        bool, typer.Option("--as-snapshot", help="Keep it as a snapshot; the memory stays as it is.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Import a file of entries, or a table: all of it, or nothing. Existing entries are skipped.

    Of a table (CSV, JSON, SQLite) each row becomes an entry: columns with the name of a field fill it, others
    are mapped. For example: import moves.csv --kind skill --game snake --map title=name
    """
    wanted = ImportMemory(
        path=str(file.resolve()),
        format=format or _ENDINGS.get(file.suffix.lower(), "jsonl"),
        game_id=game,
        as_snapshot=as_snapshot,
        entry_kind=kind.value if kind is not None else "",
        columns=dict(_mapping(text) for text in columns or []),
        table=table,
    )
    done = "Kept as a snapshot." if as_snapshot else "{n} taken in."
    edited(data, [wanted], json=json, done=done)


def _mapping(text: str) -> tuple[str, str]:
    column, equals, name = text.partition("=")
    if not equals or not column:
        raise PitwallError(f"{text!r} maps no column.", "Write COLUMN=FIELD, like title=name")
    return column, name
