"""`pitwall study learner`: what a memory is worth that a learner without a model carries from run to run."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import INTERRUPTED, DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter, table
from pitwall.cli.stop_request import stop_requested
from pitwall.games.registry import Registry
from pitwall_bench.cli.study_player import FreshOption, OutOption, require_tasks
from pitwall_bench.study.learner.learner import LearnedRun
from pitwall_bench.study.learner.results import Measurement, html_of, sheet_of, text_lines
from pitwall_bench.study.learner.study import LearnerPlan, LearnerStudy
from pitwall_bench.study.sheet import keep_sheet
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.tasks.lookup import task_named
from pitwall_evaluation.html_report import write_study


def learner(
    task: Annotated[str, typer.Option(help="GAME/TASK whose target is a win.")] = "nightpost/deliver",
    scenario: Annotated[str, typer.Option(help="Scenario of the twin; default: the task's.")] = "",
    runs: Annotated[int, typer.Option(min=1, max=900, help="Carried runs.")] = 50,
    pairs: Annotated[int, typer.Option(min=2, max=100, help="Most pairs of the gate after each run.")] = 12,
    measured: Annotated[int, typer.Option(min=1, help="Runs that measure a memory.")] = 200,
    between: Annotated[int, typer.Option(min=0, help="Runs that measure each memory between.")] = 60,
    every: Annotated[int, typer.Option(min=1, help="Carried runs from one measurement to the next.")] = 10,
    number: Annotated[
        int, typer.Option(min=1, max=9, help="Of the learner; another number has other seeds.")
    ] = 1,
    as_: Annotated[str, typer.Option("--as", help="Keep it under this id.")] = "study-learner",
    fresh: FreshOption = False,
    out: OutOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Carry one memory through runs on the game's headless twin, and measure it beside the frozen one.

    Ctrl+C ends it cleanly; the same command goes on where it ended, also after a kill or with more runs.
    """
    folder, report = data_folder(data), Reporter(json)
    require_tasks(folder, [task])
    game = Registry(folder).load(task.partition("/")[0])
    plan = LearnerPlan(
        game=game,
        task=task_named(game, task.partition("/")[2]),
        scenario=scenario,
        number=number,
        runs=runs,
        pairs=pairs,
        measured=measured,
        between=between,
        every=every,
    )
    suite = SuiteFolder(folder, as_)

    def heard(done: LearnedRun | Measurement) -> None:
        if isinstance(done, Measurement):
            report.event(done.model_dump(mode="json", exclude={"runs"}), done.sentence)
            return
        verdict = done.trial.sentence if done.trial is not None else "Nothing was proposed."
        text = f"run {done.position + 1}: score {done.score:.1f}. {verdict}"
        report.event(done.model_dump(mode="json"), text)

    with stop_requested() as stopping:
        result = LearnerStudy(plan, suite, heard=heard, should_stop=stopping).play(fresh=fresh)
    files = write_study(html_of(result), result, out or suite.root / "report")
    keep_sheet(suite.root, sheet_of(result, as_, str(files[0])))
    body = {**result.model_dump(mode="json", exclude={"measured": {"__all__": {"runs"}}}), "files": files}
    report.result(body, [*text_lines(result, table), "", *(str(file) for file in files)])
    if result.state == "stopped":
        raise typer.Exit(INTERRUPTED)
