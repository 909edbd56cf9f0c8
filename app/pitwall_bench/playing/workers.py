"""Plays each run of a suite in a process of its own, here or on another machine."""

from __future__ import annotations

import contextlib
import select
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pitwall_bench.tasks.messages import PlayTask, TaskDone, TaskFault, TaskProgress, TaskWorker

Answer = TaskProgress | TaskDone | TaskFault


class RunningTask(Protocol):
    """A run that is being played."""

    order: PlayTask

    def answers(self) -> list[Answer]:
        """Return the answers since the last call, oldest first, without waiting.

        Raises:
            PitwallError: the player is gone.
        """
        ...

    def give_up(self) -> None:
        """Ask it to end at once; a TaskDone follows."""
        ...

    def hang_up(self) -> None:
        """Tell it that nobody waits any more, without waiting."""
        ...

    def close(self) -> None:
        """Wait until it is gone and has cleared away; kill it if that takes too long."""
        ...


class TaskWorkers(Protocol):
    """The place where runs are played."""

    def start(self, order: PlayTask) -> RunningTask:
        """Start a run.

        Raises:
            PitwallError: it cannot be started here.
        """
        ...

    def wait(self, tasks: Sequence[RunningTask], timeout_s: float) -> None:
        """Wait until a task answers, or the time is over."""
        ...

    def close(self) -> None:
        """Release everything; no task remains."""
        ...


class LocalTask(TaskWorker):
    """A worker on this machine. Its log is kept only if it contains errors."""

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
