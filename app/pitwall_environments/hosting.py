"""Shared parts of the processes that host a game: the paths they are given, and the request to end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path


def named_path(variable: str) -> Path | None:
    """Read a path from an environment variable; None if it is not set."""
    value = os.environ.get(variable, "")
    return Path(value) if value else None


def end_request() -> asyncio.Future[None]:
    """Return a future that is done at SIGTERM or SIGINT, or when the parent ends (neither on Windows)."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not ready.done():
            ready.set_result(None)

    if sys.platform == "win32":
        return ready  # the supervisor closes the window, or ends the process
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, tell)
    if sys.platform == "linux":
        try:
            loop.add_reader(os.pidfd_open(os.getppid()), tell)
        except OSError:
            tell()
    return ready
