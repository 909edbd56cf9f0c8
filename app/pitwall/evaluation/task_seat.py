"""`pitwall task-seat`: plays one run of a task as a person would, and judges it by the game's true state.

It starts `pitwall run` on a screen and in a session folder of the run's own, ends it as soon as the task is
decided, and answers what came of it; whatever fails is a result with its cause. When whoever asked is gone,
it ends the run and clears everything away but the session's folder.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import signal
import sys
from collections.abc import Sequence
from typing import Any

from pitwall.core.errors import ChannelClosed, ManifestError, PitwallError, ProtocolError
from pitwall.core.paths import DataFolder
from pitwall.evaluation.task_judged import unplayed
from pitwall.evaluation.task_named import task_named
from pitwall.evaluation.task_room import prepared
from pitwall.evaluation.task_sitting import GivenUp, Sitting
from pitwall.evaluation.task_words import ANSWERS, ORDERS, ROLE, GiveUp, PlayTask, TaskDone, TaskFault
from pitwall.games.profile import Game, Task
from pitwall.games.registry import Registry
from pitwall.games.trust import require_trust
from pitwall.link.channel import CHANNEL_OPTION, Channel
from pitwall.link.child import inherited

Answers = Channel[Any, Any]


def main(argv: Sequence[str]) -> int:
    """Take one order, answer it, end; returns the exit status."""
    parser = argparse.ArgumentParser(prog=f"pitwall {ROLE}", description=__doc__)
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int, required=True, metavar="FD")
    options = parser.parse_args(argv)
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format=f"%(asctime)s {ROLE} %(levelname)s %(message)s"
    )
    channel: Answers = Channel(inherited(options.channel), ANSWERS, ORDERS)
    signal.signal(signal.SIGTERM, _give_up)
    try:
        order = channel.wait(None)[0][0]
        if isinstance(order, GiveUp):
            return 0
        channel.send(_answer(order, channel))
    except (GivenUp, ChannelClosed, ProtocolError):
        return 1
    finally:
        channel.close()
    return 0


def _give_up(_signal: int, _frame: object) -> None:
    raise GivenUp


def _answer(order: PlayTask, channel: Answers) -> TaskDone | TaskFault:
    try:
        game, task = _asked(order)
    except PitwallError as error:
        return TaskFault(what=error.what, fix=error.fix)
    with contextlib.ExitStack() as stack:
        try:
            require_trust(game)
            room = stack.enter_context(prepared(order, game))
        except PitwallError as error:
            return TaskDone(run=unplayed(order, game, task, "launch", str(error)))
        return TaskDone(run=Sitting(order, game, task, room, channel).play())


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
