"""`pitwall runs`: what was recorded."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.cli.runs.format import figures_json, run_lines
from pitwall.cli.terminal import print_safely
from pitwall.store.run_reader import RunReader


def runs(
    run_id: Annotated[int | None, typer.Argument(help="Show this run with its steps.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most runs (or steps) to list.")] = 50,
    search: Annotated[str, typer.Option(help="Only runs whose game holds this text.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the runs, newest first, or show one."""
    with contextlib.closing(RunReader.open(data_folder(data))) as reader:
        if run_id is None:
            rows = reader.runs(limit=limit, search=search)
            if json:
                print_json(rows)
                return
            for row in rows:
                summary = row.summary
                typer.echo(
                    f"{row.run_id:5d}  {row.manifest.started_at[:19]}  {row.manifest.game_id:12s} "
                    f"{summary.seconds:8.1f} s  {summary.steps:5d} steps  {summary.outcome}"
                )
            if not rows:
                typer.echo("No runs yet. Make one: pitwall demo")
            return
        row = reader.run(run_id)
        steps = reader.steps(run_id, limit=limit)
        if json:
            figures = figures_json(row.summary)
            print_json({"run": row, "figures": figures, "steps": steps, "events": reader.events(run_id)})
            return
        calls = reader.calls_by_step(run_id)
        for line in run_lines(row):
            print_safely(line)
        for step in steps:
            reasons = f" ({', '.join(step.reasons)})" if step.reasons else ""
            asked = f"  [{_counted(calls[step.step])}]" if step.step in calls else ""
            print_safely(
                f"{step.step:5d}  {step.route}{reasons}{asked}  {step.action}  {step.effect}  {step.why}"
            )
        if calls:
            print_safely(f"What a model was asked: pitwall prompt {run_id} {max(calls)}")


def _counted(calls: int) -> str:
    return "1 call" if calls == 1 else f"{calls} calls"
