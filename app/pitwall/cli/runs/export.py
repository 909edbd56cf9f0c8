"""`pitwall export` and `clip`: writes a run as files for other programs, or a span of it as a video."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.store.clip import write_clip


def export(
    run_id: Annotated[int, typer.Argument(help="Number of the run.")],
    formats: Annotated[
        list[str], typer.Option("--format", help="jsonl, csv, sqlite, parquet, mcap, rerun; repeatable.")
    ] = [  # noqa: B006
        "jsonl"
    ],
    out: Annotated[Path, typer.Option(help="Folder to write; made if it is not there.")] = Path("export"),
    frames: Annotated[bool, typer.Option(help="Copy the step images too.")] = False,
    force: Annotated[bool, typer.Option(help="Replace files that are there.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write a run and a manifest with the SHA-256 of each file."""
    report = Reporter(json)
    from pitwall.store.export import export_run  # loads SQLAlchemy

    result = export_run(
        data_folder(data), run_id, formats, out, frames=frames, force=force, progress=report.progress
    )
    lines = [f"{result.folder / name}  sha256 {digest}" for name, digest in result.files.items()]
    report.result({"folder": result.folder, "files": result.files, "manifest": result.manifest}, lines)


def clip(
    run_id: Annotated[int | None, typer.Argument(help="Number of the run; left out: the newest.")] = None,
    begin_s: Annotated[float, typer.Option("--from", min=0.0, help="Seconds after the run's begin.")] = 0.0,
    end_s: Annotated[float, typer.Option("--to", min=0.0, help="Seconds after the run's begin.")] = 3_600.0,
    last_s: Annotated[
        float | None,
        typer.Option("--last", min=1.0, help="The last seconds, also of a run that is played now."),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="File to write: .mp4 and .webm play in browsers; also .mkv, .avi.")
    ] = Path("clip.mp4"),
    overlay: Annotated[
        bool, typer.Option(help="Draw route, action, keys, signals, score and time below the picture.")
    ] = True,
    force: Annotated[bool, typer.Option(help="Replace a file that is there.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write a span of a run as a video, from its own video or else its step images."""
    report = Reporter(json)
    source = write_clip(
        data_folder(data),
        run_id,
        begin_s if last_s is None else -last_s,
        end_s,
        out,
        overlay=overlay,
        force=force,
        progress=report.progress,
    )
    report.result({"file": out, "source": source}, [f"{out}  from the run's {source}"])
