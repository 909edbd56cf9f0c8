"""`pitwall memory add|edit|forget|restore-entry|pin|unpin|purge|undo|redo|inbox`: the operator's hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption
from pitwall.cli.reporter import Reporter
from pitwall.core import memories
from pitwall.core.errors import PitwallError, nearest
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import MemoryContent, SkillMemory, fields_of
from pitwall.memory.database.entry_values import UnfitValue, content_of, listed
from pitwall_memory_editor.cli import format

FieldsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="FIELD=VALUE...", help="Fields; one that is a list may be given several times."),
]
VerdictOption = Annotated[int | None, typer.Option(metavar="ID", help="A proposed skill's id.")]
_INBOX = 10_000


def add(
    kind: Annotated[MemoryKind, typer.Argument(metavar="KIND", help="Kind of the entry.")],
    fields: FieldsArgument = None,
    game: Annotated[str, typer.Option("--game", help="Id of the game.")] = "",
    pin: Annotated[bool, typer.Option("--pin", help="Pin it: the agent leaves it as it is.")] = False,
    reason: format.ReasonOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Add an entry."""
    if not game:
        raise PitwallError("no game was named.", "Name it: --game ID")
    content = _content(kind.value, _values(kind.value, fields or []))
    put = memories.PutEntry(game_id=game, content=content, pinned=pin, reason=reason)
    format.edited(data, [put], json=json, done="{n} added.")


def edit(
    entry_id: Annotated[int, typer.Argument(metavar="ID", help="Id of the entry.")],
    fields: FieldsArgument = None,
    version: Annotated[
        int | None, typer.Option(min=1, help="Refuse it where the entry is of another version by now.")
    ] = None,
    reason: format.ReasonOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Change fields of an entry."""
    with format.reading(data) as reader:
        entry = reader.entry(entry_id)
    if entry is None:
        raise format.UnknownEntry(f"there is no entry {entry_id}.", "Find it: pitwall memory search")
    values = _values(entry.content.kind, fields or [])
    if not values:
        raise PitwallError(
            "nothing was given to change.", f"Fields: {', '.join(fields_of(entry.content.kind))}"
        )
    content = _content(entry.content.kind, {**dataclasses.asdict(entry.content), **values})
    put = memories.PutEntry(
        game_id=entry.game_id,
        content=content,
        entry_id=entry_id,
        version=version if version is not None else entry.version,
        reason=reason,
    )
    format.edited(data, [put], json=json, done="{n} changed.")


def forget(
    ids: format.IdsArgument,
    reason: format.ReasonOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Forget entries: they are not used any more, but can be restored until purged.

    Edges go with their states.
    """
    _flag(data, memories.FlagEntries(entry_ids=tuple(ids), forgotten=True, reason=reason), "forgotten", json)


def restore_entry(
    ids: format.IdsArgument,
    reason: format.ReasonOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Bring forgotten entries back."""
    _flag(data, memories.FlagEntries(entry_ids=tuple(ids), forgotten=False, reason=reason), "restored", json)


def pin(
    ids: format.IdsArgument,
    reason: format.ReasonOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Pin entries: the agent neither overwrites nor forgets them."""
    _flag(data, memories.FlagEntries(entry_ids=tuple(ids), pinned=True, reason=reason), "pinned", json)


def unpin(
    ids: format.IdsArgument,
    reason: format.ReasonOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Unpin entries."""
    _flag(data, memories.FlagEntries(entry_ids=tuple(ids), pinned=False, reason=reason), "unpinned", json)


def _flag(data: Path | None, edit: memories.FlagEntries, done: str, json: bool) -> None:
    format.edited(data, [edit], json=json, done=f"{{n}} {done}.")


def purge(
    ids: Annotated[
        list[int] | None, typer.Argument(metavar="[ID...]", help="Forgotten entries; none: see --all.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every forgotten entry (of --game).")] = False,
    game: format.GameOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Remove forgotten entries for good, with their history. Snapshots still contain them."""
    chosen = list(ids or [])
    if everything:
        with format.reading(data) as reader:
            games = [game] if game else reader.games()
            chosen = [entry.entry_id for name in games for entry in reader.entries(name, forgotten=True)]
    elif not chosen:
        raise PitwallError("no entries were named.", "Name their ids, or say --all.")
    format.edited(data, [memories.PurgeEntries(entry_ids=tuple(chosen))], json=json, done="{n} purged.")


def undo(
    batch: Annotated[
        int | None, typer.Option(min=1, help="Another batch than the last; see history.")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Undo the last edit that is not undone, also of an earlier day."""
    format.edited(data, [memories.UndoEdit(batch=batch)], json=json, done="Undone: {n}.")


def redo(data: DataOption = None, json: JsonOption = False) -> None:
    """Redo the edit that was undone last."""
    format.edited(data, [memories.RedoEdit()], json=json, done="Redone: {n}.")


def inbox(
    accept: VerdictOption = None,
    merge: VerdictOption = None,
    reject: VerdictOption = None,
    game: format.GameOption = "",
    reason: format.ReasonOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List proposed skills with their evidence, or judge one."""
    asked: dict[Literal["accept", "merge", "reject"], int | None] = {
        "accept": accept,
        "merge": merge,
        "reject": reject,
    }
    verdicts = [
        memories.JudgeSkill(entry_id=entry_id, verdict=verdict, reason=reason)
        for verdict, entry_id in asked.items()
        if entry_id is not None
    ]
    if verdicts:
        format.edited(data, verdicts, json=json, done="Judged: {n}.")
        return
    with format.reading(data) as reader:
        proposed, _ = reader.page(game, MemoryKind.SKILL, filters={"status": "proposed"}, limit=_INBOX)
    none = ["The inbox is empty: skills that are proposed after a run wait here."]
    lines = [line for entry in proposed for line in _proposed_lines(entry)]
    Reporter(json).result({"proposed": proposed}, lines or none)


def _proposed_lines(entry: memories.MemoryEntry) -> Iterator[str]:
    yield format.entry_line(entry)
    if isinstance(entry.content, SkillMemory):
        yield from (f"           {line}" for line in entry.content.evidence)
        if entry.content.similar_to is not None:
            yield f"           like entry {entry.content.similar_to}"


def _values(kind: str, given: list[str]) -> dict[str, Any]:
    names = fields_of(kind)
    values: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name not in names:
            near = nearest(name, names)
            hint = f"Did you mean {near}=…?" if near else f"Fields: {', '.join(names)}"
            raise PitwallError(f"{text!r} is no field of {kind} with its value.", hint)
        if names[name].type is tuple:
            values[name] = [*values.get(name, []), *listed(value)]
        else:
            values[name] = None if value == "none" and names[name].optional else value
    return values


def _content(kind: str, values: dict[str, Any]) -> MemoryContent:
    try:
        return content_of(kind, values)
    except UnfitValue as unfit:
        raise PitwallError(f"{unfit.fault}.", f"Fields of {kind}: {', '.join(fields_of(kind))}") from None
