"""`pitwall gsm train`, `pause`, `resume` and `stop`: begin, resume and steer a training."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pitwall.cli.aside import start_aside
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.play.headless import play
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.training_log import (
    LOG,
    Cloned,
    Evaluated,
    Line,
    Point,
    State,
    TrainingControl,
    TrainingLog,
    request_control,
)
from pitwall.gsm.versions import ModuleFolder
from pitwall.link.autoplay import AutoPlay
from pitwall_lab.cli.arguments import (
    ModuleArgument,
    WhyOption,
    module_folder,
    trainer_of,
    training_packages,
)
from pitwall_lab.cli.clone import agreement_lines, begun_clone, clone_result, names_demonstrations
from pitwall_lab.cli.recipe_arguments import changed_recipe
from pitwall_lab.modules.screen_measurement import read_measured

if TYPE_CHECKING:
    from pitwall.gsm.version_record import VersionRecord
    from pitwall_lab.training.train import TrainingOrder

OUTPUT = "output.txt"
"""File for a detached training's output, in its version's folder."""
_MENU_S = 60.0
"""Longest stay in a menu or at the game's end before a play is ended."""
_EARLY_DEATH_S = 2.0


def train(
    module: ModuleArgument,
    source: Annotated[
        str,
        typer.Option("--from", help="Version to begin from, or demonstrations: IDs with commas, or all."),
    ] = "",
    start_from: Annotated[
        str,
        typer.Option(
            "--start-from", help="With demonstrations: the parent clone, which it is compared with."
        ),
    ] = "",
    pixels: Annotated[
        bool | None,
        typer.Option("--pixels/--fields", help="With demonstrations: what it sees; default: fields if any."),
    ] = None,
    resume: Annotated[str, typer.Option("--resume", help="Resume this version's training.")] = "",
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE of the recipe, like steps=50000. Repeatable.")
    ] = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Take delay and noise from `pitwall gsm measure`.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of a new training.")] = 0,
    reward: Annotated[Path | None, typer.Option(help="File with the reward function.")] = None,
    workers: Annotated[
        int, typer.Option(min=0, max=256, help="Processes for the twins beside this one.")
    ] = 0,
    ray: Annotated[str, typer.Option(help="Address of a Ray cluster that runs the twins.")] = "",
    live: Annotated[
        bool, typer.Option("--live", help="Learn from recorded runs instead of the twin.")
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Learn from runs while they are played, until stopped.")
    ] = False,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            help="With --live: minutes of play by the default agent first. With --from: at most so many.",
        ),
    ] = None,
    run: Annotated[list[int] | None, typer.Option("--run", help="Only from this run. Repeatable.")] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Start it in the background; it outlives this command.")
    ] = False,
    title: Annotated[str, typer.Option(help="What is new, in half a sentence.")] = "",
    why: WhyOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Train a version in its twin, from live play, or from demonstrations. Ctrl+C stops, --resume goes on."""
    folder_of_data, report = data_folder(data), Reporter(json)
    watched = names_demonstrations(source)
    if not watched and (start_from or pixels is not None):
        raise PitwallError(
            "--start-from, --pixels and --fields belong to demonstrations.", "Name some: --from all"
        )
    if watched:
        if resume or live or follow or run or ray or workers or measured or reward is not None:
            raise PitwallError(
                "--from with demonstrations takes no twin, no runs and no reward.",
                "Use it with --start-from, --pixels or --fields, --minutes, --set, --seed, --detach.",
            )
        with training_packages():
            folder, made = begun_clone(
                folder_of_data,
                module,
                source,
                pixels=pixels,
                start_from=start_from,
                minutes=minutes,
                changes=changes or [],
                title=title,
                why=why,
            )
        resume, minutes = made.version, None
    else:
        folder = module_folder(folder_of_data, module)
    if minutes is not None and (not live or detach):
        raise PitwallError(
            "--minutes is a time of play to learn from.", "Add --live, and leave out --detach: it plays here."
        )
    with training_packages():
        if minutes is not None:
            _play_first(folder_of_data, folder, minutes, seed, report)
        if watched:
            version = resume
        elif resume:
            _resumable(folder, resume, [source, changes, measured, reward, title, why])
            version = resume
        else:
            version = _begun(folder, source, _recipe(folder, source, changes, measured), reward, title, why)
        if detach:
            options = ["--seed", str(seed), "--workers", str(workers), *(["--ray", ray] if ray else [])]
            options += [*["--live"] * live, *["--follow"] * follow]
            options += [word for number in run or [] for word in ("--run", str(number))]
            _detached(folder_of_data, folder, version, options, report)
            return
        from pitwall_lab.training.train import TrainingOrder

        order = TrainingOrder(
            game=folder.game,
            module=folder.declared.name,
            version=version,
            data=folder_of_data,
            seed=seed,
            workers=workers,
            ray=ray,
            live="follow" if follow else "finished" if live or run else "",
            runs=tuple(run or ()),
        )
        with stop_requested() as stopping:
            about = _trained(folder, order, report, stopping)
    line = f"{folder.name} {version}: {about.standing} after {about.steps:,} steps in {about.wall_s:,.0f} s"
    log = TrainingLog(folder.folder(version) / LOG)
    log.follow()
    cloned = clone_result(log.cloned)
    lines = [line, *(agreement_lines(log.cloned) if log.cloned is not None else [])]
    report.result(
        {"game": folder.game.game_id, "module": folder.declared.name, "about": about, **cloned}, lines
    )


TrainingArgument = Annotated[str, typer.Argument(help="Default: the version that is being trained.")]


def pause(
    module: ModuleArgument, version: TrainingArgument = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Pause a training; it keeps its place."""
    _steer(data, module, version, "pause", json=json)


