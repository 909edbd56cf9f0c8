"""`pitwall study emembench`: plays episodes, examines them and compares who answers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder, parts_of
from pitwall.cli.reporter import Reporter, table
from pitwall.cli.stop_request import stop_requested
from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.models.registry import ModelRegistry
from pitwall_evaluation.html_report import report_study
from pitwall_evaluation.ray_cluster import LOCAL, WORKERS_HELP
from pitwall_exam.study.conducting import StudyConductor
from pitwall_exam.study.plan import (
    GAMES,
    PLANNERS,
    QUICK_STEPS,
    SEEDS,
    SITTERS,
    SKILLS,
    STEPS,
    StudyPlan,
    checked_answerers,
)
from pitwall_exam.study.report import games_kind, html_of, text_lines
from pitwall_exam.study.results import EmembenchResult

_ALL_GAMES = ",".join(GAMES)


def emembench(
    games: Annotated[str, typer.Option(help="Games, or GAME/SCENARIO, separated by commas.")] = _ALL_GAMES,
    seeds: Annotated[str, typer.Option(help="Seeds of the episodes; default: the paper's five.")] = "",
    agents: Annotated[
        str, typer.Option(help=f"Who plays: {', '.join(PLANNERS)}, or a model's name; separated by commas.")
    ] = SKILLS,
    steps: Annotated[int | None, typer.Option(min=2, help="Most steps of an episode; default: 200.")] = None,
    answerers: Annotated[
        str, typer.Option(help=f"Of {', '.join(SITTERS)}; default: all that can answer.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(help="Model that reads what was recalled, and answers in context; default: rules read."),
    ] = "",
    horizons: Annotated[
        str, typer.Option(help="Ask about steps 1 to N only, for each N; 0: the whole episode.")
    ] = "0",
    retrieved: Annotated[int, typer.Option(min=1, max=64, help="Entries recalled for a question.")] = 8,
    workers: Annotated[str, typer.Option(help=WORKERS_HELP)] = "",
    parallel: Annotated[
        int, typer.Option(min=1, max=64, help=f"Episodes side by side, with --workers {LOCAL}.")
    ] = 2,
    quick: Annotated[bool, typer.Option("--quick", help="One seed, short episodes: some minutes.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the report; default: the study's own.")] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play episodes, ask about them, and compare who answers with the paper. After Ctrl+C it continues."""
    folder, report = data_folder(data), Reporter(json)
    players, named = parts_of(agents) or (SKILLS,), parts_of(games)
    _check_models(folder, (model, *players))
    kinds = {game: games_kind(game, Registry(folder)) for game in named}
    plan = StudyPlan(
        games=named,
        seeds=_numbers(seeds, "--seeds") or (SEEDS[:1] if quick else SEEDS),
        steps=steps or (QUICK_STEPS if quick else STEPS),
        answerers=checked_answerers(parts_of(answerers), model),
        model=model,
        agents=players,
        horizons=_numbers(horizons, "--horizons") or (0,),
        retrieved=retrieved,
        per_template=1 if quick else 2,
    )
    where = folder.exams / "studies" / hashlib.sha256(plan.model_dump_json().encode()).hexdigest()[:12]
    result = _conduct(plan, folder, where.parent, report, workers, parallel)
    report_study(
        report,
        result,
        html_of(result, kinds),
        text_lines(result, kinds, table),
        out or where,
        stopped=result.state == "stopped",
    )


def _conduct(
    plan: StudyPlan, folder: DataFolder, studies: Path, report: Reporter, workers: str, parallel: int
) -> EmembenchResult:
    def tell(text: str, done: int, of: int) -> None:
        report.progress(done, of, f"{done} of {of}: {text}")

    with stop_requested() as stopping:
        return StudyConductor(plan, folder, studies, stopping, tell, workers, parallel).conduct()


def _check_models(folder: DataFolder, names: Iterable[str]) -> None:
    for name in names:
        if name and name not in PLANNERS:
            ModelRegistry(folder).get(name)


def _numbers(text: str, option: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, parts_of(text)))
    except ValueError:
        raise SettingsError(
            f"{option} {text!r} is no list of numbers.", f"Write it like {option} 1,42."
        ) from None
