"""Has the kernel run a thread soon after it wakes, so that frame and key wait for nobody."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_NICE = -10


def wake_promptly() -> None:
    """Ask for a higher priority, where that is allowed, for the calling thread alone: what it starts has the
    usual one."""
    if sys.platform == "linux":
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, 0, _NICE)
