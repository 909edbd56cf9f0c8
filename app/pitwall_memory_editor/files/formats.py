"""The formats of memory files beside JSONL, as entry points of `pitwall.memory_files`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pitwall.core.memories import ImportMemory
from pitwall.core.memory_kinds import BETWEEN_STATES
from pitwall.memory.transfer.files import ExportReport, FileFormat
from pitwall.memory.transfer.portable import PortableEntry
from pitwall_memory_editor.files import graphml
from pitwall_memory_editor.files.tables import TableFile


def _read_graph(path: Path, wanted: ImportMemory) -> graphml.GraphmlFile:
    return graphml.GraphmlFile(path, wanted.game_id)


def _write_graph(path: Path, rows: Iterator[PortableEntry]) -> ExportReport:
    entries = left = 0

    def states() -> Iterator[PortableEntry]:
        nonlocal entries, left
        for row in rows:
            if row.content.kind == "node" or row.content.kind in BETWEEN_STATES:
                entries += 1
                yield row
            else:
                left += 1

    replaced = graphml.write(path, states())
    notes = []
    if left:
        notes.append(f"{left} entries are no part of the graph and were left out.")
    if replaced:
        notes.append(f"{replaced} characters that XML cannot hold were replaced.")
    return ExportReport(path=path, entries=entries, content_hash="", notes=tuple(notes))


def _read_table(path: Path, wanted: ImportMemory) -> TableFile:
    return TableFile(
        path,
        wanted.game_id,
        format=wanted.format,
        kind=wanted.entry_kind,
        columns=wanted.columns,
        table=wanted.table,
    )


GRAPHML = FileFormat(_read_graph, _write_graph)
TABLE = FileFormat(_read_table)
