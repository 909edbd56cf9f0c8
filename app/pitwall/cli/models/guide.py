"""`pitwall models suggest`: well-known open models that fit this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pitwall.cli.models.format import free_text, need_json
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.core.quantities import byte_size
from pitwall.core.settings import load_settings
from pitwall.models.free_memory import free_memory
from pitwall.models.registry import ModelRegistry
from pitwall.models.suggestions import Suggestion, suggestions

_SIGNS = {"fits": "✓", "slow": "○", "too big": "✗"}


def suggest(data: DataOption = None, json: JsonOption = False) -> None:
    """Suggest well-known open models that fit this machine, with the expected speed of each."""
    folder, free = data_folder(data), free_memory()
    deadline_ms = load_settings(folder.settings).models.strategic_deadline_ms
    proposed = suggestions(ModelRegistry(folder).all(), free, deadline_ms=deadline_ms)
    rows = [
        {
            **suggestion.model.model_dump(mode="json"),
            "verdict": suggestion.verdict,
            "lacks": suggestion.lacks,
            "need": need_json(suggestion.need),
            "decision_s": suggestion.decision_s,
            "expected": suggestion.expected,
            "installed": suggestion.installed,
        }
        for suggestion in proposed
    ]
    Reporter(json).result({"models": rows, "free": free}, [*_lines(proposed), free_text(free)])


def _lines(proposed: Sequence[Suggestion]) -> Iterator[str | Line]:
    for suggestion in proposed:
        model = suggestion.model
        sees = " + sees" if model.projector else ""
        yield Line(
            f"{_SIGNS[suggestion.verdict]} {model.name:28s} {model.quantisation:7s} "
            f"{byte_size(model.size_bytes + model.projector_bytes):>9s}{sees}  {model.licence}",
            dim=suggestion.verdict != "fits",
        )
        yield f"    {model.what}"
        yield f"    {suggestion.lacks or suggestion.expected}"
        if suggestion.installed:
            yield f"    installed as {suggestion.installed}"
        elif not suggestion.lacks:
            for spec in filter(None, (model.projector, model.spec)):
                yield f"    pitwall models download {spec}"
        yield f"    {f'Tried with Pitwall: {model.tried}' if model.tried else 'Not tried with Pitwall yet.'}"
