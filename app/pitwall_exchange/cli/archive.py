"""`pitwall archive`: moves runs out of the run log and back, one by one or by rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import byte_size, counted, local_time
from pitwall_exchange.archive import moving
from pitwall_exchange.archive.moving import ArchivedRun, archive_folder, archived_runs
from pitwall_exchange.archive.retention import RetentionRules, plan

ArchiveOption = Annotated[
    Path | None,
    typer.Option("--archive", help="Folder of archived runs; default: archive in the data folder."),
]
RunsArgument = Annotated[list[int], typer.Argument(help="Numbers of runs.")]
_GIB = 1 << 30


def list_archived(archive: ArchiveOption = None, data: DataOption = None, json: JsonOption = False) -> None:
    """List the archived runs."""
    runs = archived_runs(archive_folder(data_folder(data), archive))
    lines = list(_lines(runs)) or ["No run is archived: pitwall archive add RUN, or pitwall archive tidy"]
    Reporter(json).result({"runs": runs}, lines)


def add(
    runs: RunsArgument, archive: ArchiveOption = None, data: DataOption = None, json: JsonOption = False
) -> None:
    """Move runs into the archive."""
    folder = data_folder(data)
    _report(moving.archive_runs(folder, runs, archive_folder(folder, archive)), "archived", json)


def restore(
    runs: Annotated[
        list[int] | None, typer.Argument(help="Numbers of runs; none: those that were archived last.")
    ] = None,
    as_new: Annotated[
        bool, typer.Option("--as-new", help="Give each the next number: for another data folder's archive.")
    ] = False,
    archive: ArchiveOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Move runs back from the archive: without a number, undo the last move into it."""
    folder = data_folder(data)
    place = archive_folder(folder, archive)
    restored = moving.restore_runs(folder, runs or _last_batch(place), place, as_new=as_new)
    _report(restored, "restored", json)


def delete(
    runs: RunsArgument, archive: ArchiveOption = None, data: DataOption = None, json: JsonOption = False
) -> None:
    """Delete archived runs for good."""
    place = archive_folder(data_folder(data), archive)
    _report(moving.delete_archived(place, runs), "deleted", json)


def tidy(
    keep_best: Annotated[int, typer.Option(min=0, help="Keep so many runs of each game, by score.")] = 3,
    keep_newest: Annotated[int, typer.Option(min=0, help="Keep so many newest runs.")] = 20,
    keep_flagged: Annotated[bool, typer.Option(help="Keep runs whose film is kept.")] = True,
    most_gib: Annotated[
        float | None,
        typer.Option(min=0, help="Room for all runs; the oldest go until they fit. None: all others go."),
    ] = None,
    go: Annotated[bool, typer.Option("--go", help="Move them; without it they are only listed.")] = False,
    archive: ArchiveOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the runs that no rule keeps, and with --go move them into the archive."""
    folder, report = data_folder(data), Reporter(json)
    most_bytes = None if most_gib is None else int(most_gib * _GIB)
    planned = plan(
        folder,
        RetentionRules(
            keep_best=keep_best, keep_newest=keep_newest, keep_flagged=keep_flagged, most_bytes=most_bytes
        ),
    )
    going = [run for run in planned if run.goes]
    size, stay = sum(run.bytes for run in going), len(planned) - len(going)
    moved = (
        moving.archive_runs(folder, [run.run_id for run in going], archive_folder(folder, archive))
        if (go and going)
        else []
    )
    verb = "moved into the archive; pitwall archive restore undoes it" if moved else "would go: add --go"
    lines = [
        *(
            f"  run {run.run_id}  {run.game}  {local_time(run.started_at)}  {byte_size(run.bytes)}"
            for run in going
        ),
        f"{counted(len(going), 'run')}, {byte_size(size)}: {verb}" if going else "No run has to go.",
        f"{counted(stay, 'run')} stay.",
    ]
    facts = {"moved": bool(moved), "going": len(going), "bytes": size, "staying": stay}
    report.result({**facts, "runs": planned}, lines)


def _last_batch(place: Path) -> list[int]:
    runs = archived_runs(place)
    if not runs:
        raise PitwallError(f"No run is archived in {place}.")
    last = max(run.batch for run in runs)
    return [run.run_id for run in runs if run.batch == last]


def _report(runs: Sequence[ArchivedRun], verb: str, json: bool) -> None:
    size = sum(run.bytes for run in runs)
    done = f"{counted(len(runs), 'run')}, {byte_size(size)}: {verb}."
    Reporter(json).result({"runs": runs, "bytes": size}, [*_lines(runs), done])


def _lines(runs: Sequence[ArchivedRun]) -> Iterator[str]:
    for run in runs:
        began = local_time(run.started_at)
        yield f"  run {run.run_id}  {run.game}  {began}  {counted(run.steps, 'step')}  {byte_size(run.bytes)}"


app = command_group(
    "Move runs out of the run log and back, one by one or by rules.",
    list_archived,
    add,
    restore,
    delete,
    tidy,
)
