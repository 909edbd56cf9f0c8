"""`pitwall models evaluate-default`: what the shipped model, or one of its kind, shows on held-out data."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import DataFolder
from pitwall.models.files.integrity import sha256_of
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import FLASH_ATTENTION, NAME
from pitwall.models.spec import ModelSpec


def evaluate_default(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.gguf]",
            help="The model, or the folder of a training, whose card is then completed; by default the "
            "shipped one.",
        ),
    ] = None,
    full: Annotated[
        Path | None, typer.Option("--full", help="The same in full precision, to compare decisions with.")
    ] = None,
    episodes: Annotated[int, typer.Option(min=0, help="Of each bundled game.")] = 6,
    reading: Annotated[int, typer.Option(min=1, help="Prompts of invented games.")] = 1_000,
    pairs: Annotated[int, typer.Option(min=3, help="Prompts with one thing of the memory changed.")] = 300,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Ask a model held-out lessons: agreement with the teacher, reading, quantising, latency, memory."""
    from workshop.shipped_model.card import figures
    from workshop.shipped_model.evaluation.evaluation import EvaluationSize, evaluate_model
    from workshop.shipped_model.training import FULL, MODEL, complete_card

    folder, trained = data_folder(data), None
    if file is not None and file.is_dir():
        trained, file, full = file, file / MODEL, full or file / FULL
    extent = EvaluationSize(episodes=episodes, reading=reading, pairs=pairs)

    report = Reporter(json)

    def tell(stage: str, done: int, of: int) -> None:
        report.event({"asking": stage, "done": done, "of": of})

    with TemporaryDirectory(prefix="pitwall-examination-") as scratch:
        registry = ModelRegistry(DataFolder(Path(scratch)))
        spec = registry.get(NAME).spec if file is None else _added(registry, file, "model")
        whole = _added(registry, full, "full") if full is not None else None
        result = evaluate_model(spec, whole, folder, extent, tell=tell)
    if trained is not None:
        complete_card(trained, result)
    report.result({"file": spec.path, **result}, figures(result))


def _added(registry: ModelRegistry, file: Path, name: str) -> ModelSpec:
    """Return a file's model, loaded like the shipped model, which the registry already has."""
    sha256 = sha256_of(file)
    known = next((entry for entry in registry.all() if entry.sha256 == sha256), None)
    if known is None:
        known = registry.add_file(file, name=name, known_sha256=sha256, flash_attention=FLASH_ATTENTION)
    return known.spec
