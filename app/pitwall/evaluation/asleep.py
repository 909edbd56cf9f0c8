"""Whether the machine was asleep: real-time play that was torn in two says nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

_LEAST_S = 3.0


def _slept_s() -> float:
    """Seconds that this machine was suspended since it started (Linux); elsewhere by the wall clock."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    whole = time.time() if boot is None else time.clock_gettime(boot)
    return whole - time.monotonic()


class SleepWatch:
    """Looks at the gap between two clocks of which one stands still in sleep.

    Args:
        slept_s: seconds asleep until now, from any beginning.
    """

    def __init__(self, slept_s: Callable[[], float] = _slept_s) -> None:
        self._slept_s = slept_s
        self._before = slept_s()

    def look(self) -> float:
        """Seconds asleep since the last look; 0 where it was awake."""
        now = self._slept_s()
        asleep, self._before = now - self._before, now
        return asleep if asleep >= _LEAST_S else 0.0
