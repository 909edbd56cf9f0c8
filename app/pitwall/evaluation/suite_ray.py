"""Runs of a suite on other machines: the same seats, started by Ray's workers (the extra `scale`).

Each worker plays one order at a time in a seat of its own machine, and sends back what the seat says, then
the session's folder as files. Games of one's own travel along; models are those that a worker's machine knows
by the same names. A worker that Ray ends closes its seat's channel, and the seat clears everything away.
"""

from __future__ import annotations

import contextlib
import io
import os
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.evaluation.suite_seats import Answer, LocalSitting, Workers
from pitwall.evaluation.task_words import ANSWERS, PlayTask, TaskDone, TaskProgress
from pitwall.games.registry import Registry
from pitwall.games.trust import trust

LOCAL = "local-ray"
_MOST_BYTES = 256 * 1024 * 1024
_STORE_BYTES = 100 * 1024 * 1024
_LOOK_S = 0.5


def ray_workers(named: str, parallel: int) -> Workers:
    """Workers of a Ray cluster.

    Args:
        named: "local-ray": a Ray of this machine, started for it and ended with it; "ray://HOST:PORT": one
            that runs, where Pitwall of this version is installed on every machine.

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
                logging_level="ERROR",
            )
        else:
            ray.init(address=named, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # Ray raises a dozen kinds: each of them means that there are no workers
        told = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise PitwallError(
            f"{named} cannot be used: {told[0]}", "Is it running, with the same Python and Ray?"
        ) from error
    return _RayWorkers(ray)


class _RayWorkers:
    """A connected Ray. Closing it ends a local one."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        task = ray.remote(_play)
        self._task = task.options(num_cpus=1, max_retries=0, num_returns="streaming")

    def sit(self, order: PlayTask) -> _RaySitting:
        return _RaySitting(self._ray, order, self._task.remote(order.model_dump_json(), _game_files(order)))

    def wait(self, sittings: Sequence[Any], timeout_s: float) -> None:
        if not sittings:
            time.sleep(timeout_s)
            return
        self._ray.wait([one.stream for one in sittings], timeout=timeout_s)

    def close(self) -> None:
        self._ray.shutdown()


class _RaySitting:
    """A task of Ray's that plays one order."""

    def __init__(self, ray: Any, order: PlayTask, stream: Any) -> None:
        self.order = order
        self.stream = stream
        self._ray = ray
        self._over = False

    def answers(self) -> list[Answer]:
        found: list[Answer] = []
        while not self._over and self._ray.wait([self.stream], timeout=0)[0]:
            try:
                text, files = self._ray.get(next(self.stream))
            except StopIteration:
                self._over = True
                if not found:
                    raise PitwallError("the worker ended without a word.") from None
                break
            except Exception as error:  # the worker's own, or its death: Ray wraps them all
                self._over = True
                told = str(error).strip().splitlines()[-1:] or [type(error).__name__]
                raise PitwallError(f"the worker could not play: {told[0]}") from error
            answer = ANSWERS.validate_json(text)
            self._keep(answer, files)
            found.append(answer)
            if not isinstance(answer, TaskProgress):
                self._over = True
        return found

    def give_up(self) -> None:
        self.hang_up()

    def hang_up(self) -> None:
        if not self._over:
            with contextlib.suppress(Exception):  # it may just have ended
                self._ray.cancel(self.stream, force=False)

    def close(self) -> None:
        self.hang_up()

    def _keep(self, answer: Answer, files: bytes) -> None:
        """What came along: a picture while it plays, the whole session at its end."""
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
    """A game's folder that a worker may not have; nothing of one that comes with Pitwall."""
    game = Registry(DataFolder(order.data)).load(order.game)
    return b"" if game.source == "bundled" else _packed(game.folder)


# ---- in the worker


def _play(order_text: str, game_files: bytes) -> Any:
    """Play an order in a seat of this machine; yields (answer as JSON, bytes that belong to it)."""
    order = PlayTask.model_validate_json(order_text)
    with tempfile.TemporaryDirectory(prefix="pitwall-ray-", ignore_cleanup_errors=True) as scratch:
        here = _settled(order, game_files, Path(scratch))
        sitting = LocalSitting(here, Path(scratch) / "seat.log")
        try:
            yield from _followed(sitting, here.session)
        finally:
            sitting.close()


def _settled(order: PlayTask, game_files: bytes, scratch: Path) -> PlayTask:
    """The order as it can be played here: with this machine's paths, and the game that came along."""
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


def _furnished(own: DataFolder, of: DataFolder) -> None:
    own.root.mkdir()
    for file in (of.settings, of.model_registry):
        if file.is_file():
            (own.root / file.name).write_bytes(file.read_bytes())
    if of.models.is_dir():
        own.models.symlink_to(of.models, target_is_directory=True)


def _followed(sitting: LocalSitting, session: Path) -> Any:
    shown = b""
    while True:
        for answer in sitting.hear(_LOOK_S):
            text = answer.model_dump_json()
            if isinstance(answer, TaskProgress):
                picture = _picture(session, answer.picture)
                yield text, picture if picture != shown else b""
                shown = picture
                continue
            yield text, _packed(session) if isinstance(answer, TaskDone) else b""
            return


def _picture(session: Path, name: str) -> bytes:
    with contextlib.suppress(OSError):
        return (session / name).read_bytes() if name else b""
    return b""


def _packed(folder: Path) -> bytes:
    """A folder as a tar; empty where it is too big to be sent."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
                packed.add(path, arcname=str(path.relative_to(folder)))
    return target.getvalue() if target.tell() <= _MOST_BYTES else b""