def resume(
    module: ModuleArgument, version: TrainingArgument = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Resume a paused training. (After a stop: pitwall gsm train --resume.)"""
    _steer(data, module, version, "run", json=json)


def stop(
    module: ModuleArgument, version: TrainingArgument = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Stop a training; its checkpoint is kept, and --resume continues from it."""
    _steer(data, module, version, "stop", json=json)


def _steer(data: Path | None, module: str, version: str, wish: TrainingControl, *, json: bool) -> None:
    folder = module_folder(data_folder(data), module)
    training = [name for name in folder.names() if trainer_of(folder, name) is not None]
    if version:
        folder.about(version)
    if not training or (version and version not in training):
        raise PitwallError(
            f"no training of {folder.name}{f' {version}' if version else ''} is running.",
            f"Resume a stopped training: pitwall gsm train {module} --resume {version or 'VERSION'}",
        )
    if not version and len(training) > 1:
        raise PitwallError(f"several versions train: {', '.join(training)}.", "Name one.")
    wanted = version or training[0]
    request_control(folder.folder(wanted), wish)
    line = f"{folder.name} {wanted}: asked to {'go on' if wish == 'run' else wish}."
    Reporter(json).result({"version": wanted, "asked": wish}, [line])


# ---- one training


def _play_first(data: DataFolder, folder: ModuleFolder, minutes: float, seed: int, report: Reporter) -> None:
    """Let the default agent play, record a picture of each step, and report the run."""
    settings = load_settings(data.settings)
    settings = settings.with_value("control", "planner", "explore")
    settings = settings.with_value("recording", "step_frames", True)
    game = folder.game
    opening = commands.Open(game=_game_named(folder), settings=settings, seed=seed)
    report.line(f"The default agent plays {game.profile.game.name} for {minutes:g} min.")
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


def _report_line(report: Reporter, line: Line, steps: int) -> None:
    """Report a line of the training's log: a point as progress, evaluations and states as they happen."""
    done = min(line.step, steps)
    match line:
        case Cloned():
            return
        case Point():
            report.progress(done, steps, f"step {line.step:,} of {steps:,}")
            return
        case Evaluated():
            best = ", the best so far" if line.best else ""
            text = f"step {line.step:,}: mean {line.mean:.3g}, {line.wins} of {line.runs} succeeded{best}"
        case State():
            why = f": {line.why}" if line.why else ""
            text = f"step {line.step:,} of {line.steps:,}: {line.state}{why}"
    report.event({"progress": done, "of": steps, line.kind: line}, text)


def _recipe(folder: ModuleFolder, source: str, changes: list[str] | None, measured: bool) -> dict[str, Any]:
    learned = folder.declared.learned
    if learned is None:
        raise PitwallError(
            f"{folder.name} learns nothing: it has only rules.",
            "Declare [modules.learned] in the game's plugin.toml.",
        )
    recipe = (folder.about(source).recipe if source else None) or learned.training
    more: dict[str, Any] = {}
    if measured:
        measurement = read_measured(folder.root)
        if measurement is None:
            raise PitwallError(
                f"nothing was measured of {folder.name}.", f"Run: pitwall gsm measure {folder.name}"
            )
        more = measurement.recipe()
    return changed_recipe(recipe, changes or [], more)


def _begun(
    folder: ModuleFolder,
    source: str,
    changes: dict[str, Any],
    reward: Path | None,
    title: str,
    why: str,
) -> str:
    """Create the folder of a new version; return its name."""
    from pitwall_lab.training.train import begin_version

    text = None
    if reward is not None:
        try:
            text = reward.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PitwallError(f"{reward} cannot be read: {error}.", "Name a Python file.") from None
    return begin_version(folder, parent=source, reward=text, changes=changes, title=title, why=why).version


def _resumable(folder: ModuleFolder, version: str, changed: list[Any]) -> None:
    """Check that a version's training can resume unchanged."""
    folder.about(version)
    if any(changed):
        raise PitwallError(
            f"--resume continues {version} unchanged: it takes no other changes.",
            f"Begin another from it: pitwall gsm train {folder.name} --from {version}",
        )
    holder = trainer_of(folder, version)
    if holder is not None:
        raise PitwallError(
            f"{folder.name} {version} is being trained by {holder}.",
            f"Steer it: pitwall gsm pause|resume|stop {folder.name} {version}",
        )


def _trained(
    folder: ModuleFolder, order: TrainingOrder, report: Reporter, stopping: Callable[[], bool]
) -> VersionRecord:
    from pitwall_lab.cloning.clone import clone
    from pitwall_lab.training.train import train

    about = folder.about(order.version)
    recipe = about.recipe
    steps = recipe.steps if recipe is not None else 0

    def report_line(line: Line) -> None:
        nonlocal steps
        steps = line.steps if isinstance(line, State) else steps
        _report_line(report, line, steps)

    if isinstance(about.learned, ClonedSpace):
        return clone(order.data, folder, about, seed=order.seed, on_line=report_line, should_stop=stopping)
    return train(order, on_line=report_line, should_stop=stopping)


def _detached(
    data: DataFolder, folder: ModuleFolder, version: str, options: list[str], report: Reporter
) -> None:
    """Start `pitwall gsm train --resume` in the background, and check that it survives its start."""
    arguments = ["gsm", "train", _named(folder), "--resume", version, *options, "--data", str(data.root)]
    file, until_s = folder.folder(version) / OUTPUT, time.monotonic() + _EARLY_DEATH_S
    pid = start_aside(arguments, file, lambda: time.monotonic() > until_s)
    line = f"{folder.name} {version} trains as process {pid}; it writes to {file.parent}"
    report.result({"version": version, "pid": pid, "output": file}, [line])


def _game_named(folder: ModuleFolder) -> str:
    """Name the game for another command; a game that is not listed is named by its folder."""
    game = folder.game
    return str(game.own_folder) if game.source == "path" else game.game_id


def _named(folder: ModuleFolder) -> str:
    """Write GAME/MODULE for another command."""
    return f"{_game_named(folder)}/{folder.declared.name}"
