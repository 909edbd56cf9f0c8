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
    """Propose well-known open models that fit this machine, and say what to expect of each."""
    folder, free = data_folder(data), free_memory()
    deadline_ms = load_settings(folder.settings).models.strategic_deadline_ms
    found = suggestions(ModelRegistry(folder).all(), free, deadline_ms=deadline_ms)
    rows = [
        {
            **one.model.model_dump(mode="json"),
            "verdict": one.verdict,
            "lacks": one.lacks,
            "need": need_json(one.need),
            "decision_s": one.decision_s,
            "expected": one.expected,
            "installed": one.installed,
        }
        for one in found
    ]
    Reporter(json).result({"models": rows, "free": free}, [*_lines(found), free_text(free)])


def _lines(found: Sequence[Suggestion]) -> Iterator[str | Line]:
    for one in found:
        model = one.model
        sees = " + sees" if model.projector else ""
        yield Line(
            f"{_SIGNS[one.verdict]} {model.name:28s} {model.quantisation:7s} "
            f"{byte_size(model.size_bytes + model.projector_bytes):>9s}{sees}  {model.licence}",
            dim=one.verdict != "fits",
        )
        yield f"    {model.what}"
        yield f"    {one.lacks or one.expected}"
        if one.installed:
            yield f"    installed as {one.installed}"
        elif not one.lacks:
            for spec in filter(None, (model.projector, model.spec)):
                yield f"    pitwall models download {spec}"
        yield f"    {f'Tried with Pitwall: {model.tried}' if model.tried else 'Not tried with Pitwall yet.'}"
