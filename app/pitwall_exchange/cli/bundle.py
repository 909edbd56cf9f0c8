"""`pitwall bundle`: packs a run into one file for another machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall_exchange.sharing.bundle import write_bundle


def bundle(
    run_id: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run.")],
    out: Annotated[Path | None, typer.Option(help="File to write. Default: run-NUMBER.pitwall.")] = None,
    video: Annotated[bool, typer.Option(help="With the run's video, where one was recorded.")] = True,
    force: Annotated[bool, typer.Option(help="Replace a file that is there.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write a run with its frames, prompts, memory, game profile, versions and hashes as one file."""
    report = Reporter(json)
    file = out if out is not None else Path(f"run-{run_id}.pitwall")
    made = write_bundle(data_folder(data), run_id, file, video=video, force=force, progress=report.progress)
    report.end_progress()
    of = {"begin": "as the run found it", "now": "as it stands now", "none": "none"}[made.contents.memory_of]
    lines = [
        f"{made.file}  {made.bytes:,} bytes  sha256 {made.sha256}",
        f"  {len(made.contents.files):,} files, content {made.contents.sha256}",
        f"  memory: {of} {made.contents.memory}".rstrip(),
        f"Show it: pitwall open {made.file.name}",
    ]
    if made.contents.missing:
        lines.insert(1, f"  {len(made.contents.missing):,} pictures of the run are gone and not in it")
    report.result(made, lines)
