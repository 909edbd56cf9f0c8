"""`pitwall components`: lists and installs the parts that come after the first start."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, NoReturn

import typer

from pitwall.cli.components.installation import install_missing, missing_debian
from pitwall.cli.options import DataOption, JsonOption, command_group
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.store.components import (
    COMPONENTS,
    component,
    failures,
    installing,
    missing_components,
    missing_on_demand,
)
from pitwall.store.lease import holder_of


def list_components(data: DataOption = None, json: JsonOption = False) -> None:
    """List the components: installed, being installed or missing, and the replacements of missing ones."""
    del data  # components belong to the environment, not to a data folder
    now, failed = installing(), failures()
    missing = (*missing_components(), *missing_on_demand())
    body = [
        {
            "key": known.key,
            "title": known.title,
            "present": known not in missing,
            "installing": now is not None and now.key == known.key,
            "failed": failed.get(known.key, "") if known in missing else "",
            "meanwhile": known.meanwhile,
            "size_mb": known.size_mb,
            "system_packages": missing_debian(known.optional),
        }
        for known in COMPONENTS
    ]
    Reporter(json).result({"components": body, "now": None if now is None else asdict(now)}, _lines(body))


def _lines(body: list[dict[str, object]]) -> Iterator[str]:
    for row in body:
        state = "installed" if row["present"] else "on its way" if row["installing"] else "missing"
        more = "" if row["present"] else f"  {row['failed'] or row['meanwhile']} ({row['size_mb']} MB)"
        yield f"{row['key']!s:11s} {row['title']!s:30s} {state}{more}"
        wanted = row["system_packages"]
        if wanted and isinstance(wanted, list):
            yield f"{'':11s} wants: sudo apt-get install {' '.join(wanted)}"


def install(
    names: Annotated[
        list[str] | None, typer.Argument(help="Components; default: all but those on demand.")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Install missing components, after another installation; low priority beside an open console."""
    report = Reporter(json)
    signal.signal(signal.SIGTERM, _end)
    folder = DataFolder(data if data is not None else default_data_dir())
    work = install_missing(
        names or (),
        lambda done, of, doing: report.progress(done, of, doing, doing=doing),
        beside_play=holder_of(folder.lease) is not None,
    )
    report.end_progress()
    took = {key: round(seconds, 1) for key, seconds in work.took_s.items()}
    failed = {key: {"what": error.what, "fix": error.fix} for key, error in work.failed.items()}
    lines = [
        f"{seconds:7.1f} s  {component(key).title}" for key, seconds in took.items() if key not in failed
    ]
    lines += [
        f"failed     {component(key).title}: {error['what']} {error['fix']}" for key, error in failed.items()
    ]
    body = {"installed": [key for key in took if key not in failed], "took_s": took, "failed": failed}
    if failed:
        words = [f"{component(key).title}: {error['what']}" for key, error in failed.items()]
        body |= {"what": " ".join(words), "fix": next(iter(failed.values()))["fix"]}
    report.result(body, lines or ["everything is installed"])
    if failed:
        raise typer.Exit(1)


def _end(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


app = command_group("Parts that are installed after the first start.", list_components, install)
