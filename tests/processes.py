"""Whether processes that are not our children have ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time

from pitwall.link import mswindows_processes

KILLED = 9 if sys.platform == "win32" else -signal.SIGKILL
"""What a child that `kill` ended returns."""


def wait_until_dead(pid: int, timeout_s: float) -> bool:
    """Whether a process that is not our child ended in time (for a child: `Child.end`)."""
    if sys.platform == "win32":
        return mswindows_processes.waits_for_end(pid, round(timeout_s * 1000))
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def kill(pid: int) -> None:
    """End a process at once, without a word to it."""
    os.kill(pid, 9)  # Windows takes any number but two for this


def freeze(pid: int) -> None:
    """Stop a process where it stands (SIGSTOP; Windows suspends its threads)."""
    if sys.platform == "win32":
        handle = ctypes.windll.kernel32.OpenProcess(0x0800, False, pid)
        ctypes.windll.ntdll.NtSuspendProcess(handle)
        ctypes.windll.kernel32.CloseHandle(handle)
    else:
        os.kill(pid, signal.SIGSTOP)


def resume(pid: int) -> None:
    """Let a process that was frozen go on."""
    if sys.platform == "win32":
        handle = ctypes.windll.kernel32.OpenProcess(0x0800, False, pid)
        ctypes.windll.ntdll.NtResumeProcess(handle)
        ctypes.windll.kernel32.CloseHandle(handle)
    else:
        os.kill(pid, signal.SIGCONT)
