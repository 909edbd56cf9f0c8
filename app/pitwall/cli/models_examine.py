"""`pitwall models evaluate-default`: what the shipped model, or one of its kind, shows on held-out data."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.cli.terminal import say
from pitwall.core.paths import DataFolder
from pitwall.models.files import sha256_of
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import NAME
from pitwall.models.spec import ModelSpec


def evaluate_default(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE.gguf]", help="The model; by default the shipped one.")
    ] = None,
    full: Annotated[
        Path | None, typer.Option("--full", help="The same in full precision, to compare decisions with.")
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Of each bundled game.")] = 2,
    reading: Annotated[int, typer.Option(min=1, help="Prompts of invented games.")] = 1_000,
    pairs: Annotated[int, typer.Option(min=3, help="Prompts with one thing of the memory changed.")] = 300,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Ask a model held-out lessons: agreement with the teacher, reading, quantising, latency, memory."""
    from pitwall.teaching.examination import Extent, examine

    folder = data_folder(data)
    extent = Extent(episodes=episodes, reading=reading, pairs=pairs)

    def tell(what: str, done: int, of: int) -> None:
        if json:
            print_json({"asking": what, "done": done, "of": of})

    with TemporaryDirectory(prefix="pitwall-examination-") as scratch:
        registry = ModelRegistry(DataFolder(Path(scratch)))
        spec = registry.get(NAME).spec if file is None else _added(registry, file, "model")
        whole = _added(registry, full, "full") if full is not None else None
        found = examine(spec, whole, folder, extent, tell=tell)
    if json:
        print_json({"file": spec.path, **found})
        return
    for line in _lines(found):
        say(line)


def _added(registry: ModelRegistry, file: Path, name: str) -> ModelSpec:
    """A file's model; the shipped one is in the registry already, under its own name."""
    sha256 = sha256_of(file)
    known = next((entry for entry in registry.all() if entry.sha256 == sha256), None)
    return (known or registry.add_file(file, name=name, known_sha256=sha256)).spec


def _lines(found: dict[str, Any]) -> list[str]:
    """The figures, a line each."""
    lines = [f"agreement, {name}: {_share(one['all'])}" for name, one in found["agreement"].items()]
    lines.append(f"reading: {_share(found['reading']['all'])}")
    lines += [f"memory changed, {kind}: {_share(one)}" for kind, one in found["memory_changed"].items()]
    for tier, one in found["latency_ms"].items():
        lines.append(f"{tier}: {one['p50']:.0f} ms, p95 {one['p95']:.0f} ms over {one['calls']} calls")
    resident = found["host_resident_bytes"]
    if resident is not None:
        lines.append(f"memory of the host: {resident / 1e6:.0f} MB")
    differs = found["differs_from_full_precision"]
    if differs is not None:
        lines.append(f"differs from full precision: {_share(differs)}")
    return lines


def _share(one: dict[str, Any]) -> str:
    if one["share"] is None:
        return "nothing was asked"
    return f"{one['share']:.1%} ({one['low']:.1%} to {one['high']:.1%}) of {one['asked']:,}"
