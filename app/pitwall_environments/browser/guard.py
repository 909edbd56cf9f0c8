"""Cleans up after a browser however this process ends, SIGKILL included."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from pitwall_environments.browser.chromium import end_group

_TRIES = 40
_AGAIN_S = 0.05


class Guard:
    """A small process that waits for this one's end.

    It is forked before anything else is opened, so it holds no socket and no pipe but its own.

    Args:
        places: folders and files to remove at the end.
    """

    def __init__(self, places: Sequence[Path]) -> None:
        read, self._write = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._write)
            _keep_guard(read, places)
        os.close(read)

    def watch(self, pid: int) -> None:
        """End the session that this process leads, too."""
        os.write(self._write, f"{pid}\n".encode())

    def dismiss(self) -> None:
        """Let it clean up now; return when it has."""
        os.close(self._write)
        os.waitpid(self._pid, 0)


def _keep_guard(read: int, places: Sequence[Path]) -> None:
    """Run the guard; never returns."""
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        written = b""
        while part := os.read(read, 64):
            written += part
        for word in written.split():
            end_group(int(word))
        _remove(places)
    finally:
        os._exit(0)


def _remove(places: Sequence[Path]) -> None:
    """Delete them, trying again while a dying process still writes into a folder."""
    for _ in range(_TRIES):
        left = [place for place in places if place.exists()]
        if not left:
            return
        for place in left:
            with contextlib.suppress(OSError):
                if place.is_dir():
                    shutil.rmtree(place)
                else:
                    place.unlink()
        time.sleep(_AGAIN_S)
