"""`pitwall report`: writes a run as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.quantities import counted
from pitwall_exchange.sharing.report import DECISIONS, write_report


def report(
    run_id: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run.")],
    out: Annotated[Path | None, typer.Option(help="File to write. Default: run-NUMBER.html.")] = None,
    decisions: Annotated[
        int, typer.Option(min=0, max=1_000, help="Most decisions that are shown with their pictures.")
    ] = DECISIONS,
    force: Annotated[bool, typer.Option(help="Replace a file that is there.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write a run's score, figures, timeline, decisions and memory changes as one page without a network."""
    file = out if out is not None else Path(f"run-{run_id}.html")
    made = write_report(data_folder(data), run_id, file, decisions=decisions, force=force)
    summary = f"{counted(made.decisions, 'decision')}, {counted(made.memory_changes, 'memory change')}"
    Reporter(json).result(made, [f"{made.file}  {made.bytes:,} bytes, {summary}"])
