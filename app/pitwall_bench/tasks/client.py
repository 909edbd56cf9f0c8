"""The client of a task worker."""

from __future__ import annotations

from pathlib import Path

from pitwall.evaluation.worker_client import WorkerClient
from pitwall_bench.tasks.messages import (
    ANSWERS,
    ORDERS,
    ROLE,
    GiveUp,
    PlayTask,
    TaskDone,
    TaskFault,
    TaskProgress,
)


class TaskWorker(WorkerClient[PlayTask, TaskProgress | TaskDone | TaskFault]):
    """A process that plays one task."""

    def __init__(self, order: PlayTask, log: Path) -> None:
        super().__init__(ROLE, order, ORDERS, ANSWERS, log)

    def give_up(self) -> None:
        """Ask it to end the run now; it answers with the result so far."""
        self.send(GiveUp())
