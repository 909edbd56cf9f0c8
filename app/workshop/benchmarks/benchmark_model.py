"""Finds the model for the benchmarks: the operator's, or a generated one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.models.entry import ModelEntry
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.large_models import SHAPES, large_text_model
from workshop.fixtures.tiny_models import tiny_text_model

VARIABLE = "PITWALL_BENCH_MODEL"
"""Environment variable with the name of a model in the registry, a GGUF file, or one of `SHAPES`."""
_HEAD_SIZE, _CONTEXT, _VOCABULARY, _QUANTISED = 64, 8192, 32_000, "Q8_0"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkModel:
    """A model to measure with; `generated`: its weights are random, so only its costs mean anything."""

    entry: ModelEntry
    generated: bool = True

    @property
    def conditions(self) -> dict[str, Any]:
        """Describe the model for a report."""
        entry, header = self.entry, self.entry.header
        facts: dict[str, Any] = {
            "file": Path(entry.path).name or entry.name,
            "generated": self.generated,
            "context": entry.context,
            "gpu_layers": entry.gpu_layers,
            "threads": entry.threads,
            "flash_attention": entry.flash_attention,
        }
        if header is not None:
            facts["quantisation"] = header.quantisation
            facts["file_mb"] = round(header.file_bytes / 1e6, 1)
            facts["parameters"] = header.parameters
            facts["layers"], facts["embedding"] = header.layers, header.embedding
            facts["vocabulary"] = header.vocabulary
        return facts


def named_model() -> str:
    """Return the model that the operator named; empty if none was."""
    return os.environ.get(VARIABLE, "").strip()


def benchmark_model(data: DataFolder, *, layers: int, width: int, threads: int) -> BenchmarkModel:
    """Return the named model, or a generated one, in the registry of the benchmark's own data folder.

    Args:
        layers, width: of a generated model; it has 32,000 tokens as real models do, and never ends a reply on
            its own.
        threads: number of threads, if the operator's registry gives none.

    Raises:
        PitwallError: the named file is no GGUF model.
    """
    named, own = named_model(), ModelRegistry(data)
    if not named:
        return BenchmarkModel(entry=own.add_file(_generated(data.models, layers, width), threads=threads))
    if named in SHAPES:
        data.models.mkdir(parents=True, exist_ok=True)
        file = large_text_model(data.models / f"{named}.gguf", SHAPES[named])
        return BenchmarkModel(entry=own.add_file(file, context=_CONTEXT, threads=threads))
    if Path(named).is_file():
        entry = own.add_file(Path(named), threads=threads)
    else:
        known = ModelRegistry(DataFolder(default_data_dir())).get(named)
        _check_kind(known)
        entry = copy_model_entry(known, data, threads=threads)
    _check_kind(entry)
    return BenchmarkModel(entry=entry, generated=False)


def copy_model_entry(known: ModelEntry, data: DataFolder, *, threads: int = 0) -> ModelEntry:
    """Add a GGUF model of another registry, under the same name and options, without hashing it again.

    Args:
        threads: number of threads, if the other registry gives none.
    """
    return ModelRegistry(data).add_file(
        Path(known.path),
        name=known.name,
        context=known.context,
        gpu_layers=known.gpu_layers,
        threads=known.threads or threads,
        flash_attention=known.flash_attention,
        known_sha256=known.sha256,
    )


def _generated(folder: Path, layers: int, width: int) -> Path:
    return tiny_text_model(
        folder / f"random-{layers}x{width}.gguf",
        layers=layers,
        width=width,
        head_size=_HEAD_SIZE,
        context=_CONTEXT,
        vocabulary=_VOCABULARY,
        ends=False,
        quantised=_QUANTISED,
    )


def _check_kind(entry: ModelEntry) -> None:
    if entry.kind != "gguf":
        raise PitwallError(f"{entry.name} is no GGUF model.", f"Name one in ${VARIABLE}.")
