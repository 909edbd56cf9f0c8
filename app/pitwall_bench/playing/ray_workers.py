"""Plays runs of a suite on other machines: the same task workers, started by Ray's workers (extra `scale`).

Each Ray worker runs one task worker of its machine at a time (an actor, because Ray's client cannot follow
generators). It sends back the task worker's answers, then the session's folder as files. The operator's own
games, and the memory that a run begins with, are sent along; models are those that a worker's machine knows
by the same names. When Ray ends a worker, the task worker's channel closes, and it clears everything away.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.games.registry import Registry
from pitwall.games.trust import trust
from pitwall_bench.playing.workers import Answer, LocalTask, TaskWorkers
from pitwall_bench.tasks.messages import ANSWERS, PlayTask, TaskDone, TaskProgress

LOCAL = "local-ray"
_MOST_BYTES = 256 * 1024 * 1024
_STORE_BYTES = 100 * 1024 * 1024
_LOOK_S = 0.5
_ENDING_S = 90.0
_SCRATCH = "pitwall-ray-"


def ray_workers(named: str, parallel: int) -> TaskWorkers:
    """Connect to the workers of a Ray cluster.

    Args:
        named: "local-ray": a Ray of this machine, started for this and ended with it; "ray://HOST:PORT": a
            running one, with Pitwall of this version installed on every machine.

    Raises:
        PitwallError: Ray is not installed, or the cluster cannot be reached.
    """
    if named != LOCAL and not named.startswith("ray://"):
        raise PitwallError(f"there are no workers {named!r}.", f"Say {LOCAL}, or ray://HOST:PORT.")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise PitwallError(
            "Ray is not installed.", "Install the extra: pip install 'pitwall-console[scale]'"
        ) from None
    try:
        if named == LOCAL:
            ray.init(
                address="local",
                num_cpus=parallel,
                include_dashboard=False,
                object_store_memory=_STORE_BYTES,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        else:
            ray.init(address=named, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises a dozen kinds: each of them means that there are no workers
        message = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise PitwallError(
            f"{named} cannot be used: {message[0]}", "Is it running, with the same Python and Ray?"
        ) from error
    return _RayWorkers(ray)


class _RayWorkers:
    """A connected Ray. Closing it ends a local one."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._host = ray.remote(num_cpus=1, max_restarts=0)(RayTaskHost)

    def start(self, order: PlayTask) -> _RayTask:
        files = _game_files(order), _memory_of(order)
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
            with tarfile.open(fileobj=io.BytesIO(files)) as packed:
                packed.extractall(self.order.session, filter="data")
        elif isinstance(answer, TaskProgress):
            aside = self.order.session / ".picture.tmp"
            aside.write_bytes(files)
            aside.replace(self.order.session / Path(answer.picture).name)


def _game_files(order: PlayTask) -> bytes:
    """Pack a game's folder that a worker may lack; empty for a bundled game."""
    game = Registry(DataFolder(order.data)).load(order.game)
    return b"" if game.source == "bundled" else _packed(game.folder)


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
        _sweep()
        self._scratch = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-"))
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
            return _packed(self._order.session)
        if not isinstance(answer, TaskProgress) or not answer.picture:
            return b""
        picture = _bytes_of(self._order.session / answer.picture)
        fresh, self._shown = picture != self._shown, picture
        return picture if fresh else b""


def _sweep() -> None:
    """Remove leftovers of killed hosts."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        pid = folder.name.removeprefix(_SCRATCH).partition("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(folder, ignore_errors=True)


def _settled(order: PlayTask, game_files: bytes, scratch: Path) -> PlayTask:
    """Return the order with this machine's paths, and the game that was sent."""
    data = order.data if order.data.is_dir() else default_data_dir()
    changes: dict[str, Any] = {"session": scratch / "session", "data": data}
    if game_files:
        folder = scratch / "game"
        with tarfile.open(fileobj=io.BytesIO(game_files)) as packed:
            packed.extractall(folder, filter="data")
        own = DataFolder(scratch / "data")
        _furnished(own, DataFolder(data))
        trust(own, Registry(own).load(str(folder)))  # its operator trusted it where the suite began
        changes |= {"game": str(folder), "data": own.root}
    return order.model_copy(update=changes)


def _with_memory(order: PlayTask, memory: bytes, scratch: Path) -> PlayTask:
    """Return the order with the memory that came along as a file of this machine."""
    if order.memory is None or not memory:
        return order
    file = scratch / "memory.jsonl"
    file.write_bytes(memory)
    return order.model_copy(update={"memory": order.memory.model_copy(update={"file": file})})


def _furnished(own: DataFolder, of: DataFolder) -> None:
    own.root.mkdir()
    for file in (of.settings, of.model_registry):
        if file.is_file():
            (own.root / file.name).write_bytes(file.read_bytes())
    if of.models.is_dir():
        own.models.symlink_to(of.models, target_is_directory=True)


def _bytes_of(file: Path) -> bytes:
    with contextlib.suppress(OSError):
        return file.read_bytes()
    return b""


def _packed(folder: Path) -> bytes:
    """Pack a folder as a tar; empty if it is too big to send."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
                packed.add(path, arcname=str(path.relative_to(folder)))
    return target.getvalue() if target.tell() <= _MOST_BYTES else b""
