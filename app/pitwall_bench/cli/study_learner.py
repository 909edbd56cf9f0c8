"""`pitwall study learner`: what a memory is worth that a learner without a model carries from run to run."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.html_report import write_study
from pitwall.cli.options import INTERRUPTED, DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter, table
from pitwall.cli.stop_request import stop_requested
from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_bench.cli.study_player import OutOption, require_tasks
from pitwall_bench.study.learner.learner import Learner, measure
from pitwall_bench.study.learner.results import LearnerResult, Measurement, html_of, text_lines
from pitwall_bench.study.learner.twin_player import TwinPlayer
from pitwall_bench.tasks.lookup import task_named


def learner(
    task: Annotated[str, typer.Option(help="GAME/TASK whose target is a win.")] = "nightpost/deliver",
    runs: Annotated[int, typer.Option(min=1, max=900, help="Carried runs.")] = 50,
    pairs: Annotated[int, typer.Option(min=2, max=100, help="Most pairs of the gate after each run.")] = 12,
    measured: Annotated[int, typer.Option(min=1, help="Runs that measure a memory.")] = 200,
    between: Annotated[int, typer.Option(min=0, help="Runs that measure each memory between.")] = 60,
    every: Annotated[int, typer.Option(min=1, help="Carried runs from one measurement to the next.")] = 10,
    as_: Annotated[str, typer.Option("--as", help="Keep it under this id.")] = "study-learner",
    out: OutOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Carry one memory through runs on the game's headless twin, and measure it beside the frozen one."""
    folder, report = data_folder(data), Reporter(json)
    require_tasks(folder, [task])
    root = folder.suites / as_
    if root.exists():
        raise DataFolderError(f"{root} is there already.", "Use another name with --as, or move it away.")
    game = Registry(folder).load(task.partition("/")[0])
    asked = task_named(game, task.partition("/")[2])
    player = TwinPlayer(game, asked.scenario, won_at=float(asked.target))
    learning = Learner(player, DataFolder(root / "memory"), pairs=pairs)
    carried, memories = [], {0: learning.entries()}
    with stop_requested() as stopping:
        for position in range(runs):
            if stopping():
                raise typer.Exit(INTERRUPTED)
            run = learning.carry(position)
            carried.append(run)
            verdict = run.trial.sentence if run.trial is not None else "Nothing was proposed."
            report.event(run.model_dump(mode="json"), f"run {position + 1}: score {run.score:.1f}. {verdict}")
            if (position + 1) % every == 0 or position + 1 == runs:
                memories[position + 1] = learning.entries()
        measurements = []
        for after in sorted(memories, key=lambda after: (after not in (0, runs), after)):
            rows = measure(player, memories[after], measured if after in (0, runs) else between, stopping)
            made = Measurement.of(after, memories[after], rows)
            measurements.append(made)
            report.event(made.model_dump(mode="json", exclude={"runs"}), made.sentence)
    result = LearnerResult(
        task=task,
        recorded=learning.recorded,
        carried=tuple(carried),
        measured=tuple(sorted(measurements, key=lambda made: made.after)),
        state="stopped" if stopping() else "done",
    )
    files = write_study(html_of(result), result, out or root / "report")
    body = {**result.model_dump(mode="json", exclude={"measured": {"__all__": {"runs"}}}), "files": files}
    report.result(body, [*text_lines(result, table), "", *(str(file) for file in files)])
