"""Reads one clock in every process: CLOCK_MONOTONIC, comparable between processes of one machine."""

from __future__ import annotations

import time

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


def now_ns() -> int:
    """Monotonic nanoseconds."""
    return time.monotonic_ns()


def ms_between(start_ns: int, end_ns: int) -> float:
    """Milliseconds from `start_ns` to `end_ns`."""
    return (end_ns - start_ns) / NS_PER_MS
