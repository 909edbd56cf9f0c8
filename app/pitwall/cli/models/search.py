"""`pitwall models search`: every model within reach that holds some words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.core.quantities import byte_size
from pitwall.core.settings import load_settings
from pitwall.models.free_memory import free_memory
from pitwall.models.registry import ModelRegistry
from pitwall.models.search import ModelMatch, matching, searchable
from pitwall.models.suggestions import suggestions

_TITLES = {
    "installed": "Installed here",
    "known": "Well-known, to download",
    "file": "Files on this disk",
    "endpoint": "Served on this machine",
}


def search(
    words: Annotated[
        list[str] | None, typer.Argument(help="Words that a model must hold; none: all.")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Search models: installed, well-known, files of other programs on this disk, local endpoints."""
    folder = data_folder(data)
    entries = ModelRegistry(folder).all()
    deadline_ms = load_settings(folder.settings).models.strategic_deadline_ms
    proposed = suggestions(entries, free_memory(), deadline_ms=deadline_ms)
    matches = matching(searchable(folder, entries, proposed), " ".join(words or ()))
    none = ["No model holds these words. Fewer words may find one, or: pitwall models suggest"]
    Reporter(json).result({"models": [_json(match) for match in matches]}, [*_lines(matches)] or none)


def _json(match: ModelMatch) -> dict[str, Any]:
    suggestion = match.suggestion
    return {
        "source": match.source,
        "name": match.name,
        "about": match.about,
        "where": match.where,
        "size_bytes": match.size_bytes,
        "verdict": suggestion.verdict if suggestion is not None else None,
        "add": _command(match),
    }


def _lines(matches: list[ModelMatch]) -> Iterator[str | Line]:
    title = ""
    for match in matches:
        if title != (title := _TITLES[match.source]):
            yield Line(title, bold=True)
        size = byte_size(match.size_bytes) if match.size_bytes else ""
        verdict = f"  {match.suggestion.verdict}" if match.suggestion is not None else ""
        yield f"  {match.name:32s} {size:>9s}{verdict}"
        yield Line(f"      {match.about}", dim=True)
        if command := _command(match):
            yield Line(f"      {command}", dim=True)


def _command(match: ModelMatch) -> str:
    match match.source:
        case "known":
            return f"pitwall models download {match.where}"
        case "file":
            return f"pitwall models add {shlex.quote(match.where)}"
        case "endpoint":
            return f"pitwall models add-remote NAME {match.where} --model {shlex.quote(match.name)}"
    return ""
