"""The memory keeper: a process that holds the memory while no engine does, seen from the console."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from pitwall.core import commands
from pitwall.core.errors import ChannelClosed, ChildDied, PitwallError, ProtocolError, unexpected
from pitwall.core.paths import DataFolder
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.engine_session import COMMANDS, TELEMETRY

log = logging.getLogger(__name__)

ROLE = "memory-keeper"
_END_S = 60.0
"""How long a keeper may take to finish a big edit before it is ended."""


class KeeperSession:
    """Holds one running keeper.

    Args:
        data: the data folder whose memory it holds.

    Raises:
        DataFolderError: the data folder cannot be written.
    """

    def __init__(self, data: DataFolder) -> None:
        ours, theirs = pair()
        try:
            self._child = Child(
                ROLE,
                ["--data", str(data.root)],
                sockets={CHANNEL_OPTION: theirs},
                log=data.logs / f"{ROLE}.log",
            )
        except BaseException:
            ours.close()
            theirs.close()
            raise
        self._channel: Channel[Any, Any] = Channel(ours, COMMANDS, TELEMETRY)

    @property
    def pid(self) -> int:
        return self._child.pid

    def fileno(self) -> int:
        """Return the descriptor that is readable when telemetry (or the keeper's end) has come."""
        return self._channel.fileno()

    def poll(self) -> list[Any]:
        """Return the telemetry that has come, oldest first; never blocks.

        Raises:
            ChildDied: the keeper is gone, and all its telemetry was returned.
        """
        try:
            return [message for message, _ in self._channel.receive()]
        except (ChannelClosed, ProtocolError) as error:
            self._child.end(1.0)
            raise self._child.death() from error

    def send(self, command: commands.Command) -> None:
        """Send a command. The next `poll` reports a dead keeper, not this call."""
        with contextlib.suppress(ChannelClosed):
            self._channel.send(command)

    def flush(self) -> bool:
        """Send the queued rest of a big command; return True when nothing is left. Never blocks."""
        with contextlib.suppress(ChannelClosed):
            return self._channel.flush()
        return True

    def close(self, tell: Callable[[Any], object]) -> None:
        """End the keeper, pass its last telemetry to `tell`, and wait until the memory's lock is free."""
        self.send(commands.Quit())
        deadline = time.monotonic() + _END_S
        with contextlib.suppress(ChannelClosed, ProtocolError):
            while time.monotonic() < deadline:
                for message, _ in self._channel.wait(1.0):
                    tell(message)
        self._channel.close()
        self._child.end()


class Keeper(QObject):
    """Starts and ends keepers beside the window; at most one at a time.

    Signals:
        received: every telemetry record, in order. ready: the keeper takes commands.
        failed: a PitwallError: it could not start, or ended unexpectedly.
    """

    received = Signal(object)
    failed = Signal(object)
    ready = Signal()
    _started = Signal(int, object)

    def __init__(self, data: DataFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="memory keeper")
        self._session: KeeperSession | None = None
        self._notifier: QSocketNotifier | None = None
        self._life = 0
        self._wanted = False
        self._ending: Future[None] | None = None
        self._fresh: KeeperSession | None = None  # started, and used by the worker's thread alone
        self._started.connect(self._take_up)

    @property
    def session(self) -> KeeperSession | None:
        """Return the keeper that takes commands now; None without one."""
        return self._session

    @property
    def wanted(self) -> bool:
        """Return whether there is a keeper, or one is being started."""
        return self._wanted

    def start(self) -> None:
        """Start a keeper unless there is one; `ready` or `failed` follows."""
        if not self._wanted:
            self._wanted = True
            self._life += 1
            self._worker.submit(self._start, self._life)

    def end(self) -> Future[None] | None:
        """End the keeper without waiting; return a future that is done once it is gone, None without one."""
        if self._wanted:
            self._wanted = False
            self._life += 1
            self._release()
            self._ending = self._worker.submit(self._end)
        return self._ending if self._ending is not None and not self._ending.done() else None

    def close(self) -> None:
        """End the keeper and wait; for the end of the program."""
        self.end()
        self._worker.shutdown(wait=True)

    # ---- in the worker's thread

    def _start(self, life: int) -> None:
        started: KeeperSession | PitwallError
        try:
            started = self._fresh = KeeperSession(self._data)
        except Exception as error:
            if not isinstance(error, PitwallError):
                log.exception("the memory's keeper could not start")
            started = unexpected("the memory's keeper", error)
        with contextlib.suppress(RuntimeError):  # the window was closed meanwhile
            self._started.emit(life, started)

    def _end(self) -> None:
        session, self._fresh = self._fresh, None
        if session is not None:
            try:
                session.close(self._tell)
            except Exception:
                log.exception("the memory's keeper did not end")
                raise

    def _tell(self, record: Any) -> None:
        with contextlib.suppress(RuntimeError):
            self.received.emit(record)

    # ---- in the window's thread

    def _take_up(self, life: int, started: KeeperSession | PitwallError) -> None:
        if life != self._life:
            return  # ended before it was ready
        if isinstance(started, PitwallError):
            self._wanted = False
            self.failed.emit(started)
            return
        self._session = started
        self._notifier = QSocketNotifier(started.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_ready)
        self.ready.emit()

    def _on_ready(self, *_: object) -> None:
        if self._session is None:
            return
        try:
            records = self._session.poll()
        except ChildDied as death:
            self.end()
            self.failed.emit(death)
            return
        for record in records:
            self.received.emit(record)

    def _release(self) -> None:
        self._session = None
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
