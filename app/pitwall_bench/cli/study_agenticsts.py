"""`pitwall study agenticsts`: what a memory is worth over many runs, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import INTERRUPTED, DataOption, JsonOption, data_folder, parts_of
from pitwall.cli.reporter import Reporter, table
from pitwall.cli.stop_request import stop_requested
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.models.registry import ModelRegistry
from pitwall_bench.cli.study_player import (
    AsOption,
    FreshOption,
    OutOption,
    StudyPlayer,
    require_tasks,
)
from pitwall_bench.cli.study_templates import filled_templates
from pitwall_bench.study.agenticsts_grid import FULL, MODE_B, StsStudy, name_of
from pitwall_bench.study.agenticsts_report import html_of, sheet_of, text_lines
from pitwall_bench.study.agenticsts_results import StsResult, result_of
from pitwall_bench.study.sheet import keep_sheet
from pitwall_bench.suites.folder import open_suite
from pitwall_bench.suites.memories import EMPTY, SuiteMemories, chains_of
from pitwall_bench.suites.summary import Summary
from pitwall_evaluation.html_report import report_study

TASKS = ("nightpost/deliver", "mines/sparse_win")
"""The first of these whose game is there is played where none is named: a deck-builder, else by turns."""
_QUICK_RUNS, _QUICK_SEEDS, _QUICK_RUNGS = 2, 1, 2


def agenticsts(
    agent: Annotated[
        str, typer.Option(help="The model that plays, of both tiers; default: none, the skills play.")
    ] = "",
    to: Annotated[str, typer.Option("--to", help="Another model that gets the frozen memory.")] = "",
    game: Annotated[str, typer.Option(help="GAME or GAME/TASK; default: a game by turns.")] = "",
    rungs: Annotated[
        str, typer.Option(help="Tasks of the ladder, easiest first, by commas; default: the game's tasks.")
    ] = "",
    templates: Annotated[
        Path | None, typer.Option(help="A memory file of filled templates; default: the model fills them.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds of each cell, from 1; default: 10.")] = None,
    learn: Annotated[int | None, typer.Option(min=1, help="Runs that learn; default: 20.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, two runs that learn, few steps: some minutes.")
    ] = False,
    parallel: Annotated[int, typer.Option(min=1, max=64, help="Sessions side by side.")] = 1,
    as_: AsOption = "",
    fresh: FreshOption = False,
    out: OutOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play AgenticSTS's five cells, its ladder and its transfer, and report them beside the paper's figures.

    Ctrl+C ends it cleanly; the same command continues where it ended.
    """
    folder, report = data_folder(data), Reporter(json)
    for model in filter(None, (agent, to)):
        ModelRegistry(folder).get(model)
    named, task, tasks = _task(folder, game)
    require_tasks(folder, [f"{named}/{name}" for name in (task, *parts_of(rungs))])
    study = StsStudy(
        name=as_ or name_of(agent, named, quick=quick),
        game=named,
        task=task,
        model=agent,
        other=to,
        rungs=parts_of(rungs) or (tasks[:_QUICK_RUNGS] if quick else tasks),
        seeds=seeds or (_QUICK_SEEDS if quick else 10),
        learning_runs=learn or (_QUICK_RUNS if quick else 20),
        parallel=parallel,
        quick=quick,
    )
    result = _played(study, folder, report, fresh, templates)
    if result is None:
        raise typer.Exit(INTERRUPTED)
    where = out or folder.suites / study.name / "report"
    stopped = result.state == "stopped"
    keep_sheet(open_suite(folder, study.name).root, sheet_of(result, str(where / "study.html")))
    report_study(report, result, html_of(result), text_lines(result, table), where, stopped=stopped)


def _played(
    study: StsStudy, folder: DataFolder, report: Reporter, fresh: bool, templates: Path | None
) -> StsResult | None:
    """Play what is left of a study; None if it was stopped before the cells began."""
    with stop_requested() as stopping:
        player = StudyPlayer(folder, report, fresh, stopping)
        learned = player.play(study.learning())
        if stopping() or learned.state == "stopped":
            return None
        memories, missing = _memories(study, folder, learned, templates)
        played = player.play(study.cells(memories))
        climbing = study.ladder()
        ladder = player.play(climbing) if climbing is not None and not stopping() else None
    return result_of(
        f"{study.game}/{study.task}",
        (study.model, study.other),
        learned,
        played,
        ladder,
        sessions=open_suite(folder, study.name).sessions,
        missing=missing,
    )


def _memories(
    study: StsStudy, folder: DataFolder, learned: Summary, templates: Path | None
) -> tuple[Mapping[str, str], dict[str, str]]:
    """Return the files of the memories that cells begin with, and why cells are not played."""
    missing: dict[str, str] = {}
    try:
        memories = {"templates": str(_templates(study, folder, templates))}
    except PitwallError as error:
        memories, missing = {}, {MODE_B: error.what}
    chain = next(iter(chains_of(learned.runs).values()), [])
    last = next((run.memory.after for run in reversed(chain) if run.memory is not None), EMPTY)
    root = open_suite(folder, learned.suite).root
    file = SuiteMemories(root).lend(last, root / f"{study.name}-learned.jsonl")
    if file is None:
        missing[FULL] = "the learner remembers nothing"
    else:
        memories["learned"] = str(file)
    return memories, missing


def _templates(study: StsStudy, folder: DataFolder, named: Path | None) -> Path:
    """Return the file of the filled templates; the study's model fills them once.

    Raises:
        PitwallError: there are none, and no model that can fill them.
    """
    file = named or folder.suites / f"{study.name}-templates.jsonl"
    if named is None and not file.is_file():
        if not study.model:
            raise PitwallError("no filled templates, and no model to fill them.")
        filled_templates(folder, study.game, study.model, file)
    return file.resolve()


def _task(folder: DataFolder, wanted: str) -> tuple[str, str, tuple[str, ...]]:
    """Return a game, one of its tasks, and all of them."""
    registry = Registry(folder)
    there = {entry.game_id for entry in registry.games() if not entry.fault and entry.playable}
    usual = {game: task for game, _, task in (text.partition("/") for text in TASKS) if game in there}
    named, _, task = (wanted or next(iter(usual), "")).partition("/")
    if not named:
        raise PitwallError("no game by turns is here.", "Name a game: --game GAME/TASK")
    tasks = tuple(declared.id for declared in registry.load(named).profile.tasks)
    if not tasks:
        raise PitwallError(f"{named} has no tasks.", "Name a game with [[tasks]].")
    return named, task or usual.get(named, tasks[0]), tasks
