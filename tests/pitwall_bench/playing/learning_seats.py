"""Seats inside this process that play nothing and learn a line each, with a session's real memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pitwall.core.errors import PitwallError
from pitwall.core.memories import Provenance
from pitwall.core.memory_kinds import EpisodeMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.store import AgentWrite, MemoryStore
from pitwall_bench.playing.workers import Answer
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.tasks.carried_memory import begin_memory, hand_over
from pitwall_bench.tasks.messages import PlayTask, TaskDone


class LearningTask:
    """Plays its order at the first question, as a win unless `ends` names the cell.

    A cell of `dies` dies once, after it wrote into its session's memory and before it answered.
    """

    dies: ClassVar[set[str]] = set()
    ends: ClassVar[dict[str, str]] = {}

    def __init__(self, order: PlayTask, _log: Path | None = None) -> None:
        self.order = order
        self._open = True

    def answers(self, _timeout_s: float = 0.0) -> list[Answer]:
        if not self._open:
            return []
        self._open = False
        ended = self.ends.get(self.order.cell.key, "target")
        run = TaskRun.model_validate({"cell": self.order.cell, "ended": ended, "success": ended == "target"})
        learnt = _learnt(self.order, run)
        if self.order.cell.key in self.dies:
            self.dies.discard(self.order.cell.key)
            raise PitwallError("the worker was killed.")
        return [TaskDone(run=learnt)]

    def give_up(self) -> None:
        self._open = False

    def hang_up(self) -> None:
        return

    def close(self) -> None:
        return


def _learnt(order: PlayTask, run: TaskRun) -> TaskRun:
    data = DataFolder(order.session)
    data.root.mkdir(parents=True)
    begin_memory(order.memory, data, order.cell.game)
    if order.memory is None:
        return run
    number = 1 + max((int(folder.name) for folder in data.runs.glob("*")), default=0)
    with MemoryStore.open(data, role="engine") as store:
        episode = EpisodeMemory(key="", text=f"{order.cell.key} was played", run_id=number)
        by = Provenance(author="agent", run_id=number)
        store.write([AgentWrite(game_id=order.cell.game, content=episode, provenance=by)])
    return hand_over(order, run.model_copy(update={"run_id": number}), data, order.cell.game)


class LearningSeats:
    """Starts such seats. Attributes: played: the cells' keys, in order."""

    def __init__(self) -> None:
        self.played: list[str] = []

    def start(self, order: PlayTask) -> LearningTask:
        self.played.append(order.cell.key)
        return LearningTask(order)

    def wait(self, _tasks: Sequence[Any], _timeout_s: float) -> None:
        return

    def close(self) -> None:
        return
