"""Plays the runs of a suite in a process each, here or on another machine."""

from __future__ import annotations

import contextlib
import select
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pitwall_bench.tasks.client import TaskWorker
from pitwall_bench.tasks.messages import PlayTask, TaskDone, TaskFault, TaskProgress

Answer = TaskProgress | TaskDone | TaskFault


class RunningTask(Protocol):
    """A run that is being played."""

    order: PlayTask

    def answers(self) -> list[Answer]:
        """Return the answers that came since, oldest first; never waits.

        Raises:
            PitwallError: whoever plays it is gone.
        """
        ...

    def give_up(self) -> None:
        """Ask it to end at once; a TaskDone follows."""
        ...

    def hang_up(self) -> None:
        """Tell it that nobody waits any more; never waits itself."""
        ...

    def close(self) -> None:
        """Wait until it is gone and has cleared away; force it if that takes too long."""
        ...


class TaskWorkers(Protocol):
    """The place where runs are played."""

    def start(self, order: PlayTask) -> RunningTask:
        """Begin a run.

        Raises:
            PitwallError: it cannot be begun here.
        """
        ...

    def wait(self, tasks: Sequence[RunningTask], timeout_s: float) -> None:
        """Wait until one of the tasks answered, or the time is over."""
        ...

    def close(self) -> None:
        """Release everything; no task is left."""
        ...


class LocalTask(TaskWorker):
    """A worker on this machine. Its log stays only if it holds error output."""

    def __init__(self, order: PlayTask, log: Path) -> None:
        super().__init__(order, log)
        self._log = log

    def close(self) -> None:
        super().close()
        with contextlib.suppress(OSError):
            if self._log.stat().st_size == 0:
                self._log.unlink()


class LocalWorkers:
    """Processes of this machine."""

    def start(self, order: PlayTask) -> LocalTask:
        return LocalTask(order, order.session.with_name(f"{order.session.name}.log"))

    def wait(self, tasks: Sequence[Any], timeout_s: float) -> None:
        select.select(tasks, [], [], timeout_s)

    def close(self) -> None:
        return
