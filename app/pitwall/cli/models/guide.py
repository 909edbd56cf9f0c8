"""`pitwall models suggest` and `trial`: which models fit this machine, and whether one is worth having."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from pitwall.cli.models.format import NameArgument, free_text, need_json
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.core.quantities import byte_size
from pitwall.core.settings import load_settings
from pitwall.models.free_memory import free_memory
from pitwall.models.registry import ModelRegistry
from pitwall.models.suggestions import Suggestion, suggestions

_INTERRUPTED = 130
_SIGNS = {"fits": "✓", "slow": "○", "too big": "✗"}
TaskOption = Annotated[str, typer.Option("--task", help="GAME/TASK to play; see: pitwall task list")]


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


def trial(
    name: NameArgument,
    task: TaskOption = "",
    seconds: Annotated[
        float | None, typer.Option(min=30, help="How long it may take; 120 s by default.")
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete the runs of a trial that was stopped.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a bundled game with a model and without it, and say whether it is better than the skills.

    Interrupted, it pauses; the same command goes on. The result stays on the model's card.
    """
    from pitwall_bench.playing.model_trial import SECONDS, TASK, forget_trial, try_model

    folder, report = data_folder(data), Reporter(json)
    entry = ModelRegistry(folder).get(name)
    if forget:
        report.result({"forgotten": name, "was_there": forget_trial(folder, name)}, ["Its runs are deleted."])
        return
    wanted_s = seconds or SECONDS
    with stop_requested() as stopping:
        found = try_model(
            folder,
            entry,
            task=task or TASK,
            seconds=wanted_s,
            tell=lambda done, text: report.progress(
                round(done),
                round(wanted_s),
                f"{done:.0f} of {wanted_s:.0f} s; {text}".rstrip("; "),
                doing=text,
            ),
            should_stop=stopping,
        )
    report.end_progress()
    if found is None:
        text = "The trial is paused. Run the same command to go on."
        report.result({"state": "paused", "what": text}, [text])
        raise typer.Exit(_INTERRUPTED)
    body = {"state": "done", "name": name, "sentence": found.sentence, **found.model_dump(mode="json")}
    report.result(body, [found.sentence])


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
