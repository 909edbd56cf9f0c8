"""Child processes of the same program, in another role, with channels they inherit."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from pitwall.core.errors import ChildDied, DataFolderError

if sys.platform == "win32":
    APART = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
else:
    APART = 0
"""Flags that go with `start_new_session`: on Windows out of Ctrl+C's reach, and with no console window."""


class Child:
    """A running role of this program.

    Args:
        role: engine, broker, host … (a static branch of `__main__`).
        sockets: flag → the end that the child inherits (closed here once it has started).
        log: file that takes its error output; its end is shown when it dies.

    Raises:
        DataFolderError: the log cannot be written.
    """

    def __init__(
        self,
        role: str,
        arguments: Sequence[str] = (),
        *,
        sockets: Mapping[str, socket.socket],
        log: Path,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.role = role
        self.log = log
        command = [sys.executable, "-m", "pitwall", role, *arguments]
        with _opened(log) as errors:
            self._log_start = errors.tell()
            self.process = _start(command, sockets, errors, {**os.environ, **(env or {})})
        for sock in sockets.values():
            sock.close()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def last_words(self, limit: int = 4_000) -> str:
        """Return the end of the child's log."""
        with contextlib.suppress(OSError), self.log.open("rb") as log:
            end = log.seek(0, os.SEEK_END)
            log.seek(max(self._log_start, end - limit))
            return log.read().decode("utf-8", "replace").strip()
        return ""

    def death(self) -> ChildDied:
        code = self.process.poll()
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with {code}"
        return ChildDied(f"the {self.role} process {how}.", "Restart it.", self.last_words())

    def end(self, timeout_s: float = 3.0) -> int:
        """Wait for the child to end, then terminate it, then kill it. Return its exit status."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout_s)
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(timeout_s)
        self.process.kill()
        return self.process.wait()


if sys.platform == "win32":
    # Windows cannot inherit sockets by number: they are shared with the child through its standard input.

    def _start(
        command: list[str], sockets: Mapping[str, socket.socket], errors: IO[bytes], env: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        for index, flag in enumerate(sockets):
            command += [flag, str(index)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=errors, stderr=errors, env=env, creationflags=APART
        )
        assert process.stdin is not None
        with contextlib.suppress(OSError), process.stdin as line:  # an early end is noticed later
            for sock in sockets.values():
                share = sock.share(process.pid)
                line.write(len(share).to_bytes(4, "little") + share)
        return process

    @functools.cache
    def _shared() -> tuple[socket.socket, ...]:
        sockets = []
        while size := sys.stdin.buffer.read(4):
            sockets.append(socket.fromshare(sys.stdin.buffer.read(int.from_bytes(size, "little"))))
        return tuple(sockets)

    def inherited(number: int) -> socket.socket:
        """Return the socket that this process inherited under a number."""
        return _shared()[number]

else:

    def _start(
        command: list[str], sockets: Mapping[str, socket.socket], errors: IO[bytes], env: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        for flag, sock in sockets.items():
            command += [flag, str(sock.fileno())]
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=[sock.fileno() for sock in sockets.values()],
            env=env,
            start_new_session=True,
        )

    def inherited(number: int) -> socket.socket:
        """Return the socket that this process inherited under a number."""
        os.set_inheritable(number, False)
        return socket.socket(fileno=number)


def _opened(log: Path) -> IO[bytes]:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("ab")
    except OSError as error:
        raise DataFolderError(
            f"{log} cannot be written: {(error.strerror or str(error)).lower()}.",
            "Make the data folder writable and free some space, or set PITWALL_DATA to another one.",
        ) from error


_PR_SET_PDEATHSIG = 1


def dies_with_parent(number: signal.Signals | None = None) -> Callable[[], None] | None:
    """Return a `preexec_fn` with which the kernel signals a process when the thread that started it is gone.

    Linux alone knows this; elsewhere None (Windows has jobs for it: `pitwall_desktops/windows/processes.py`).

    Args:
        number: None: SIGKILL.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up before the fork
    sent = int(signal.SIGKILL if number is None else number)
    return lambda: prctl(_PR_SET_PDEATHSIG, sent)
