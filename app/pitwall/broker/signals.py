"""SIGTERM and SIGINT as something to select on: a broker ends with its keys up, never in mid-press."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def termination() -> Iterator[int]:
    """A descriptor that is readable once one of the two came; inside the block neither ends the process."""
    read, write = os.pipe()
    for fd in (read, write):
        os.set_blocking(fd, False)

    def handle(_number: int, _frame: FrameType | None) -> None:
        """The wake-up pipe says it all."""

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    fd_before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        yield read
    finally:
        signal.set_wakeup_fd(fd_before)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)
