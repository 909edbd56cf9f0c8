"""`pitwall gsm evaluate` and `measure`: judge a version, and measure the effects of a screen."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.order_command import order_command
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.gsm.version_record import Score
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.container_limits import processors
from pitwall_lab.cli.arguments import ModuleArgument, module_folder, training_packages
from pitwall_lab.cli.format import measured_lines, run_text, score_text
from pitwall_lab.orders import EvaluationOrder

if TYPE_CHECKING:
    from pitwall_lab.game_trials.messages import TrialRun
    from pitwall_lab.trials.twin_trials import TwinRun

VersionOption = Annotated[str, typer.Option("--version", help="A version; default: the version that drives.")]
ScreenOption = Annotated[
    Literal["own", "here"],
    typer.Option(help="Play on virtual screens, or on the present screen."),
]


@order_command
def evaluate(
    module: ModuleArgument, order: EvaluationOrder, data: DataOption = None, json: JsonOption = False
) -> None:
    """Evaluate a version on held-out seeds; prints every run, and 95 % intervals of mean and success.

    On the screen each run is a game of its own, in real time and unpaused. An interrupted evaluation resumes
    when it is started again.
    """
    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    version = _version(folder.driving(), order.version, module)
    report = Reporter(json)
    log = _RunLog(order.runs, report)
    if order.on == "twin":
        score = _on_twin(folder, version, order, log)
    else:
        from pitwall_lab.game_trials.evaluation import evaluate as on_screen

        score = on_screen(folder_of_data, folder, version, order, on_run=log.screen)
    body = {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "version": version,
        "on": order.on,
        "score": score,
        "sentence": score_text(score),
        "runs": sorted(log.runs, key=lambda run: run["seed"]),
        "replayed": sum(bool(run.get("replayed")) for run in log.runs),
        "parallel": order.parallel if (order.on, order.screen) == ("screen", "own") else 1,
        "cores": processors(),
        "load": os.getloadavg()[0] if sys.platform != "win32" else None,
    }
    report.result(body, [f"{folder.name} {version}: {score_text(score)}"])


def _on_twin(folder: ModuleFolder, version: str, order: EvaluationOrder, log: _RunLog) -> Score:
    with training_packages():
        from pitwall_lab.trials.twin_trials import trial_named, twin_trial

        score = twin_trial(
            folder,
            version,
            trial=order.trial,
            runs=order.runs,
            cap=order.cap,
            first_seed=order.seeds_from,
            delay_ms=order.delay_ms,
            on_run=log.twin,
        )
    if order.cap is not None and order.cap != trial_named(folder.declared, order.trial).cap:
        score = score.model_copy(update={"cap": order.cap})
    folder.add_score(version, score)
    return score


def measure(
    module: ModuleArgument,
    version: VersionOption = "",
    seconds: Annotated[float, typer.Option(min=3, max=600, help="How long to play.")] = 30.0,
    seed: Annotated[int, typer.Option(min=0, help="The game's seed.")] = 1,
    scenario: Annotated[
        str | None, typer.Option(help="One of the game's scenarios; default: the first trial's.")
    ] = None,
    screen: ScreenOption = "own",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a module on the screen, and measure pixel to key, frames, and each field's reading noise."""
    from pitwall_lab.game_trials.evaluation import measure as measured_on_screen

    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    measured = measured_on_screen(
        folder_of_data,
        folder,
        _version(folder.driving(), version, module),
        seconds=seconds,
        seed=seed,
        scenario=scenario,
        screen=screen,
    )
    lines = list(measured_lines(measured))
    sentence = "; ".join(line.strip() for line in lines[:2])
    body = {"measured": measured, "recipe": measured.recipe(), "sentence": sentence}
    Reporter(json).result(body, lines)


class _RunLog:
    """Reports runs as they finish, and collects them for the answer."""

    def __init__(self, of: int, report: Reporter) -> None:
        self._of, self._report = of, report
        self.runs: list[dict[str, Any]] = []

    def screen(self, run: TrialRun, kept: bool) -> None:
        """Report a run on the screen; `kept`: it was played before."""
        body = {**run.model_dump(exclude={"kind"}), "kept": kept}
        self._show(body, run_text(body, "") + (", played before" if kept else ""), run.score is not None)

    def twin(self, run: TwinRun) -> None:
        """Report a run in the twin."""
        self._show(asdict(run), f"seed {run.seed}: {run.score:g} in {run.seconds:.1f} s", True)

    def _show(self, body: dict[str, Any], text: str, counts: bool) -> None:
        if counts:
            self.runs.append(body)
        self._report.event({"progress": len(self.runs), "of": self._of, "run": body}, text)


def _version(driving: str, wanted: str, module: str) -> str:
    if wanted or driving:
        return wanted or driving
    raise PitwallError(f"{module} has no version to play.", f"Train one: pitwall gsm train {module}")
