"""`pitwall task`: one task played once by an agent, and judged by the game's true state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, get_args

import typer
from pydantic import ValidationError

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.play import agent_options as options
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import duration_text, share, tally
from pitwall.core.validation import first_fault
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall_bench.suites.results import PLAYED, Cell, TaskRun
from pitwall_bench.suites.spec import AgentKind, AgentSpec, Limits, OtherKind
from pitwall_bench.tasks.lookup import task_named
from pitwall_bench.tasks.messages import PlayTask, TaskDone, TaskFault, TaskProgress, TaskWorker


def task_lines(game: Game) -> Iterator[str]:
    """Format a game's tasks."""
    profile = game.profile
    truth = profile.truth
    read = " (scores are read from the pixels, not verified)" if truth and not truth.verified else ""
    yield f"{game.game_id}: {profile.game.name}, {profile.game.genre}, level {profile.game.level}{read}"
    for task in profile.tasks:
        bounds = f"{task.steps} steps" + (f", {task.seconds:g} s" if task.seconds is not None else "")
        two = f" ({task.role} beside {task.other_role})" if task.other_role else ""
        mark = two + (f" [baseline: {task.baseline}]" if task.baseline else "")
        yield f"  {game.game_id}/{task.id}  ({bounds})  {task.instruction}{mark}"
    if not profile.tasks:
        yield "  none"


def result_lines(run: TaskRun, session: Path) -> Iterator[str]:
    """Describe a run's result in lines."""
    word = "success" if run.success else "no success" if run.played else "could not be played"
    yield f"{run.cell.game}/{run.cell.task} by {run.cell.agent}, seed {run.cell.seed}: {word}; {run.why}"
    if run.progress is not None:
        shown = "" if run.verified else " (read from the pixels, not verified)"
        score = "none" if run.score is None else f"{run.score:g}"
        yield (
            f"  progress {share(run.progress)}, score {score} of {run.target or 0:g} {run.unit}{shown}"
        ).rstrip()
        yield (
            f"  {run.steps} steps in {duration_text(run.seconds)}, opened in {run.unopened_s:.1f} s, "
            f"begun anew {run.resets} times, invalid {tally(run.invalid)} of {run.proposed}, "
            f"refused {tally(run.refusals)}"
        )
    for side in run.sides:
        own = "" if side.score is None else f"score {side.score:g}, "
        yield f"  {side.role}, by {side.agent}: {own}{side.steps} steps, refused {tally(side.refusals)}"
    if run.run_id is not None:
        yield f"  recorded; see: pitwall runs {run.run_id} --data {session}"


_KINDS: tuple[str, ...] = get_args(AgentKind)
_OTHERS: tuple[str, ...] = get_args(OtherKind)
_PROTOCOLS = ("real-time", "paused")
_HEAR_S = 0.5
ProtocolOption = Annotated[
    str, typer.Option(help="real-time, or paused: the game stands still while the agent thinks.")
]
RoundsOption = Annotated[
    int | None, typer.Option(min=0, help="Remember the last so many rounds in place of the layers.")
]
OtherOption = Annotated[
    str, typer.Option(help=f"Who plays the other side of a task for two: {', '.join(_OTHERS)}.")
]
OtherModelOption = Annotated[str, typer.Option(help="Model of the other side; default: this side's.")]
SessionOption = Annotated[
    Path | None, typer.Option(help="Folder that keeps the run; default: in the data folder.")
]


