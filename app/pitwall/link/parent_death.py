"""Helpers that must not outlive the process that started them, however it ends."""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def dies_with_parent(number: signal.Signals | None = None) -> Callable[[], None] | None:
    """Return a `preexec_fn` with which the kernel signals a process when the thread that started it is gone.

    Linux alone knows this; elsewhere None (Windows has jobs for it: `desktops/windows/processes.py`).

    Args:
        number: None: SIGKILL.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up before the fork
    sent = int(signal.SIGKILL if number is None else number)
    return lambda: prctl(_PR_SET_PDEATHSIG, sent)
