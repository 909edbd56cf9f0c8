"""`pitwall export`: a run as files that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.store.export import export_run


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
    result = export_run(
        data_folder(data), run_id, formats, out, frames=frames, force=force, progress=report.progress
    )
    lines = [f"{result.folder / name}  sha256 {digest}" for name, digest in result.files.items()]
    report.result({"folder": result.folder, "files": result.files, "manifest": result.manifest}, lines)
