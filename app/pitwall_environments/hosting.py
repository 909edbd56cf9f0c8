"""Shared parts of the processes that host a game: the paths they are given, the true state, the end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import put_in_place
from pitwall_evaluation.truth.state import TrueState


def named_path(variable: str) -> Path | None:
    """Read a path from an environment variable; None if it is not set."""
    value = os.environ.get(variable, "")
    return Path(value) if value else None


def end_request() -> asyncio.Future[None]:
    """Return a future that is done at SIGTERM or SIGINT, or when the parent ends (neither on Windows)."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def finish() -> None:
        if not ready.done():
            ready.set_result(None)

    if sys.platform == "win32":
        return ready  # the supervisor closes the window, or ends the process
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, finish)
    if sys.platform == "linux":
        try:
            loop.add_reader(os.pidfd_open(os.getppid()), finish)
        except OSError:
            finish()
    return ready


class TruthFile:
    """Writes the newest state as a whole file: into another file first, then in place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._aside = path.with_name(path.name + ".tmp")

    def write(self, state: TrueState) -> None:
        """Replace the file's state.

        Raises:
            PitwallError: the file cannot be written.
        """
        try:
            self._aside.write_text(state.model_dump_json(by_alias=True), encoding="utf-8")
            put_in_place(self._aside, self._path)
        except OSError as error:
            raise PitwallError(
                f"{self._path} cannot be written: {error.strerror}.", "Free space, or name another file."
            ) from None
