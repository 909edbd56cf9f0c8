"""`pitwall teach export` and `import`: demonstrations in the formats of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.teach.commands import manifest_lines
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall_exchange.demonstrations import Form
from pitwall_exchange.demonstrations.transfer import export_demonstrations, import_demonstration


def export(
    demonstrations: Annotated[list[str], typer.Argument(metavar="ID…", help="One or several.")],
    form: Annotated[
        Form, typer.Option("--format", help="lerobot (a dataset), mcap (recordings), pixel2play (videos).")
    ] = "lerobot",
    out: Annotated[Path, typer.Option(help="Folder to write; must not be there yet.")] = Path("export"),
    fps: Annotated[
        float, typer.Option(min=0, max=240, help="Frames a second of a dataset; 0: as it was recorded.")
    ] = 0.0,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write demonstrations so that other programs read them: LeRobot, Foxglove, Open Pixel2Play."""
    report = Reporter(json)
    kept = DemonstrationFolder(data_folder(data))
    readers = [kept.open(demonstration) for demonstration in dict.fromkeys(demonstrations)]
    counts = export_demonstrations(readers, form, out, report.progress, fps)
    summary = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    report.result(
        {"folder": out.resolve(), "format": form, "written": counts}, [f"{out.resolve()}: {summary}"]
    )


def import_demonstrations(
    path: Annotated[Path, typer.Argument(help="A dataset's folder, a recording, a demonstration's folder.")],
    game: Annotated[str, typer.Option(help="Id of the game that it shows; default: as it says.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Import a LeRobot dataset, an MCAP recording, Open Pixel2Play's data or a demonstration's folder."""
    report = Reporter(json)
    kept = DemonstrationFolder(data_folder(data))
    manifest = import_demonstration(kept, path, report.progress, game=game)
    report.result({"demonstration": manifest}, manifest_lines(manifest))
