"""Reads one clock in every process, comparable between processes of one machine.

CLOCK_MONOTONIC; on Windows the performance counter, where Python's monotonic clock moves by 16 ms at a time.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


if sys.platform == "win32":

    def now_ns() -> int:
        """Return the monotonic nanoseconds."""
        return time.perf_counter_ns()

else:

    def now_ns() -> int:
        """Return the monotonic nanoseconds."""
        return time.monotonic_ns()


def ms_between(start_ns: int, end_ns: int) -> float:
    """Return the milliseconds from `start_ns` to `end_ns`."""
    return (end_ns - start_ns) / NS_PER_MS


BEGAN = "PITWALL_BEGAN"
"""Environment variable with the time of the command behind this start, in seconds since 1970."""


def since_start_s() -> float:
    """Return the seconds since this start began: as the environment says, else since this process did."""
    try:
        began = float(os.environ[BEGAN])
    except (KeyError, ValueError):
        try:
            began = Path(f"/proc/{os.getpid()}").stat().st_ctime
        except OSError:  # no /proc on this platform: count from now
            began = time.time()
    return time.time() - began
