"""Hands the test files of a crashed worker to the others; plain pytest-xdist 3.8.0 waits for ever."""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class CrashSafeScheduling(LoadFileScheduling):  # type: ignore[misc]
    """Gives a worker a new file before it waits, and never a file without a test to run.

    A worker begins its last test only after it was given more or was told to end. After a crash pytest-xdist
    hands over the finished files of the dead worker too, so that a worker waits for a test that never comes.
    """

    def remove_node(self, node: WorkerController) -> str | None:
        """Take back the unfinished files of a worker that ended, and return the test in which it crashed."""
        files = self.assigned_work[node]
        self.assigned_work[node] = {file: tests for file, tests in files.items() if not all(tests.values())}
        crashed_in: str | None = super().remove_node(node)
        return crashed_in

    def _reschedule(self, node: WorkerController) -> None:
        if node.shutting_down:
            return
        while self.workqueue and self._pending_of(self.assigned_work[node]) <= 2:
            self._assign_work_unit(node)
        if not self.workqueue:
            node.shutdown()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> CrashSafeScheduling | None:
    """Use this scheduling wherever whole files are handed out."""
    return CrashSafeScheduling(config, log) if config.getvalue("dist") == "loadfile" else None
