"""`pitwall clip`: a span of a run as a video."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.store.film import write_clip


def clip(
    run_id: Annotated[int, typer.Argument(help="Number of the run.")],
    begin_s: Annotated[float, typer.Option("--from", min=0.0, help="Seconds after the run's begin.")] = 0.0,
    end_s: Annotated[float, typer.Option("--to", min=0.0, help="Seconds after the run's begin.")] = 3_600.0,
    out: Annotated[Path, typer.Option(help="File to write: .mp4, .mkv or .avi.")] = Path("clip.mp4"),
    overlay: Annotated[
        bool, typer.Option(help="Draw route, action, keys, signals, score and time below the picture.")
    ] = True,
    force: Annotated[bool, typer.Option(help="Replace a file that is there.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write a span of a run as a video, from its video or else its step images."""
    report = Reporter(json)
    source = write_clip(
        data_folder(data),
        run_id,
        begin_s,
        end_s,
        out,
        overlay=overlay,
        force=force,
        progress=report.progress,
    )
    report.result({"file": out, "source": source}, [f"{out}  from the run's {source}"])
