"""Asks Windows about processes: who runs, who started whom, when one ends; ends them, and holds them in jobs.

A job is Windows' group of processes: one that is made here ends all that is in it when its last handle is
closed, so whoever holds the handle takes them along, however it dies.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import wintypes
from typing import Any

_KERNEL: Any = None
_SYNCHRONIZE = 0x00100000
_TERMINATE = 0x0001
_QUERY_LIMITED = 0x1000
_EVENT_MODIFY = 0x0002
_SNAPSHOT_PROCESSES = 0x2
_STILL_RUNS = 0x102
_FOREVER_MS = 0xFFFFFFFF
_EXTENDED_LIMITS = 9
_KILL_ON_JOB_CLOSE = 0x2000
_KILLED = 1
_INVALID = ctypes.c_void_p(-1).value

_HANDLES = "OpenProcess CreateToolhelp32Snapshot CreateJobObjectW CreateEventW OpenEventW GetCurrentProcess"
if sys.platform == "win32":
    _KERNEL = ctypes.WinDLL("kernel32")
    for _name in _HANDLES.split():
        getattr(_KERNEL, _name).restype = ctypes.c_void_p


class _Entry(ctypes.Structure):
    """PROCESSENTRY32W."""

    _fields_ = (
        ("size", wintypes.DWORD),
        ("usage", wintypes.DWORD),
        ("pid", wintypes.DWORD),
        ("heap", ctypes.c_size_t),
        ("module", wintypes.DWORD),
        ("threads", wintypes.DWORD),
        ("parent", wintypes.DWORD),
        ("priority", ctypes.c_long),
        ("flags", wintypes.DWORD),
        ("program", wintypes.WCHAR * 260),
    )


class _JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("least", ctypes.c_size_t),
        ("most", ctypes.c_size_t),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD),
        ("scheduling", wintypes.DWORD),
        ("counters", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


@contextmanager
def opened(pid: int, rights: int = _SYNCHRONIZE) -> Iterator[int | None]:
    """A handle of a process for the time of the block; None where it does not run or may not be asked."""
    handle = _KERNEL.OpenProcess(rights, False, pid) if pid else None
    try:
        yield handle
    finally:
        if handle:
            _KERNEL.CloseHandle(ctypes.c_void_p(handle))


def waits_for_end(pid: int, timeout_ms: int = _FOREVER_MS) -> bool:
    """Wait until a process has ended, or the time is over; whether it has (at once where there is none)."""
    with opened(pid) as handle:
        return handle is None or not _runs(handle, timeout_ms)


def running() -> Iterator[tuple[int, int, str]]:
    """Yield every process that runs: its id, its parent's, the name of its program (`game.exe`)."""
    snapshot = ctypes.c_void_p(_KERNEL.CreateToolhelp32Snapshot(_SNAPSHOT_PROCESSES, 0))
    if snapshot.value == _INVALID:
        return
    entry = _Entry(size=ctypes.sizeof(_Entry))
    try:
        more = _KERNEL.Process32FirstW(snapshot, ctypes.byref(entry))
        while more:
            yield int(entry.pid), int(entry.parent), str(entry.program)
            more = _KERNEL.Process32NextW(snapshot, ctypes.byref(entry))
    finally:
        _KERNEL.CloseHandle(snapshot)


def born(pid: int) -> int:
    """Return when a process began, in units of 100 ns; 0 where it does not run or may not be asked."""
    return _times(pid)[0]


def busy_s(pid: int) -> float:
    """Return the seconds that a process's program and Windows worked for it; 0 as in `born`."""
    return sum(_times(pid)[2:]) / 1e7


def _times(pid: int) -> list[int]:
    """Return when it began and ended, and how long Windows and the program worked, in units of 100 ns."""
    with opened(pid, _QUERY_LIMITED | _SYNCHRONIZE) as handle:
        times = [wintypes.FILETIME() for _ in range(4)]
        if handle is not None and _runs(handle):
            _KERNEL.GetProcessTimes(ctypes.c_void_p(handle), *map(ctypes.byref, times))
        return [one.dwHighDateTime << 32 | one.dwLowDateTime for one in times]


def kill(pid: int) -> None:
    """End a process at once; nothing where it does not run or is not ours to end."""
    with opened(pid, _TERMINATE) as handle:
        if handle is not None:
            _KERNEL.TerminateProcess(ctypes.c_void_p(handle), _KILLED)


class EndRequest:
    """An event by which others ask this process to end: Windows knows no SIGTERM.

    Attributes:
        handle: for `first_of`.
    """

    def __init__(self, pid: int) -> None:
        self.handle = int(_KERNEL.CreateEventW(None, True, False, _end_name(pid)))


def ask_to_end(pid: int, *, only_look: bool = False) -> bool:
    """Ask a process that listens (`EndRequest`) to end, or only look; whether it does listen."""
    handle = _KERNEL.OpenEventW(_EVENT_MODIFY, False, _end_name(pid))
    if not handle:
        return False
    if not only_look:
        _KERNEL.SetEvent(ctypes.c_void_p(handle))
    _KERNEL.CloseHandle(ctypes.c_void_p(handle))
    return True


def first_of(handles: Sequence[int], timeout_ms: int) -> int | None:
    """Wait until one of these is signalled (a process's end, an event); its index, None after the time."""
    many = (ctypes.c_void_p * len(handles))(*handles)
    found = int(_KERNEL.WaitForMultipleObjects(len(handles), many, False, timeout_ms))
    return found if 0 <= found < len(handles) else None


def join_job_that_ends_with_me() -> None:
    """Put this process into a job: all that it starts from now on ends when it has ended, however it did.

    Raises:
        OSError: Windows refuses.
    """
    job = ctypes.c_void_p(_KERNEL.CreateJobObjectW(None, None))  # the handle is this process's until its end
    limits = _JobLimits(flags=_KILL_ON_JOB_CLOSE)
    set_well = _KERNEL.SetInformationJobObject(
        job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
    )
    if not (set_well and _KERNEL.AssignProcessToJobObject(job, ctypes.c_void_p(_KERNEL.GetCurrentProcess()))):
        raise OSError(0, f"Windows refused a job of processes (error {_KERNEL.GetLastError()})")


def _runs(handle: int, timeout_ms: int = 0) -> bool:
    return int(_KERNEL.WaitForSingleObject(ctypes.c_void_p(handle), timeout_ms)) == _STILL_RUNS


def _end_name(pid: int) -> str:
    return f"Local\\pitwall-end-{pid}"
