"""`pitwall models download`: downloads a model's file; a stopped download can be resumed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pitwall.cli.models.format import checking_progress
from pitwall.cli.models.probing import ProbeOption, finish_adding
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import raising_on_stop
from pitwall.core.errors import DownloadPaused
from pitwall.core.quantities import byte_rate, byte_share, byte_size
from pitwall.models.downloads.origin import file_name_of
from pitwall.models.downloads.partial_file import forget as forget_part
from pitwall.models.files.gguf_header import read_header
from pitwall.models.registry import ModelRegistry

if TYPE_CHECKING:
    from pitwall.models.downloads.download import DownloadProgress

_PAUSED_STATUS = 130
"""Exit status of an interrupted command."""


def download(
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="hf:OWNER/REPO/FILE[@REVISION], or an http address.")
    ],
    sha256: Annotated[str, typer.Option(help="Expected SHA-256 of the file.")] = "",
    name: Annotated[str, typer.Option(help="Name in the registry; by default the file's own.")] = "",
    projector: Annotated[Path | None, typer.Option(help="GGUF file that lets the model see.")] = None,
    probe: ProbeOption = True,
    forget: Annotated[bool, typer.Option("--forget", help="Delete the files of a paused download.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Download a model and add it. An interrupted download is paused; the same command resumes it."""
    from pitwall.models.downloads.download import (
        download as fetch,  # the hub's library is loaded where it is needed
    )
    from pitwall.models.downloads.hub import look_up

    folder, report = data_folder(data), Reporter(json)
    if forget:
        file_name = file_name_of(spec)
        was_there = forget_part(folder.models / file_name)
        report.result({"forgotten": file_name, "was_there": was_there}, ["Its files are deleted."])
        return
    last: list[DownloadProgress] = []
    try:
        with raising_on_stop(
            lambda: DownloadPaused("the download is paused.", "Run the same command to resume it.")
        ):
            origin = look_up(spec, sha256=sha256)
            got = fetch(origin, folder.models, lambda progress: _tell(progress, last, report))
    except DownloadPaused as paused:
        done, total = (last[-1].done, last[-1].total) if last else (0, 0)
        body = {"state": "paused", "progress": done, "of": total, "what": paused.what, "fix": paused.fix}
        report.result(body, [str(paused)])
        raise typer.Exit(_PAUSED_STATUS) from None
    more: dict[str, Any] = {
        "state": "done",
        "file": str(got.path),
        "sha256": got.sha256,
        "bytes": got.size_bytes,
        "resumed_at": got.resumed_at,
    }
    if got.path.suffix == ".gguf" and read_header(got.path).is_projector:
        text = f"{got.path} is a projector: give it to its model with --projector."
        report.result({**more, "entry": None, "note": text}, [text])
        return
    entry = ModelRegistry(folder).add_file(
        got.path,
        name=name,
        projector=projector,
        progress=checking_progress(report),
        source=spec,
        known_sha256=got.sha256,
    )
    finish_adding(entry, folder, report, probe=probe, **more)


def _tell(progress: DownloadProgress, last: list[DownloadProgress], report: Reporter) -> None:
    last[:] = [progress]
    size = byte_share(progress.done, progress.total) if progress.total else byte_size(progress.done)
    text = ", ".join(filter(None, (f"{progress.stage}: {size}", byte_rate(progress.bytes_per_s))))
    figures = {"stage": progress.stage, "bytes_per_s": round(progress.bytes_per_s)}
    report.progress(progress.done, progress.total, text, **figures)
