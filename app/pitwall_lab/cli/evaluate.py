"""`pitwall gsm evaluate` and `measure`: judge a version, and measure the effects of a screen."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall_lab.cli.arguments import ModuleArgument, module_folder, training_packages
from pitwall_lab.cli.format import measured_lines, run_text, score_text

if TYPE_CHECKING:
    from pitwall_lab.game_trials.messages import TrialRun
    from pitwall_lab.trials.twin_trials import TwinRun

VersionOption = Annotated[str, typer.Option("--version", help="A version; default: the version that drives.")]
ScreenOption = Annotated[
    Literal["own", "here"],
    typer.Option(help="Play on virtual screens, or on the present screen."),
]


def evaluate(
    module: ModuleArgument,
    version: VersionOption = "",
    on: Annotated[
        Literal["screen", "twin"],
        typer.Option(help="On the screen through capture and keys, or headless with the recipe's delay."),
    ] = "screen",
    runs: Annotated[int, typer.Option(min=1, max=1_000, help="Held-out seeds to play.")] = 20,
    cap: Annotated[float | None, typer.Option(help="A run ends at this score; default: the trial's.")] = None,
    trial: Annotated[str, typer.Option(help="A trial of the module; default: its first.")] = "",
    seeds_from: Annotated[int | None, typer.Option(min=0, help="First seed; default: the trial's.")] = None,
    parallel: Annotated[int, typer.Option(min=1, max=16, help="Runs side by side (screen).")] = 1,
    delay_ms: Annotated[
        float | None, typer.Option(min=0, max=1_000, help="Delay in place of the recipe's (twin).")
    ] = None,
    screen: ScreenOption = "own",
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Repeat the runs that an interrupted evaluation finished (screen)."),
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Evaluate a version on held-out seeds; prints every run, and 95 % intervals of mean and success.

    On the screen each run is a game of its own, in real time and unpaused. An interrupted evaluation resumes
    when it is started again.
    """
    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    judged = _version(folder.driving(), version, module)
    report = Reporter(json)
    log = _RunLog(runs, report)
    common: dict[str, Any] = {"trial": trial or None, "runs": runs, "cap": cap, "first_seed": seeds_from}
    if on == "twin":
        with training_packages():
            from pitwall_lab.trials.twin_trials import trial_named, twin_trial

            score = twin_trial(
                folder_of_data,
                folder.game,
                folder.declared.name,
                judged,
                **common,
                delay_ms=delay_ms,
                on_run=log.twin,
            )
        if cap is not None and cap != trial_named(folder.declared, trial).cap:
            score = score.model_copy(update={"cap": cap})
        folder.add_score(judged, score)
    else:
        from pitwall_lab.game_trials.evaluation import evaluate as on_screen

        score = on_screen(
            folder_of_data,
            folder.game,
            folder.declared.name,
            judged,
            **common,
            parallel=parallel,
            screen=screen,
            fresh=fresh,
            on_run=log.screen,
        )
    body = {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "version": judged,
        "on": on,
        "score": score,
        "sentence": score_text(score),
        "runs": sorted(log.runs, key=lambda run: run["seed"]),
        "replayed": sum(bool(run.get("replayed")) for run in log.runs),
        "parallel": parallel if on == "screen" and screen == "own" else 1,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if sys.platform != "win32" else None,
    }
    report.result(body, [f"{folder.name} {judged}: {score_text(score)}"])


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
        folder.game,
        folder.declared.name,
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
        self._tell(body, run_text(body, "") + (", played before" if kept else ""), run.score is not None)

    def twin(self, run: TwinRun) -> None:
        """Report a run in the twin."""
        self._tell(asdict(run), f"seed {run.seed}: {run.score:g} in {run.seconds:.1f} s", True)

    def _tell(self, body: dict[str, Any], text: str, counts: bool) -> None:
        if counts:
            self.runs.append(body)
        self._report.event({"progress": len(self.runs), "of": self._of, "run": body}, text)


def _version(driving: str, wanted: str, module: str) -> str:
    if wanted or driving:
        return wanted or driving
    raise PitwallError(f"{module} has no version to play.", f"Train one: pitwall gsm train {module}")
