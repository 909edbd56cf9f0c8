"""`pitwall task-seat`: plays one run of a task as a person would, and judges it by the game's true state.

It starts `pitwall run` on a screen and in a session folder of the run's own, ends it as soon as the task is
decided, and answers what came of it; whatever fails is a result with its cause. When whoever asked is gone,
it ends the run and clears everything away but the session's folder.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from pitwall.core.errors import ManifestError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.evaluation.tasks.lookup import task_named
from pitwall.evaluation.tasks.messages import ANSWERS, ORDERS, ROLE, GiveUp, PlayTask, TaskDone, TaskFault
from pitwall.evaluation.tasks.runner import TaskRunner
from pitwall.evaluation.tasks.session_folder import task_session
from pitwall.evaluation.tasks.verdict import unplayed_run
from pitwall.evaluation.worker_process import AnswerChannel, run_worker
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game, Task
from pitwall.games.trust import require_trust


def main(argv: Sequence[str]) -> int:
    """Take one order, answer it, end; returns the exit status."""
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
            room = stack.enter_context(task_session(order, game))
        except PitwallError as error:
            return TaskDone(run=unplayed_run(order, game, task, "launch", str(error)))
        return TaskDone(run=TaskRunner(order, game, task, room, channel).play())


def _asked(order: PlayTask) -> tuple[Game, Task]:
    """The game and its task.

    Raises:
        PitwallError: the order cannot be carried out, whatever the game does.
    """
    if order.agent.kind == "person" and order.screen != "here":
        raise PitwallError("a person needs the screen that is here.", "Order it with screen: here.")
    try:
        game = Registry(DataFolder(order.data)).load(order.game)
    except ManifestError as error:
        raise PitwallError(error.what.strip(), error.fix) from None
    return game, task_named(game, order.cell.task)
