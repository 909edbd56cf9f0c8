"""`pitwall trigger`: shows what the event trigger would have done in a run with other thresholds."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.play.agent_options import ThresholdsOption, changed_thresholds
from pitwall.cli.reporter import Reporter
from pitwall.core.signals import Thresholds
from pitwall.engine.trigger.event_trigger import replay
from pitwall.store.run_reader import RunReader


def trigger(
    run_id: Annotated[int, typer.Argument(help="Number of the run.")],
    changes: ThresholdsOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Replay a run's signals with changed thresholds; list the steps that would differ."""
    with contextlib.closing(RunReader.open(data_folder(data))) as reader:
        recorded = Thresholds.model_validate(reader.run(run_id).manifest.thresholds)
        steps = reader.steps(run_id)
    thresholds = changed_thresholds(recorded, changes)
    decisions = replay(steps, thresholds)
    was: Counter[str] = Counter(reason.value for step in steps for reason in step.reasons)
    would: Counter[str] = Counter(reason.value for decision in decisions for reason in decision.reasons)
    differing = [
        {"step": step.step, "recorded": list(step.reasons), "would": list(decision.reasons)}
        for step, decision in zip(steps, decisions, strict=True)
        if bool(step.reasons) != decision.escalate
    ]
    body = {
        "run_id": run_id,
        "steps": len(steps),
        "thresholds": thresholds,
        "recorded": {"escalated": sum(bool(step.reasons) for step in steps), "reasons": was},
        "would": {"escalated": sum(d.escalate for d in decisions), "reasons": would},
        "differing": differing,
    }
    lines = [
        f"{len(steps)} steps; escalations by reason, recorded → with these thresholds:",
        *(f"  {reason:10s} {was[reason]:4d} → {would[reason]:4d}" for reason in sorted(was | would)),
        f"{len(differing)} steps would be decided differently",
    ]
    Reporter(json).result(body, lines)
