"""`pitwall task-seat`: plays one run of a task as a person would, and judges it by the game's true state.

It starts `pitwall run` on its own screen and in its own session folder, ends it as soon as the task is
decided, and returns the result; every failure is a result with its cause. If its client is gone, it ends the
run and clears everything away except the session's folder.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from pitwall.core.errors import DataFolderError, ManifestError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game, Task
from pitwall.games.trust import require_trust
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import Evolution
from pitwall_bench.tasks.carried_memory import begin_memory, hand_over
from pitwall_bench.tasks.evolution import TRIALS, Evolved, SkillEvolution
from pitwall_bench.tasks.lookup import task_named
from pitwall_bench.tasks.messages import (
    ANSWERS,
    ORDERS,
    ROLE,
    GiveUp,
    LentMemory,
    PlayTask,
    TaskDone,
    TaskFault,
)
from pitwall_bench.tasks.runner import TaskRunner
from pitwall_bench.tasks.session_folder import furnish
from pitwall_bench.tasks.verdict import unplayed_run
from pitwall_evaluation.sandbox import Sandbox, folder_errors, screen_for
from pitwall_evaluation.worker_process import AnswerChannel, run_worker

ORDER_FILE = "task.json"
"""The order in a session's folder. It marks the folder as one that may be emptied."""


def main(argv: Sequence[str]) -> int:
    """Play one order, answer it, and return the exit status."""
    return run_worker(argv, ROLE, __doc__, ANSWERS, ORDERS, _serve)


def _serve(order: PlayTask | GiveUp, channel: AnswerChannel) -> None:
    if isinstance(order, PlayTask):
        channel.send(_answer(order, channel))


def _answer(order: PlayTask, channel: AnswerChannel) -> TaskDone | TaskFault:
    try:
        game, task = _asked(order)
    except PitwallError as error:
        return TaskFault(what=error.what, fix=error.fix)
    with contextlib.ExitStack() as stack:
        try:
            require_trust(game)
            sandbox = stack.enter_context(task_sandbox(order, game))
        except PitwallError as error:
            return TaskDone(run=unplayed_run(order, game, task, "launch", str(error)))
        run = TaskRunner(order, game, task, sandbox, channel).play()
        try:
            evolved = _evolved(order, run, sandbox.data, game, task, channel)
            return TaskDone(run=hand_over(order, run, sandbox.data, game.game_id, evolved))
        except PitwallError as error:
            return TaskDone(run=unplayed_run(order, game, task, "outside", str(error)))


def _evolved(
    order: PlayTask, run: TaskRun, data: DataFolder, game: Game, task: Task, channel: AnswerChannel
) -> Evolved | None:
    """Let the gate decide about the skills that a run proposed; None where that is not its business."""
    kept = order.memory is not None and order.memory.kept
    if order.agent.accept != "gate" or not kept or not run.played:
        return None
    settings = load_settings(data.settings)
    for name, value in order.agent.settings.items():
        section, _, key = name.partition(".")
        settings = settings.with_value(section, key, value)

    def play(cell: Cell, lent: LentMemory, budget: Evolution, most_s: float) -> TaskRun:
        trial = _trial(order, cell, lent, budget, most_s)
        try:
            with task_sandbox(trial, game) as sandbox:
                return TaskRunner(trial, game, task, sandbox, channel).play()
        except PitwallError as error:
            return unplayed_run(trial, game, task, "outside", str(error))

    try:
        evolution = SkillEvolution(data, game.game_id, run, order.agent.evolution, settings.memory, play)
        return evolution.evolve()
    finally:
        shutil.rmtree(data.root / TRIALS, ignore_errors=True)


def _trial(order: PlayTask, cell: Cell, lent: LentMemory, budget: Evolution, most_s: float) -> PlayTask:
    """Return the order of a trial: the same task and agent, which proposes nothing, within the budget."""
    limits = order.limits
    return order.model_copy(
        update={
            "cell": cell,
            "agent": order.agent.model_copy(update={"accept": "none"}),
            "limits": limits.model_copy(
                update={
                    "steps": min(budget.steps, limits.steps or budget.steps),
                    "seconds": min(most_s, limits.seconds or most_s),
                }
            ),
            "memory": lent,
            "session": order.session / TRIALS / "play",
            "keep_frames": False,
        }
    )


@contextlib.contextmanager
def task_sandbox(order: PlayTask, game: Game) -> Iterator[Sandbox]:
    """Prepare the session's folder of a task; it stays after the block, the rest is removed.

    A session begins with the operator's settings, trust and models, and with the ordered memory, else with an
    empty one: the result of a run must not depend on others than those that the suite names. Game sense
    modules play their shipped version unless the agent names another one, which is then copied in.

    Raises:
        DataFolderError: the session's folder cannot be made. DisplayError: there is no screen.
        ImportRefused: the file of its memory is another memory, or damaged.
    """
    operator, data = DataFolder(order.data), DataFolder(order.session)
    with folder_errors(data.root):
        _make_anew(data.root)
        (data.root / ORDER_FILE).write_text(order.model_dump_json(indent=2) + "\n", encoding="utf-8")
        furnish(data, operator, order.agent, game)
        begin_memory(order.memory, data, game.game_id)
    control = Path(tempfile.gettempdir()) / f"pitwall-{os.getpid()}-{secrets.token_hex(4)}.sock"
    with contextlib.ExitStack() as stack:
        stack.callback(control.unlink, missing_ok=True)
        display = stack.enter_context(screen_for(order.screen))
        yield Sandbox(data, data.root / "truth.json", data.root / "errors.txt", display, control)


def _make_anew(root: Path) -> None:
    """Create an empty folder; only an earlier try of the same session may be cleared."""
    if root.is_dir() and any(root.iterdir()):
        if not (root / ORDER_FILE).is_file():
            raise DataFolderError(
                f"{root} is in use for something other than a session.",
                "Name a folder that does not exist yet.",
            )
        shutil.rmtree(root)
    root.mkdir(parents=True, exist_ok=True)


def _asked(order: PlayTask) -> tuple[Game, Task]:
    """Return the game and its task.

    Raises:
        PitwallError: the order cannot be carried out, whatever the game does.
    """
    if order.agent.needs_person and order.screen != "here":
        raise PitwallError("a person needs the screen that is here.", "Order it with screen: here.")
    try:
        game = Registry(DataFolder(order.data)).load(order.game)
    except ManifestError as error:
        raise PitwallError(error.what.strip(), error.fix) from None
    task = task_named(game, order.cell.task)
    if task.other_role and order.protocol == "paused":
        raise PitwallError(
            f"{order.cell.task} is played by two at once, and the paused protocol holds the game for one.",
            "Play it with protocol: real-time.",
        )
    return game, task
