"""Ends of processes, this one's and others', as sockets and descriptors to select on."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

if sys.platform == "win32":
    from pitwall.link import mswindows_processes

_LOOK_S = 0.005


@contextlib.contextmanager
def termination() -> Iterator[socket.socket]:
    """A socket that is readable once SIGTERM or SIGINT came.

    Inside the block neither ends the process: a broker ends with its keys up, never in mid-press.
    """
    read, write = socket.socketpair()
    read.setblocking(False)
    write.setblocking(False)

    def handle(_number: int, _frame: FrameType | None) -> None:
        """The wake-up socket says it all."""

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    fd_before = signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
    try:
        yield read
    finally:
        signal.set_wakeup_fd(fd_before)
        for number, handler in before.items():
            signal.signal(number, handler)
        read.close()
        write.close()


if sys.platform == "linux":

    def death_of(pid: int) -> int | None:
        """A descriptor that is readable once a process is dead; None where it is dead already (or 0)."""
        try:
            return os.pidfd_open(pid) if pid else None
        except ProcessLookupError:
            return None

else:

    def death_of(pid: int) -> int | None:
        """A descriptor that is readable once a process is dead; None where the process id is 0."""
        if pid == 0:
            return None
        ours, theirs = socket.socketpair()
        threading.Thread(target=_close_after, args=(pid, theirs), daemon=True).start()
        return ours.detach()

    def _close_after(pid: int, line: socket.socket) -> None:
        _wait_for(pid)
        line.close()


if sys.platform == "win32":

    def _wait_for(pid: int) -> None:
        mswindows_processes.waits_for_end(pid)

else:

    def _wait_for(pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            while True:
                os.kill(pid, 0)
                time.sleep(_LOOK_S)
