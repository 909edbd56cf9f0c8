"""`pitwall trigger`: what the event trigger would have done in a recorded run with other thresholds."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Annotated

import typer
from pydantic import ValidationError

from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.core.errors import PitwallError, nearest
from pitwall.core.signals import Thresholds
from pitwall.engine.trigger.recalibrate import replay
from pitwall.store.run_reader import RunReader


def trigger(
    run_id: Annotated[int, typer.Argument(help="Number of the run.")],
    changes: Annotated[list[str] | None, typer.Option("--set", help="name=value; repeatable.")] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Replay a run's signals against changed thresholds; list the steps that would differ."""
    with contextlib.closing(RunReader.open(data_folder(data))) as reader:
        recorded = Thresholds.model_validate(reader.run(run_id).manifest.thresholds)
        steps = reader.steps(run_id)
    thresholds = _changed(recorded, changes or [])
    decisions = replay(steps, thresholds)
    was: Counter[str] = Counter(reason.value for step in steps for reason in step.reasons)
    would: Counter[str] = Counter(reason.value for decision in decisions for reason in decision.reasons)
    differing = [
        {"step": step.step, "recorded": list(step.reasons), "would": list(decision.reasons)}
        for step, decision in zip(steps, decisions, strict=True)
        if bool(step.reasons) != decision.escalate
    ]
    if json:
        print_json(
            {
                "run_id": run_id,
                "steps": len(steps),
                "thresholds": thresholds,
                "recorded": {"escalated": sum(bool(step.reasons) for step in steps), "reasons": was},
                "would": {"escalated": sum(d.escalate for d in decisions), "reasons": would},
                "differing": differing,
            }
        )
        return
    typer.echo(f"{len(steps)} steps; escalations by reason, recorded → with these thresholds:")
    for reason in sorted(was.keys() | would.keys()):
        typer.echo(f"  {reason:10s} {was[reason]:4d} → {would[reason]:4d}")
    typer.echo(f"{len(differing)} steps would be decided otherwise")


def _changed(thresholds: Thresholds, changes: list[str]) -> Thresholds:
    values = thresholds.model_dump()
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals or name not in values:
            near = nearest(name, values)
            hint = f"Did you mean {near!r}?" if near else f"One of: {', '.join(values)}."
            raise PitwallError(f"{change!r} changes no threshold.", hint)
        values[name] = value
    try:
        return Thresholds.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise PitwallError(f"{first['loc'][0]}: {first['msg']}.", "Give a number in its range.") from None
