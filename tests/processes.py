"""Whether processes that are not our children have ended."""

from __future__ import annotations

import os
import time


def wait_until_dead(pid: int, timeout_s: float) -> bool:
    """Whether a process that is not our child ended in time (POSIX; for a child: `Child.end`)."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False
