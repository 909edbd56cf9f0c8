"""`pitwall teach`: records demonstrations of a person's play; lists, shows, trims and merges them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.teach.record import record
from pitwall.core.quantities import byte_size, counted, duration_text, tally
from pitwall.demonstrations.folder import DemonstrationFolder, Kept, purge, tagged, trimmed
from pitwall.demonstrations.folder import merge as merge_demonstrations
from pitwall.demonstrations.manifest import Demonstration

_MOST_COUNTS = 12


def kept_line(kept: Kept) -> str:
    """Describe a demonstration of the list in one line."""
    manifest = kept.manifest
    if manifest is None:
        return f"{kept.id}  {kept.fault}"
    state = "being recorded" if kept.recording else "" if manifest.complete else "broken off"
    length = duration_text(manifest.kept_seconds) + (" (trimmed)" if manifest.trims else "")
    presses = counted(manifest.presses, "press", "presses")
    parts = (
        f"{length}, {counted(manifest.episodes, 'episode')}, {presses}, {byte_size(manifest.size_bytes)}",
        manifest.kind if manifest.kind != "play" else "",
        state,
        " ".join(f"#{tag}" for tag in manifest.tags),
    )
    return f"{manifest.id}  " + "  ".join(filter(None, parts))


def manifest_lines(manifest: Demonstration) -> Iterator[str]:
    """Describe a manifest in lines."""
    started = manifest.started_at[:19].replace("T", " ")
    yield f"{manifest.id}: {manifest.title}, {manifest.kind} by {manifest.who}, {started} UTC"
    width, height = manifest.picture_size
    files = counted(len(manifest.files), "file")
    yield (
        f"{duration_text(manifest.seconds)}, of them {duration_text(manifest.kept_seconds)} kept; "
        f"{counted(manifest.episodes, 'episode')}, "
        f"{counted(manifest.pictures, 'picture')} of {width} × {height} pixels at up to "
        f"{manifest.rate_fps:g} a second, {byte_size(manifest.size_bytes)} in {files}"
    )
    yield f"Actions: {tally(manifest.actions, 'none named', most=_MOST_COUNTS)}"
    yield f"Keys and buttons: {tally(manifest.keys, 'none pressed', most=_MOST_COUNTS)}"
    if manifest.dropped:
        yield f"{counted(manifest.dropped, 'event')} lost while recording."
    if manifest.trims:
        yield "Left out: " + ", ".join(f"{span.from_s:g} to {span.to_s:g} s" for span in manifest.trims)
    if manifest.tags:
        yield f"Tags: {', '.join(manifest.tags)}"
    if manifest.note:
        yield manifest.note
    if not manifest.complete:
        yield "It was not closed: it holds what was on the disk by then."


IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Its id, or the beginning of it.")]


def list_demonstrations(
    game: Annotated[str, typer.Option(help="Id of a game; empty: every game.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the demonstrations, the newest first."""
    kept = DemonstrationFolder(data_folder(data)).all()
    entries = [
        entry for entry in kept if not game or (entry.manifest is not None and entry.manifest.game == game)
    ]
    body = [
        {
            **(
                entry.manifest.model_dump(mode="json", exclude={"files"})
                if entry.manifest
                else {"id": entry.id}
            ),
            "bytes": entry.manifest.size_bytes if entry.manifest else None,
            "kept_seconds": entry.manifest.kept_seconds if entry.manifest else None,
            "recording": entry.recording,
            "fault": entry.fault,
        }
        for entry in entries
    ]
    none = ["No demonstrations yet. Record one: pitwall teach record --game GAME"]
    Reporter(json).result({"demonstrations": body}, map(kept_line, entries) if entries else none)


def show(
    demonstration: IdArgument,
    check: Annotated[bool, typer.Option("--check", help="Hash and read every file of it.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show a demonstration; with --check, hash and read every file of it."""
    reader = DemonstrationFolder(data_folder(data)).open(demonstration)
    faults = reader.check() if check else []
    checked = [*map(str, faults)] or [f"{counted(len(reader.manifest.files), 'file')} checked: all whole."]
    body = {"demonstration": reader.manifest, "folder": reader.folder, "faults": [*map(str, faults)]}
    lines = [*manifest_lines(reader.manifest), str(reader.folder), *(checked if check else ())]
    Reporter(json).result(body, lines)
    if faults:
        raise typer.Exit(1)


def trim(
    demonstration: IdArgument,
    from_: Annotated[float | None, typer.Option("--from", min=0, help="Seconds since its beginning.")] = None,
    to: Annotated[float | None, typer.Option(min=0, help="Seconds since its beginning.")] = None,
    cut: Annotated[
        bool, typer.Option("--cut", help="Leave out the part between the two times and keep the rest.")
    ] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Forget earlier trims first.")] = False,
    purge_: Annotated[bool, typer.Option("--purge", help="Delete trimmed parts from the disk.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Keep only the part between two times; --clear undoes it until it is purged."""
    kept = DemonstrationFolder(data_folder(data))

    def changed(now: Demonstration) -> Demonstration:
        now = now.model_copy(update={"trims": ()}) if clear else now
        if from_ is None and to is None:
            return now
        return trimmed(now, from_ or 0.0, now.seconds + 0.001 if to is None else to, cut=cut)

    manifest = kept.change(demonstration, changed)
    _done(purge(kept, demonstration) if purge_ else manifest, json)


def tag(
    demonstration: IdArgument,
    add: Annotated[list[str] | None, typer.Argument(metavar="[TAG]…", help="Tags to add.")] = None,
    remove: Annotated[list[str] | None, typer.Option(help="A tag to take away; repeatable.")] = None,
    note: Annotated[str | None, typer.Option(help="A note of up to 2,000 characters.")] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Add tags to a demonstration, take some away, or write a note."""

    def changed(now: Demonstration) -> Demonstration:
        now = tagged(now, add or (), remove or ())
        return now if note is None else now.model_copy(update={"note": note[:2000]})

    _done(DemonstrationFolder(data_folder(data)).change(demonstration, changed), json)


def delete(demonstration: IdArgument, data: DataOption = None, json: JsonOption = False) -> None:
    """Delete a demonstration with its pictures."""
    kept = DemonstrationFolder(data_folder(data))
    name = kept.path(demonstration).name
    kept.delete(name)
    Reporter(json).result({"deleted": name}, [f"{name} deleted."])


def merge(
    demonstrations: Annotated[list[str], typer.Argument(metavar="ID…", help="Two or more, in their order.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Make one demonstration of several; the parts stay."""
    report = Reporter(json)
    kept = DemonstrationFolder(data_folder(data))
    _done(merge_demonstrations(kept, demonstrations, report.progress), json)


def _done(manifest: Demonstration, json: bool) -> None:
    Reporter(json).result({"demonstration": manifest}, manifest_lines(manifest))


app = command_group(
    "Demonstrations: what a person did in a game's window, to learn from.",
    list_demonstrations,
    *(record, show, trim, tag, delete, merge),
)
