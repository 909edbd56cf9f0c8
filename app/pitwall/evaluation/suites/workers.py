"""Where the runs of a suite are played: a process of its own each, here or on another machine."""

from __future__ import annotations

import contextlib
import select
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pitwall.core.errors import ChannelClosed
from pitwall.evaluation.tasks.client import TaskWorker
from pitwall.evaluation.tasks.messages import PlayTask, TaskDone, TaskFault, TaskProgress

Answer = TaskProgress | TaskDone | TaskFault


class RunningTask(Protocol):
    """One run being played."""

    order: PlayTask

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


class TaskWorkers(Protocol):
    """Who plays the runs."""

    def sit(self, order: PlayTask) -> RunningTask:
        """Begin a run.

        Raises:
            PitwallError: it cannot be begun here.
        """
        ...

    def wait(self, sittings: Sequence[RunningTask], timeout_s: float) -> None:
        """Until one of them said something, or the time is over."""
        ...

    def close(self) -> None:
        """Give back what they are; no sitting is left."""
        ...


class LocalTask(TaskWorker):
    """A seat's process on this machine. What it complained of stays in its log, or no log stays."""

    def __init__(self, order: PlayTask, log: Path) -> None:
        super().__init__(order, log)
        self._log = log

    def answers(self) -> list[Answer]:
        return self.hear(0.0)

    def give_up(self) -> None:
        with contextlib.suppress(ChannelClosed):  # that it is gone is told by `answers`
            super().give_up()

    def hang_up(self) -> None:
        self._channel.close()

    def close(self) -> None:
        super().close()
        with contextlib.suppress(OSError):
            if self._log.stat().st_size == 0:
                self._log.unlink()


class LocalWorkers:
    """Processes of this machine."""

    def sit(self, order: PlayTask) -> LocalTask:
        return LocalTask(order, order.session.with_name(f"{order.session.name}.log"))

    def wait(self, sittings: Sequence[Any], timeout_s: float) -> None:
        select.select(sittings, [], [], timeout_s)

    def close(self) -> None:
        return
