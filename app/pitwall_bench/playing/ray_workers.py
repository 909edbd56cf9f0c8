"""Plays runs of a suite on other machines: the same task workers, started by Ray's workers (extra `scale`).

Each Ray worker runs one task worker of its machine at a time (an actor, because Ray's client cannot follow
generators). It sends back the task worker's answers, then the session's folder as files. The operator's own
games, and the memory that a run begins with, are sent along; models are those that a worker's machine knows
by the same names. When Ray ends a worker, the task worker's channel closes, and it clears everything away.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall_bench.playing.workers import Answer, LocalTask, TaskWorkers
from pitwall_bench.tasks.messages import ANSWERS, PlayTask, TaskDone, TaskProgress
from pitwall_evaluation import ray_cluster

_LOOK_S = 0.5
_ENDING_S = 90.0


def ray_workers(named: str, parallel: int) -> TaskWorkers:
    """Connect to the workers of a Ray cluster (see `ray_cluster.connect`)."""
    return _RayWorkers(ray_cluster.connect(named, parallel))


class _RayWorkers:
    """A connected Ray. Closing it ends a local one."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._host = ray.remote(num_cpus=1, max_restarts=0)(RayTaskHost)

    def start(self, order: PlayTask) -> _RayTask:
        files = ray_cluster.game_files(order.data, order.game), _memory_of(order)
        return _RayTask(self._ray, order, self._host.remote(order.model_dump_json(), *files))

    def wait(self, tasks: Sequence[Any], timeout_s: float) -> None:
        if tasks:
            self._ray.wait([task.heard for task in tasks], timeout=timeout_s)
        else:
            time.sleep(timeout_s)

    def close(self) -> None:
        self._ray.shutdown()


class _RayTask:
    """A task worker's host on one of Ray's workers.

    Attributes:
        heard: the host's next answers; a call is pending until the last one arrived.
    """

    def __init__(self, ray: Any, order: PlayTask, host: Any) -> None:
        self.order = order
        self.heard = host.hear.remote()
        self._ray, self._host = ray, host
        self._ended: Any = None

    def answers(self) -> list[Answer]:
        if self._ended is not None or not self._ray.wait([self.heard], timeout=0)[0]:
            return []
        try:
            lines = self._ray.get(self.heard)
        except Exception as error:  # the task worker's own death, or Ray's worker's: Ray wraps them all
            message = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise PitwallError(f"the worker could not play: {message[0]}") from error
        kept = []
        for text, files in lines:
            answer = ANSWERS.decode(text.encode())
            self._keep(answer, files)
            kept.append(answer)
        if all(isinstance(answer, TaskProgress) for answer in kept):
            self.heard = self._host.hear.remote()
        return kept

    def give_up(self) -> None:
        self._host.give_up.remote()

    def hang_up(self) -> None:
        if self._ended is None:
            self._ended = self._host.end.remote()

    def close(self) -> None:
        self.hang_up()
        with contextlib.suppress(Exception):  # it may be dead already
            self._ray.get(self._ended, timeout=_ENDING_S)
        self._ray.kill(self._host)

    def _keep(self, answer: Answer, files: bytes) -> None:
        """Save a file that was sent: a picture during play, the whole session at its end."""
        if not files:
            return
        self.order.session.mkdir(parents=True, exist_ok=True)
        if isinstance(answer, TaskDone):
            ray_cluster.unpack(files, self.order.session)
        elif isinstance(answer, TaskProgress):
            aside = self.order.session / ".picture.tmp"
            aside.write_bytes(files)
            aside.replace(self.order.session / Path(answer.picture).name)


def _memory_of(order: PlayTask) -> bytes:
    """Return the file of the memory that a run begins with; empty for none."""
    file = order.memory.file if order.memory is not None else None
    return b"" if file is None else file.read_bytes()


# ---- in the worker


class RayTaskHost:
    """Runs one task worker of this machine: a Ray actor, which ends when its client is gone.

    Args:
        order_text: a PlayTask as JSON. game_files: the packed folder of the operator's own game; empty: none.
        memory: the file of the memory that the run begins with, which its hash in the order proves.
    """

    def __init__(self, order_text: str, game_files: bytes, memory: bytes = b"") -> None:
        self._scratch = ray_cluster.scratch_folder()
        order = PlayTask.model_validate_json(order_text)
        self._order = _with_memory(_settled(order, game_files, self._scratch), memory, self._scratch)
        self._task = LocalTask(self._order, self._scratch / "worker.log")
        self._shown = b""

    def hear(self) -> list[tuple[str, bytes]]:
        """Return its answers, each as JSON with its files; waits for half a second."""
        return [(answer.model_dump_json(), self._files(answer)) for answer in self._task.answers(_LOOK_S)]

    def give_up(self) -> None:
        """Ask the worker to end its run."""
        self._task.give_up()

    def end(self) -> None:
        """End the worker, wait until it is gone, and clear away."""
        self._task.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _files(self, answer: Answer) -> bytes:
        if isinstance(answer, TaskDone):
            with contextlib.suppress(PitwallError):  # too big to be sent: the result counts without its files
                return ray_cluster.packed(self._order.session)
            return b""
        if not isinstance(answer, TaskProgress) or not answer.picture:
            return b""
        picture = _bytes_of(self._order.session / answer.picture)
        fresh, self._shown = picture != self._shown, picture
        return picture if fresh else b""


def _settled(order: PlayTask, game_files: bytes, scratch: Path) -> PlayTask:
    """Return the order with this machine's paths, and the game that was sent."""
    data = order.data if order.data.is_dir() else default_data_dir()
    changes: dict[str, Any] = {"session": scratch / "session", "data": data}
    if game_files:
        own = ray_cluster.temporary_data(scratch, DataFolder(data))
        changes |= {"game": ray_cluster.add_sent_game(game_files, scratch, own), "data": own.root}
    return order.model_copy(update=changes)


def _with_memory(order: PlayTask, memory: bytes, scratch: Path) -> PlayTask:
    """Return the order with the memory that came along as a file of this machine."""
    if order.memory is None or not memory:
        return order
    file = scratch / "memory.jsonl"
    file.write_bytes(memory)
    return order.model_copy(update={"memory": order.memory.model_copy(update={"file": file})})


def _bytes_of(file: Path) -> bytes:
    with contextlib.suppress(OSError):
        return file.read_bytes()
    return b""
