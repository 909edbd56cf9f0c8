"""Detects that the machine slept: the clock that stops during sleep falls behind the other."""

from __future__ import annotations

import time

_NOTICED_S = 2.0


class SleepWatch:
    """Compares the monotonic clock with the boot clock; without a boot clock, no sleep is detected."""

    def __init__(self) -> None:
        self._behind_s = _behind_s()

    def slept_s(self) -> float:
        """Return the seconds slept since this watch began; 0 if under two."""
        slept = _behind_s() - self._behind_s
        return slept if slept >= _NOTICED_S else 0.0


def _behind_s() -> float:
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(boot) - time.monotonic() if boot is not None else 0.0
