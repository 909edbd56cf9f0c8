"""`pitwall suite new`, `check` and `cells`: a suite's file, before anything is played."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import counted, duration_text
from pitwall.store.folder_errors import folder_error
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.reading import read_suite, read_text, suite_file
from pitwall_bench.suites.yaml_text import YamlText

_STEP_S = 0.3
"""Seconds per step used to estimate the length of a run without a time limit."""
FileArgument = Annotated[str, typer.Argument(help="A suite's YAML file, or the name of a bundled one.")]


def check(file: FileArgument, data: DataOption = None, json: JsonOption = False) -> None:
    """Check a suite's file: every fault at once, with line, key and expected value."""
    plan = read_suite(suite_file(file), data_folder(data))
    body = {"ok": True, "faults": [], **_size(plan), "spec": plan.spec.model_dump(by_alias=True)}
    Reporter(json).result(body, [f"{file}: no faults; {_plan_text(plan)}"])


def cells(file: FileArgument, data: DataOption = None, json: JsonOption = False) -> None:
    """List every run a suite will play, in order, with its budget; of climbs, the first."""
    plan = read_suite(suite_file(file), data_folder(data))
    order = [cell for wave in range(plan.spec.repeats) for cell in _wave(plan, wave)]
    listed = [{"key": cell.key, **cell.model_dump(), "steps": _steps(plan, cell)} for cell in order]
    Reporter(json).result({**_size(plan), "cells": listed}, _cell_lines(plan, order))


def _cell_lines(plan: Plan, order: list[Any]) -> Iterator[str]:
    for cell in order:
        seconds = plan.seconds(cell)
        time = f", {duration_text(seconds)}" if seconds else ""
        yield f"{cell.key}  (at most {_steps(plan, cell)} steps{time})"
    yield _plan_text(plan)


def new(
    name: Annotated[str, typer.Argument(help="Of the suite.")],
    game: Annotated[
        list[str] | None, typer.Option(help="GAME, or GAME=TASK,TASK. Repeatable; default: every game.")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="KIND (skills, model, random, idle, person), or NAME=KIND. Repeatable."),
    ] = None,
    preset: Annotated[list[str] | None, typer.Option(help="GAME+TASK+AGENT. Repeatable.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from 1.")] = 1,
    repeats: Annotated[int, typer.Option(min=1, help="Waves.")] = 1,
    parallel: Annotated[int, typer.Option(min=1, help="Sessions side by side.")] = 1,
    protocol: Annotated[str, typer.Option(help="real-time or paused.")] = "real-time",
    out: Annotated[Path | None, typer.Option(help="The file; default: NAME.yaml here.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write a checked suite file."""
    from pitwall.games.registry import Registry

    folder = data_folder(data)
    file = out or Path(f"{name}.yaml")
    every = [entry.game_id for entry in Registry(folder).games() if not entry.fault and entry.playable]
    having = [game_id for game_id in every if Registry(folder).load(game_id).profile.tasks]
    body: dict[str, Any] = {
        "schema": 1,
        "name": name,
        "games": [_game(wanted_game) for wanted_game in (game if game or preset else having) or ()],
        "agents": [_agent(name) for name in agent or ["skills"]],
        "presets": list(preset or ()),
        "seeds": {"first": 1, "count": seeds},
        "repeats": repeats,
        "parallel": parallel,
        "protocol": protocol,
    }
    text = yaml.safe_dump({key: value for key, value in body.items() if value != []}, sort_keys=False)
    plan = read_text(YamlText(str(file), text), file, folder)
    if file.exists() and not force:
        raise PitwallError(f"{file} exists already.", "Name another one with --out, or write over: --force.")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise folder_error(error, file) from error
    line = f"{file}: {_plan_text(plan)}; play it: pitwall suite run {file}"
    Reporter(json).result({"file": file, **_size(plan)}, [line])


def _game(text: str) -> dict[str, Any]:
    name, equals, tasks = text.partition("=")
    return {"game": name, "tasks": tasks.split(",") if equals else "all"}


def _agent(text: str) -> dict[str, str]:
    name, equals, kind = text.partition("=")
    return {"name": name, "kind": kind if equals else name}


def _wave(plan: Plan, wave: int) -> list[Any]:
    return [*plan.cells(wave), *(climb.cell(0, 0) for climb in plan.climbs(wave))]


def _steps(plan: Plan, cell: Any) -> int:
    steps = plan.task(cell.game, cell.task).steps
    return min(steps, plan.spec.limits.steps or steps)


def _hours(plan: Plan, cell: Any) -> float:
    """Return a run's longest time in hours, estimated from its steps if it has no time limit."""
    return (plan.seconds(cell) or _steps(plan, cell) * _STEP_S) / 3600


def _size(plan: Plan) -> dict[str, Any]:
    spec = plan.spec
    return {
        "name": spec.name,
        "runs": spec.repeats * len(plan.cells(0)),
        "climbs": spec.repeats * len(plan.climbs(0)),
        "games": len(plan.games),
        "tasks": len({(cell.game, cell.task) for cell in _wave(plan, 0)}),
        "agents": len(spec.agents),
        "waves": spec.repeats,
        "parallel": spec.parallel,
        "most_hours": spec.repeats * sum(_hours(plan, cell) for cell in plan.cells(0)),
    }


def _plan_text(plan: Plan) -> str:
    size = _size(plan)
    hours, parallel = size["most_hours"], size["parallel"]
    beside = f", {parallel} side by side: {hours / parallel:.2g} h" if parallel > 1 else ""
    climbs = f" and {counted(size['climbs'], 'climb')}" if size["climbs"] else ""
    return (
        f"{counted(size['runs'], 'run')}{climbs}: {counted(size['tasks'], 'task')} of "
        f"{counted(size['games'], 'game')}, {counted(size['agents'], 'agent')}, "
        f"{counted(len(plan.spec.all_seeds), 'seed')}, {counted(size['waves'], 'wave')}; "
        f"at most {hours:.2g} h of play{beside}"
    )
