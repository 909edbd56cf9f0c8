"""Searches models by words: those of the registry, well-known ones, files on this disk, local endpoints."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size
from pitwall.models.entry import ModelEntry
from pitwall.models.suggestions import Suggestion

Source = Literal["installed", "known", "file", "endpoint"]
LOCAL_ENDPOINTS: tuple[tuple[str, str], ...] = (
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
)
"""Programs that serve models, at the addresses that they take on their own."""
_PLACES = (".lmstudio/models", ".cache/lm-studio/models", ".cache/huggingface/hub", "models", "Downloads")
"""Folders of the home folder where other programs keep models."""
_ENDINGS = (".gguf", ".onnx")
_DEEPEST, _MOST_FILES, _MOST_FOLDERS = 6, 500, 4_000
_ANSWER_S, _MOST_ANSWER = 0.5, 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMatch:
    """A model that can be used or added.

    Attributes:
        about: in a sentence. where: its file, its address on a hub, or its endpoint's address.
        size_bytes: 0 if unknown. suggestion: of a well-known model, how it would run here.
    """

    source: Source
    name: str
    about: str
    where: str
    size_bytes: int = 0
    suggestion: Suggestion | None = None

    @property
    def text(self) -> str:
        """Return what a search looks in, in lower case."""
        extra = self.suggestion.model if self.suggestion is not None else None
        licence = f" {extra.licence} {extra.quantisation} {'sees' * bool(extra.projector)}" if extra else ""
        return f"{self.name} {self.about} {self.where} {self.source}{licence}".casefold()


def matching(models: Iterable[ModelMatch], words: str) -> list[ModelMatch]:
    """Return the models that hold every word."""
    wanted = words.casefold().split()
    return [model for model in models if all(word in model.text for word in wanted)]


def searchable(
    data: DataFolder,
    entries: Sequence[ModelEntry],
    proposed: Sequence[Suggestion],
    *,
    home: Path | None = None,
    endpoints: Sequence[tuple[str, str]] = LOCAL_ENDPOINTS,
) -> list[ModelMatch]:
    """List every model within reach: installed, well-known, files on this disk, local endpoints.

    Args:
        entries: the registry's. proposed: the well-known models, held against this machine.
        home: where other programs keep their models; None: the person's home folder.
    """
    installed = [_of_entry(entry) for entry in entries]
    known = [_of_suggestion(suggestion) for suggestion in proposed if not suggestion.installed]
    taken = {entry.path for entry in entries} | {entry.projector for entry in entries}
    roots = [data.models, *((home or Path.home()) / place for place in _PLACES)]
    files = [_of_file(file) for file in _model_files(roots) if str(file) not in taken]
    served = {(entry.url, entry.remote_model) for entry in entries}
    remote = [model for model in _served(endpoints) if (model.where, model.name) not in served]
    return [*installed, *remote, *files, *known]


def _of_entry(entry: ModelEntry) -> ModelMatch:
    kind = f"{entry.remote_model} at {entry.url}" if entry.url else entry.kind.upper()
    return ModelMatch(
        source="installed",
        name=entry.name,
        about=kind,
        where=entry.path or entry.url,
        size_bytes=entry.size_bytes,
    )


def _of_suggestion(suggestion: Suggestion) -> ModelMatch:
    model = suggestion.model
    return ModelMatch(
        source="known",
        name=model.name,
        about=model.what,
        where=model.spec,
        size_bytes=model.size_bytes + model.projector_bytes,
        suggestion=suggestion,
    )


def _of_file(file: Path) -> ModelMatch:
    try:
        size = file.stat().st_size
    except OSError:
        size = 0
    return ModelMatch(
        source="file",
        name=file.stem,
        about=f"{file.suffix[1:].upper()} file, {byte_size(size)}",
        where=str(file),
        size_bytes=size,
    )


def _model_files(roots: Iterable[Path]) -> list[Path]:
    """Find model files, not too deep and not too many; links to one file count once."""
    files: dict[Path, Path] = {}
    for root in roots:
        for folder, folders, names in islice(os.walk(root), _MOST_FOLDERS):
            deep = len(Path(folder).relative_to(root).parts)
            folders[:] = sorted(folders) if deep < _DEEPEST else []
            for name in sorted(names):
                if name.endswith(_ENDINGS) and not name.startswith("mmproj"):
                    file = Path(folder, name)
                    files.setdefault(file.resolve(), file)
            if len(files) >= _MOST_FILES:
                return list(files.values())
    return list(files.values())


def _served(endpoints: Sequence[tuple[str, str]]) -> Iterator[ModelMatch]:
    if not endpoints:
        return
    with ThreadPoolExecutor(len(endpoints), thread_name_prefix="endpoints") as asking:
        answers = list(asking.map(lambda endpoint: _names_at(endpoint[1]), endpoints))
    for (program, url), names in zip(endpoints, answers, strict=True):
        for name in names:
            yield ModelMatch(source="endpoint", name=name, about=f"served by {program}", where=url)


def _names_at(url: str) -> list[str]:
    """Return the models that an endpoint of this machine serves; none if it does not answer."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/models", timeout=_ANSWER_S) as answer:
            body = json.loads(answer.read(_MOST_ANSWER))
        return [str(model["id"]) for model in body["data"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