def task(
    wanted: Annotated[str, typer.Argument(help="GAME/TASK; or `list` for every task.")],
    game: Annotated[str, typer.Argument(help="With `list`: only the tasks of this game.")] = "",
    agent: Annotated[str, typer.Option(help=f"Who plays: {', '.join(_KINDS)}.")] = "skills",
    seed: Annotated[int, typer.Option(help="Seed of the game.")] = 1,
    steps: Annotated[int | None, typer.Option(min=1, help="Budget in steps, if below the task's.")] = None,
    seconds: Annotated[float | None, typer.Option(min=1, help="End after so many seconds of play.")] = None,
    protocol: ProtocolOption = "real-time",
    interface: Annotated[str, typer.Option(help="semantic, or computer-use.")] = "semantic",
    rounds: RoundsOption = None,
    model: options.ModelOption = "",
    fast_model: options.FastModelOption = "",
    workflow: options.WorkflowOption = "",
    ablate: options.AblateOption = None,
    layer: options.LayerOption = None,
    setting: options.SettingOption = None,
    module: options.ModuleOption = None,
    other: OtherOption = "same",
    other_model: OtherModelOption = "",
    session: SessionOption = None,
    here: Annotated[bool, typer.Option("--here", help="Play on this screen, not on one of its own.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a task once, on a screen of its own, and report the result. Ctrl+C ends it."""
    folder, report = data_folder(data), Reporter(json)
    if wanted == "list":
        _list(folder, game, report)
        return
    named, task_id = _named(wanted)
    spec = _agent(
        kind=agent,
        model=model,
        fast_model=fast_model,
        workflow=workflow,
        interface=interface,
        memory="layered" if rounds is None else "rounds",
        rounds=rounds or 0,
        ablate=ablate or [],
        layer=layer or [],
        settings=_settings(setting),
        modules=options.pinned_modules(module),
        other=options.one_of(other, _OTHERS, f"--other is {other!r}."),
        other_model=other_model,
    )
    cell = Cell(**_task_of(folder, named, task_id, spec), agent=spec.name, seed=seed)
    order = PlayTask.model_validate(
        {
            "cell": cell,
            "game": named,
            "agent": spec,
            "protocol": options.one_of(protocol, _PROTOCOLS, f"--protocol is {protocol!r}."),
            "limits": Limits(steps=steps, seconds=seconds),
            "data": folder.root,
            "session": (session or folder.root / "sessions" / cell.key).resolve(),
            "screen": "here" if here or spec.needs_person else "own",
            "keep_frames": True,
        }
    )
    _play_and_report(folder, order, report)


def _play_and_report(folder: DataFolder, order: PlayTask, report: Reporter) -> None:
    run = _play(folder, order, report)
    report.result(run, result_lines(run, order.session))
    if run.ended not in PLAYED or (not run.steps and order.agent.kind != "person"):
        raise typer.Exit(1)


def _task_of(folder: DataFolder, named: str, task_id: str, agent: AgentSpec) -> dict[str, str]:
    """Return the ids of the game and the task; a task for one side has no agent of the other side."""
    game = Registry(folder).load(named)
    task = task_named(game, task_id)
    if agent.other != "same" and not task.other_role:
        names = [f"{game.game_id}/{other.id}" for other in game.profile.tasks if other.other_role]
        two = f"Tasks for two: {', '.join(names)}." if names else "This game has no task for two."
        raise PitwallError(f"{named}/{task_id} is played by one side.", two)
    return {"game": game.game_id, "task": task.id}


def _named(text: str) -> tuple[str, str]:
    game, _, task_id = text.rpartition("/")
    if not game or not task_id:
        raise PitwallError(f"{text!r} names no task.", "Write GAME/TASK; see: pitwall task list")
    return game, task_id


def _play(folder: DataFolder, order: PlayTask, report: Reporter) -> TaskRun:
    worker = TaskWorker(order, folder.logs / "task-seat.log")
    try:
        while True:
            try:
                for message in worker.answers(_HEAR_S):
                    match message:
                        case TaskDone(run=run):
                            return run
                        case TaskFault():
                            raise PitwallError(message.what, message.fix)
                        case TaskProgress() if not report.json:
                            _show(message, report)
            except KeyboardInterrupt:
                worker.give_up()  # it still answers
    finally:
        worker.close()
        report.end_progress()


def _show(progress: TaskProgress, report: Reporter) -> None:
    score = "" if progress.score is None else f", score {progress.score:g}"
    done = f"step {progress.steps} of {progress.budget}, {share(progress.progress)}"
    report.progress(progress.steps, progress.budget, f"{progress.state}: {done}{score}")


def _list(folder: DataFolder, game: str, report: Reporter) -> None:
    registry = Registry(folder)
    ids = [game] if game else [entry.game_id for entry in registry.games() if not entry.fault]
    games = [registry.load(game_id) for game_id in ids]
    body = {
        game.game_id: {
            "name": game.profile.game.name,
            "genre": game.profile.game.genre,
            "level": game.profile.game.level,
            "verified": game.profile.truth is not None and game.profile.truth.verified,
            "tasks": game.profile.tasks,
        }
        for game in games
    }
    report.result(body, (line for game in games for line in task_lines(game)))


def _agent(**given: object) -> AgentSpec:
    kind = options.one_of(str(given["kind"]), _KINDS, f"--agent is {str(given['kind'])!r}.")
    try:
        return AgentSpec.model_validate({"name": kind, **given})
    except ValidationError as error:
        where, problem = first_fault(error)
        raise PitwallError(f"{where}: {problem}.") from None


def _settings(changes: list[str] | None) -> dict[str, str]:
    settings: dict[str, str] = {}
    for change in changes or []:
        name, equals, value = change.partition("=")
        if not equals:
            raise PitwallError(f"{change!r} changes no setting.", "Write section.name=value.")
        settings[name.strip()] = value.strip()
    return settings
