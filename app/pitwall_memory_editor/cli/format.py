"""Entries of the memory as a terminal shows them and as a program reads them; options that commands share."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.options import data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.memories import EditResult, MemoryChange, MemoryEdit, MemoryEntry, Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import fields_of
from pitwall.core.quantities import counted
from pitwall.memory.database.records import label_of
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore

GameOption = Annotated[str, typer.Option("--game", help="Id of a game; empty: every game.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why, for the history.")]
IdsArgument = Annotated[list[int], typer.Argument(metavar="ID...", help="Ids of entries, as listed.")]
KindOption = Annotated[MemoryKind | None, typer.Option("--kind", help="Only this kind.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, help="Most rows to list.")]
_ROLE = "pitwall memory"
_WIDTH = 100


class UnknownEntry(PitwallError):
    """No entry has this id."""


@contextlib.contextmanager
def reading(data: Path | None) -> Iterator[MemoryReader]:
    """Open the data folder's memory for reading."""
    with contextlib.closing(MemoryReader(data_folder(data))) as reader:
        yield reader


@contextlib.contextmanager
def writing(data: Path | None) -> Iterator[MemoryStore]:
    """Open the data folder's memory for edits, and print its notices on the error output."""
    with MemoryStore.open(data_folder(data), role=_ROLE) as store:
        for notice in store.notices:
            typer.echo(notice, err=True)
        yield store


def edited(data: Path | None, edits: Sequence[MemoryEdit], *, json: bool, done: str) -> None:
    """Apply edits and print the result.

    Args:
        done: text for success; {n} is the number of entries, {content_hash} the hash of a snapshot.

    Raises:
        PitwallError: the edits were refused.
        typer.Exit: entries have changed meanwhile; they are shown.
    """
    with writing(data) as store:
        result = store.apply(edits, Provenance(author="operator", source="command"))
    if result.what:
        raise PitwallError(result.what, result.fix)
    count = counted(len(result.entry_ids), "entry", "entries")
    lines = [done.format(n=count, content_hash=result.content_hash)] if result.done else []
    lines += [f"Its name was {result.renamed!r} before."] if result.renamed else []
    Reporter(json).result(
        {"done": result.done, **dataclasses.asdict(result)}, [*conflict_lines(result), *lines]
    )
    if not result.done:
        raise typer.Exit(1)


def entry_line(entry: MemoryEntry) -> str:
    """Return an entry on one line."""
    content = entry.content
    marks = ("pinned " if entry.pinned else "") + ("forgotten " if entry.forgotten else "")
    figures = _figures(content)
    text = f"{label_of(content)}{f' · {figures}' if figures else ''}"
    return f"{entry.entry_id:7d}  {content.kind:9s}  {entry.game_id:12s}  {marks}{text[:_WIDTH]}"


def entry_lines(entry: MemoryEntry) -> list[str]:
    """Return an entry with one line for each field."""
    lines = [
        f"entry {entry.entry_id} · {entry.content.kind} of {entry.game_id} · version {entry.version}",
        f"  stands      {', '.join(_standing(entry))}",
        f"  made        {entry.created_at} by {author_text(entry.provenance)}",
        f"  changed     {entry.changed_at} by {author_text(entry.changed_by)}",
    ]
    for name in fields_of(entry.content.kind):
        value = getattr(entry.content, name)
        if isinstance(value, tuple):
            lines += [f"  {name:11s} {item}" for item in value]
        elif value not in (None, ""):
            lines.append(f"  {name:11s} {value}")
    return lines


def change_lines(change: MemoryChange) -> list[str]:
    """Describe one change of the history: entry, time, author and changed fields."""
    shown = change.after or change.before
    kind = shown.content.kind if shown is not None else "entry"
    undone = " · undone" if change.undone else ""
    head = f"batch {change.batch} · {change.at[:19]} · {author_text(change.by)}{undone}"
    if change.before is None:
        return [f"{head}\n  {kind} {change.entry_id} was added: {label_of(shown.content) if shown else ''}"]
    lines = [f"{head}\n  {kind} {change.entry_id}"]
    if change.after is not None:
        lines += [f"    {name}: {old} → {new}" for name, old, new in differences(change.before, change.after)]
    return lines


def differences(before: MemoryEntry, after: MemoryEntry) -> list[tuple[str, object, object]]:
    """Return fields that differ, with both values."""
    rows: list[tuple[str, object, object]] = []
    for name in ("pinned", "forgotten"):
        if getattr(before, name) != getattr(after, name):
            rows.append((name, getattr(before, name), getattr(after, name)))
    if before.content.kind == after.content.kind:
        for name in fields_of(before.content.kind):
            old, new = getattr(before.content, name), getattr(after.content, name)
            if old != new:
                rows.append((name, old, new))
    return rows


def conflict_lines(result: EditResult) -> list[str]:
    """Describe each conflict: the operator's edit and the current entry."""
    lines = []
    for conflict in result.conflicts:
        lines.append(f"entry {conflict.entry_id} was changed since; nothing was done.")
        if conflict.theirs is None:
            lines.append("  it is not there any more")
        else:
            by = author_text(conflict.theirs.changed_by)
            lines.append(f"  now version {conflict.theirs.version}, by {by}: {conflict.theirs.content}")
        lines.append(f"  yours: {conflict.yours}")
    return lines


def author_text(by: Provenance) -> str:
    """Describe an author in words: who, in which run, and why."""
    text: str = by.author
    if by.source:
        text += f" ({by.source})"
    if by.run_id is not None:
        text += f", run {by.run_id}" + (f" step {by.step}" if by.step is not None else "")
    return f"{text}: {by.reason}" if by.reason else text


def _figures(content: Any) -> str:
    match content.kind:
        case "action":
            tries = f"{content.successes} of {content.attempts}"
            return f"{content.action} · reward {content.reward:.2f} · {tries}"
        case "edge":
            return f"{content.source} → {content.target} · {content.count} times · {content.successes} good"
        case "likeness":
            return f"{content.cosine:.3f}"
        case "skill":
            return f"when {content.when} · {content.status} · {content.successes} of {content.uses}"
        case "episode":
            return str(content.key)
        case "note":
            return str(content.about)
        case "procedure":
            return f"{content.construction} · {content.successes} of {content.attempts}"
    return ""


def _standing(entry: MemoryEntry) -> list[str]:
    words = ["forgotten" if entry.forgotten else "in use"]
    return [*words, "pinned"] if entry.pinned else words
