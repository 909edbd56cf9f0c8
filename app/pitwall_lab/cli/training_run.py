"""Runs a training for `pitwall gsm train`, in this process or in the background."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from pitwall.cli.play.headless import play
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.versions import ModuleFolder
from pitwall.link.autoplay import AutoPlay
from pitwall_evaluation.aside import start_aside
from pitwall_lab.cli.clone import agreement_lines, clone_result
from pitwall_lab.modules.hyper_parameters import training_outcome
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.training_log import LOG, Cloned, Evaluated, Line, Point, State, TrainingLog

OUTPUT = "output.txt"
"""File for a detached training's output, in its version's folder."""
_MENU_S = 60.0
"""Longest stay in a menu or at the game's end before a play is ended."""
_EARLY_DEATH_S = 2.0


def play_first(data: DataFolder, folder: ModuleFolder, minutes: float, seed: int, report: Reporter) -> None:
    """Let the default agent play, record a picture of each step, and report the run."""
    settings = load_settings(data.settings)
    settings = settings.with_value("control", "planner", "explore")
    settings = settings.with_value("recording", "step_frames", True)
    opening = commands.Open(game=folder.game.reference, settings=settings, seed=seed)
    report.line(f"The default agent plays {folder.game.profile.game.name} for {minutes:g} min.")
    with screen_or_virtual():
        start = commands.Start(seconds=minutes * 60.0)
        result = play(data, opening, start, autoplay=AutoPlay(start, stop_on_takeover=True, menu_s=_MENU_S))
    steps = result.summary.steps if result.summary is not None else 0
    report.event({"run_id": result.run_id, "steps": steps}, f"run {result.run_id}: {steps:,} steps played")
    if result.stuck is not None:
        report.event(
            {"stuck": result.stuck},
            f"It was ended: the game stayed in its status {result.stuck} for {_MENU_S:g} s. Record how to "
            "get back to play: pitwall games new --start or --again, or Add a game, Actions.",
        )


def run_training(
    data: DataFolder, folder: ModuleFolder, version: str, order: TrainingOrder, report: Reporter
) -> None:
    """Train a version in this process, and report its progress and its result."""
    report.result(*train_version(data, folder, version, order, report))


def train_version(
    data: DataFolder, folder: ModuleFolder, version: str, order: TrainingOrder, report: Reporter
) -> tuple[dict[str, Any], list[str]]:
    """Train a version in this process, report its progress, and return the result as JSON and in lines."""
    from pitwall_lab.cloning.clone import clone
    from pitwall_lab.live.shown_play import ShownPlay
    from pitwall_lab.training.train import train

    about = folder.about(version)
    steps = about.recipe.steps if about.recipe is not None else 0

    def report_line(line: Line) -> None:
        nonlocal steps
        steps = line.steps if isinstance(line, State) else steps
        _report_line(report, line, steps)

    with stop_requested() as stopping:
        if isinstance(about.learned, ClonedSpace):
            about = clone(data, folder, about, seed=order.seed, on_line=report_line, should_stop=stopping)
        else:
            about = train(
                data, folder, version, order, on_line=report_line, should_stop=stopping, shows=ShownPlay
            )
    log = TrainingLog(folder.folder(version) / LOG)
    log.follow()
    body: dict[str, Any] = {"game": folder.game.game_id, "module": folder.declared.name, "about": about}
    line = f"{folder.name} {version}: {about.standing} after {about.steps:,} steps in {about.wall_s:,.0f} s"
    lines = agreement_lines(log.cloned) if log.cloned is not None else []
    trial = next(iter(folder.declared.trials), None)
    outcome = training_outcome(about, log, unit=trial.unit if trial is not None else "")
    if outcome is not None:
        body["outcome"] = asdict(outcome)
        best = f"; best test: {outcome.best}" if outcome.best else ""
        lines = [f"{outcome.state}: learned from {outcome.learned}{best}", *lines]
    return {**body, **clone_result(log.cloned)}, [line, *lines]


def _report_line(report: Reporter, line: Line, steps: int) -> None:
    """Report a line of the training's log: a point as progress, evaluations and states as they happen."""
    done = min(line.step, steps)
    match line:
        case Cloned():
            return
        case Point():
            learned = {"loss": line.loss, "held_out": line.held_out}
            report.progress(done, steps, f"step {line.step:,} of {steps:,}", **learned)
            return
        case Evaluated():
            best = ", the best so far" if line.best else ""
            text = f"step {line.step:,}: mean {line.mean:.3g}, {line.wins} of {line.runs} succeeded{best}"
        case State():
            why = f": {line.why}" if line.why else ""
            text = f"step {line.step:,} of {line.steps:,}: {line.state}{why}"
    report.event({"progress": done, "of": steps, line.kind: line}, text)


def detach_training(
    data: DataFolder, folder: ModuleFolder, version: str, order: TrainingOrder, report: Reporter
) -> None:
    """Start `pitwall gsm train --resume` in the background, and check that it survives its start."""
    same = order.model_dump(include={"seed", "workers", "ray", "live", "follow", "run"})
    words = TrainingOrder(resume=version, **same).words()
    named = f"{folder.game.reference}/{folder.declared.name}"
    file, until_s = folder.folder(version) / OUTPUT, time.monotonic() + _EARLY_DEATH_S
    arguments = ["gsm", "train", named, *words, "--data", str(data.root)]
    pid = start_aside(arguments, file, lambda: time.monotonic() > until_s)
    line = f"{folder.name} {version} trains as process {pid}; it writes to {file.parent}"
    report.result({"version": version, "pid": pid, "output": file}, [line])
