"""The other end of a task seat: starts it with one order, and hears how it goes."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from pitwall.core.errors import ChannelClosed
from pitwall.evaluation.tasks.messages import (
    ANSWERS,
    ORDERS,
    ROLE,
    GiveUp,
    PlayTask,
    TaskDone,
    TaskFault,
    TaskProgress,
)
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child

_ENDING_S = 90.0


class TaskWorker:
    """A seat that plays one order. Closing it before it answered ends its run and clears it away.

    Args:
        log: file that takes its complaints.

    Raises:
        DataFolderError: the log cannot be written.
    """

    def __init__(self, order: PlayTask, log: Path) -> None:
        ours, theirs = pair()
        self.order = order
        self._child = Child(ROLE, sockets={CHANNEL_OPTION: theirs}, log=log)
        self._channel: Channel[Any, Any] = Channel(ours, ORDERS, ANSWERS)
        self._channel.send(order)

    @property
    def pid(self) -> int:
        return self._child.pid

    def fileno(self) -> int:
        """For selectors: readable when it said something, or died."""
        return self._channel.fileno()

    def hear(self, timeout_s: float = 0.0) -> list[TaskProgress | TaskDone | TaskFault]:
        """What it said, oldest first; [] where nothing came in time.

        Raises:
            ChildDied: it died.
        """
        try:
            return [message for message, _ in self._channel.wait(timeout_s)]
        except ChannelClosed as error:
            self._child.end(1.0)
            raise self._child.death() from error

    def give_up(self) -> None:
        """Ask it to end the run now; it answers with what came of it."""
        with contextlib.suppress(ChannelClosed):  # a seat that died is told by `hear`
            self._channel.send(GiveUp())

    def close(self) -> None:
        """End it; waits until its room is cleared away."""
        self._channel.close()
        self._child.end(_ENDING_S)
