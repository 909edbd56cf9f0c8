"""`pitwall study`: plays a paper's tables as suites, and writes one report."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder, parts_of
from pitwall.cli.reporter import Reporter, table
from pitwall.cli.stop_request import stop_requested
from pitwall.models.registry import ModelRegistry
from pitwall_bench.cli.study_agenticsts import agenticsts
from pitwall_bench.cli.study_gameworld import gameworld
from pitwall_bench.cli.study_learner import learner
from pitwall_bench.cli.study_player import (
    AsOption,
    FreshOption,
    OutOption,
    StudyPlayer,
    require_tasks,
    shipped_model,
)
from pitwall_bench.cli.study_show import show
from pitwall_bench.cli.study_templates import templates
from pitwall_bench.study.report import html_of, sheet_of, text_lines
from pitwall_bench.study.results import result_of
from pitwall_bench.study.sheet import keep_sheet
from pitwall_bench.study.spike_grid import GAMES, PARTS, QUICK_GAMES, cells_of, name_of, suite_of
from pitwall_bench.suites.folder import suites_of
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_evaluation.html_report import report_study

_PREFIX = "study-"


def list_studies(data: DataOption = None, json: JsonOption = False) -> None:
    """List the studies that were played here."""
    names = [folder.suite for folder in suites_of(data_folder(data)) if folder.suite.startswith(_PREFIX)]
    lines = names or ["No study was played here yet. Play one: pitwall study spike --quick"]
    Reporter(json).result({"studies": names}, lines)


def spike(
    agent: Annotated[
        str, typer.Option(help="The model that plays, of both tiers; default: the shipped one.")
    ] = "",
    games: Annotated[
        str, typer.Option(help="GAME or GAME/TASK, separated by commas; default: four short tasks.")
    ] = "",
    seeds: Annotated[int | None, typer.Option(min=1, help="How many seeds, from 1; default: 10.")] = None,
    parts: Annotated[
        str, typer.Option(help=f"Only these parts, separated by commas: {', '.join(PARTS)}.")
    ] = "",
    cells: Annotated[
        str, typer.Option(help="Only these cells, separated by commas, beside SPIKE's own.")
    ] = "",
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Most steps of a run; successes within the calls count as budgeted."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few cells, two tasks, one seed, few steps: some minutes.")
    ] = False,
    parallel: Annotated[
        int | None, typer.Option(min=1, max=64, help="Sessions side by side; default: 1, or 2 if quick.")
    ] = None,
    as_: AsOption = "",
    fresh: FreshOption = False,
    out: OutOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play the grid of SPIKE's tables, and report it beside the paper's. After Ctrl+C it continues."""
    folder, report = data_folder(data), Reporter(json)
    require_tasks(folder, parts_of(games))
    model = agent or shipped_model()
    ModelRegistry(folder).get(model)
    played = cells_of(parts_of(parts), names=parts_of(cells), quick=quick)
    name = as_ or name_of(model, quick=quick)
    suites = _suites(
        suite_of(
            model,
            played,
            name=name,
            games=parts_of(games) or (QUICK_GAMES if quick else GAMES),
            seeds=seeds or (1 if quick else 10),
            parallel=parallel or (2 if quick else 1),
            steps=steps,
            quick=quick,
        )
    )
    with stop_requested() as stopping:
        playing = StudyPlayer(folder, report, fresh, stopping)
        summaries = [playing.play(suite) for suite in suites if not stopping()]
    result = result_of(model, played, *summaries)
    where = out or folder.suites / name / "report"
    stopped = result.state == "stopped"
    keep_sheet(folder.suites / name, sheet_of(result, str(where / "study.html")))
    report_study(report, result, html_of(result), text_lines(result, table), where, stopped=stopped)


def _suites(grid: SuiteSpec) -> list[SuiteSpec]:
    """Return the grid, and the same under the call budget where its runs are not cut short."""
    return [grid] if grid.limits.steps else [grid, budgeted_suite(grid)]


def budgeted_suite(grid: SuiteSpec) -> SuiteSpec:
    """Return the same suite under the call budget in the place of the tasks' steps."""
    limits = grid.limits.model_copy(update={"by_difficulty": "calls"})
    return grid.model_copy(update={"name": f"{grid.name}-calls", "limits": limits})


app = command_group(
    "Studies: a paper's tables, played as suites and reported beside the paper's figures.",
    list_studies,
    show,
    spike,
    agenticsts,
    gameworld,
    learner,
    templates,
)
