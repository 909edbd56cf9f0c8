"""Makes the kernel run a thread soon after it wakes, to keep frames and keys from waiting."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

_NICE = -10
_ABOVE_NORMAL = 0x8000
_GROUP = Path("/proc/self/autogroup")
"""Where the kernel shares time among sessions first, a priority counts within the session alone."""


def wake_promptly() -> None:
    """Ask for a higher priority, where that is allowed, for the calling thread and its session.

    A process that leads a session of its own calls it. What it starts has the usual priority: a thread, and
    a process in a session of its own. On Windows all threads of this process come first, by its class.
    """
    if sys.platform == "linux":
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, 0, _NICE)
            if _GROUP.exists() and os.getsid(0) == os.getpid():
                _GROUP.write_text(f"{_NICE}\n", encoding="ascii")
    elif sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.SetPriorityClass(ctypes.c_void_p(kernel.GetCurrentProcess()), _ABOVE_NORMAL)
