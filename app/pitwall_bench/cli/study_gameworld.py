"""`pitwall study gameworld`: models at games by named actions or by keys and pointer, beside the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder, parts_of
from pitwall.cli.reporter import Reporter, table
from pitwall.cli.stop_request import stop_requested
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from pitwall_bench.cli.study_player import (
    AsOption,
    FreshOption,
    OutOption,
    StudyPlayer,
    require_tasks,
    shipped_model,
)
from pitwall_bench.study.gameworld_grid import (
    QUICK_GAMES,
    QUICK_SECONDS,
    QUICK_STEPS,
    STEPS,
    GameWorldStudy,
    cells_of,
    form_named,
    name_of,
)
from pitwall_bench.study.gameworld_report import html_of, sheet_of, text_lines
from pitwall_bench.study.gameworld_results import result_of
from pitwall_bench.study.sheet import keep_sheet
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.summary import Summary, summary_of
from pitwall_evaluation.html_report import report_study

_Games = Annotated[
    str,
    typer.Option(help="GAME or GAME/TASK, by commas; default: every game with all its tasks."),
]
_Interfaces = Annotated[str, typer.Option(help="semantic, computer-use, or both by commas.")]
_Calls = Annotated[
    str, typer.Option(help="How actions are written: json, tools, qwen-vl, ui-tars, anthropic.")
]
_Grammar = Annotated[
    bool, typer.Option(help="Bind replies to their form; invalid actions are then rare by construction.")
]
_Person = Annotated[
    bool, typer.Option("--person", help="You play the same tasks now, in real time; your row is kept.")
]
_Quick = Annotated[
    bool, typer.Option("--quick", help="Two tasks, twelve actions, both interfaces: some minutes.")
]


def gameworld(
    agent: Annotated[str, typer.Option(help="The model that plays; default: the shipped one.")] = "",
    games: _Games = "",
    interfaces: _Interfaces = "semantic,computer-use",
    protocols: Annotated[str, typer.Option(help="paused, real-time, or both by commas.")] = "paused",
    rounds: Annotated[str, typer.Option(help="Rounds of memory, 0 to 8, by commas.")] = "2",
    calls: _Calls = "json",
    grammar: _Grammar = False,
    repeats: Annotated[int, typer.Option(min=1, help="How often each run is played.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from 1.")] = 1,
    steps: Annotated[int | None, typer.Option(min=1, help="Most actions of a run; default: 100.")] = None,
    price_in: Annotated[float, typer.Option(min=0, help="Money for a million input tokens.")] = 0.0,
    price_out: Annotated[float, typer.Option(min=0, help="Money for a million output tokens.")] = 0.0,
    price_cached: Annotated[
        float | None,
        typer.Option(min=0, help="Money for a million input tokens from a cache; default: as --price-in."),
    ] = None,
    person: _Person = False,
    quick: _Quick = False,
    parallel: Annotated[int, typer.Option(min=1, max=64, help="Sessions side by side.")] = 1,
    as_: AsOption = "",
    fresh: FreshOption = False,
    out: OutOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play GameWorld's interfaces, protocols and memory rounds, and report them beside the paper's figures.

    Ctrl+C ends it cleanly; the same command continues where it ended.
    """
    folder, report = data_folder(data), Reporter(json)
    named = parts_of(games)
    require_tasks(folder, [game for game in named if "*" not in game])
    cells = cells_of(parts_of(interfaces), parts_of(protocols), parts_of(rounds))
    form = form_named(calls)
    model = agent or shipped_model()
    ModelRegistry(folder).get(model)
    study = GameWorldStudy(
        name=as_ or name_of(model, quick=quick),
        model=model,
        games=named or (QUICK_GAMES if quick else ("*",)),
        cells=cells,
        calls=form,
        grammar=grammar,
        repeats=repeats,
        seeds=seeds,
        steps=steps or (QUICK_STEPS if quick else STEPS),
        seconds=QUICK_SECONDS if quick else None,
        parallel=parallel,
        price_in=price_in,
        price_out=price_out,
        price_cached=price_cached,
    )
    _play(study, folder, report, person=person, fresh=fresh, out=out)


def _play(
    study: GameWorldStudy,
    folder: DataFolder,
    report: Reporter,
    *,
    person: bool,
    fresh: bool,
    out: Path | None,
) -> None:
    """Play what is left of a study, the person first, and report it."""
    own = study.by_person()
    with stop_requested() as stopping:
        player = StudyPlayer(folder, report, fresh, stopping)
        if person:
            player.play(own)
        played = player.play(study.suite())
    person_played = _by_person(own, folder)
    result = result_of(study, played, SuiteFolder(folder, study.name).sessions, person_played)
    if person_played is None and SuiteFolder(folder, own.name).exists:
        result = result.model_copy(update={"warnings": (*result.warnings, _OTHER_LIMITS)})
    stopped = played.state == "stopped"
    place = out or folder.suites / study.name / "report"
    keep_sheet(folder.suites / study.name, sheet_of(result, str(place / "study.html")))
    report_study(report, result, html_of(result), text_lines(result, table), place, stopped=stopped)


_OTHER_LIMITS = "A person played under other limits of steps or time: that row is left out."


def _by_person(own: SuiteSpec, folder: DataFolder) -> tuple[Summary, Path] | None:
    """Return what a person played under the study's limits, and its sessions; None where nobody did."""
    where = SuiteFolder(folder, own.name)
    if not where.exists or where.spec().limits != own.limits:
        return None
    return summary_of(where), where.sessions
