"""Where the runs of a suite are played: a process of its own each, here or on another machine."""

from __future__ import annotations

import select
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pitwall.core.errors import ChannelClosed
from pitwall.evaluation.task_words import (
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
from pitwall.link.child import Child

Answer = TaskProgress | TaskDone | TaskFault
_ENDING_S = 60.0
"""How long a seat may take to end its run and clear away."""


class Sitting(Protocol):
    """One run being played."""

    @property
    def order(self) -> PlayTask: ...

    def answers(self) -> list[Answer]:
        """What came since, oldest first; never waits.

        Raises:
            PitwallError: whoever plays it is gone.
        """
        ...

    def give_up(self) -> None:
        """Ask it to end at once; a TaskDone follows."""
        ...

    def hang_up(self) -> None:
        """Let it know that nobody waits any more; never waits itself."""
        ...

    def close(self) -> None:
        """Wait until it is gone and its room is cleared away; made to where it takes too long."""
        ...


class Workers(Protocol):
    """Who plays the runs."""

    def sit(self, order: PlayTask) -> Sitting:
        """Begin a run.

        Raises:
            PitwallError: it cannot be begun here.
        """
        ...

    def wait(self, sittings: Sequence[Sitting], timeout_s: float) -> None:
        """Until one of them said something, or the time is over."""
        ...

    def close(self) -> None:
        """Give back what they are; no sitting is left."""
        ...


class LocalSitting:
    """A seat's process on this machine.

    Args:
        log: takes what it says beside its answers.
    """

    def __init__(self, order: PlayTask, log: Path) -> None:
        ours, theirs = pair()
        self._order = order
        self._log = log
        self._child = Child(ROLE, sockets={CHANNEL_OPTION: theirs}, log=log)
        self._channel: Channel[Any, Any] = Channel(ours, ORDERS, ANSWERS)
        self._channel.send(order)

    @property
    def order(self) -> PlayTask:
        return self._order

    @property
    def pid(self) -> int:
        return self._child.pid

    def fileno(self) -> int:
        """For select: readable when it answered, or died."""
        return self._channel.fileno()

    def answers(self) -> list[Answer]:
        try:
            return [message for message, _ in self._channel.receive()]
        except ChannelClosed as error:
            self._child.end(1.0)
            raise self._child.death() from error

    def give_up(self) -> None:
        try:
            self._channel.send(GiveUp())
        except ChannelClosed:  # it is told by `answers`
            return

    def hang_up(self) -> None:
        self._channel.close()

    def close(self) -> None:
        self.hang_up()
        if self._child.end(_ENDING_S) == 0 and not self._child.last_words():
            self._log.unlink(missing_ok=True)


class LocalWorkers:
    """Processes of this machine."""

    def sit(self, order: PlayTask) -> LocalSitting:
        return LocalSitting(order, order.session.with_name(f"{order.session.name}.log"))

    def wait(self, sittings: Sequence[Any], timeout_s: float) -> None:
        select.select(sittings, [], [], timeout_s)

    def close(self) -> None:
        return
