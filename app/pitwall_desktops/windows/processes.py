"""Processes on Windows. A module that implements `Processes`.

A job is Windows' group of processes: a job made here ends everything in it when its last handle is closed, so
the group ends with the process that holds the handle, however that ends.
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import wintypes
from pathlib import Path
from typing import Any

from pitwall.desktops.process_contract import Process, RunningProgram, family
from pitwall_desktops.windows import handles

_KERNEL: Any = None
_PSAPI: Any = None
_SYNCHRONIZE = 0x00100000
_TERMINATE = 0x0001
_QUERY_LIMITED = 0x1000
_EVENT_MODIFY = 0x0002
_SNAPSHOT_PROCESSES, _SNAPSHOT_MODULES = 0x2, 0x8 | 0x10
_STILL_RUNS = 0x102
_FOREVER_MS = 0xFFFFFFFF
_EXTENDED_LIMITS = 9
_KILL_ON_JOB_CLOSE = 0x2000
_KILLED = 1
_INVALID = ctypes.c_void_p(-1).value
_PATH_CHARACTERS = 32_768
_MOST_DRIVERS = 4096
_CONSOLE_HOST = "conhost.exe"
"""Windows starts it beside a program without a console of its own, and it ends by itself."""
_LOOK_MS, _LOOK_S = 200, 0.02
_NO_WINDOW = 0x08000000
"""CREATE_NO_WINDOW: no console window beside the game's."""

_HANDLES = "OpenProcess CreateToolhelp32Snapshot CreateJobObjectW CreateEventW OpenEventW GetCurrentProcess"
if sys.platform == "win32":
    _KERNEL, _PSAPI = ctypes.WinDLL("kernel32"), ctypes.WinDLL("psapi")
    for _name in _HANDLES.split():
        getattr(_KERNEL, _name).restype = ctypes.c_void_p


class _ProcessEntry(ctypes.Structure):
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


class _ModuleEntry(ctypes.Structure):
    """MODULEENTRY32W."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("module", ctypes.c_uint32),
        ("pid", ctypes.c_uint32),
        ("global_usage", ctypes.c_uint32),
        ("process_usage", ctypes.c_uint32),
        ("base", ctypes.c_void_p),
        ("base_size", ctypes.c_uint32),
        ("handle", ctypes.c_void_p),
        ("name", ctypes.c_wchar * 256),
        ("path", ctypes.c_wchar * 260),
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


# ---- the table of processes


@contextmanager
def opened(pid: int, rights: int = _SYNCHRONIZE) -> Iterator[int | None]:
    """Open a process for the time of the block; yields its handle, None if it does not run or refuses."""
    handle = _KERNEL.OpenProcess(rights, False, pid) if pid else None
    try:
        yield handle
    finally:
        if handle:
            _KERNEL.CloseHandle(ctypes.c_void_p(handle))


def waits_for_end(pid: int, timeout_ms: int = _FOREVER_MS) -> bool:
    """Wait until a process has ended or the time is over; return whether it has ended."""
    with opened(pid) as handle:
        return handle is None or not _runs(handle, timeout_ms)


def running() -> Iterator[Process]:
    """Yield every running process but consoles' hosts."""
    for entry in _snapshot(_SNAPSHOT_PROCESSES, 0, _ProcessEntry, "Process32"):
        if str(entry.program).lower() != _CONSOLE_HOST:
            yield Process(int(entry.pid), int(entry.parent), 0, 0, born(int(entry.pid)))


def command_words(pid: int) -> list[str]:
    """Return nothing: Windows gives no other process's command line."""
    del pid
    return []


def environment(pid: int) -> dict[str, str]:
    """Return nothing: Windows gives no other process's variables."""
    del pid
    return {}


def death_of(pid: int) -> int | None:
    """Return a descriptor that turns readable when a process is dead; None if the process id is 0."""
    if pid == 0:
        return None
    ours, theirs = socket.socketpair()

    def close_after() -> None:
        waits_for_end(pid)
        theirs.close()

    threading.Thread(target=close_after, daemon=True).start()
    return ours.detach()


def born(pid: int) -> int:
    """Return when a process began, in units of 100 ns; 0 if it does not run or may not be asked."""
    return _times(pid)[0]


def busy_s(pid: int) -> float:
    """Return the seconds that a process's program and Windows worked for it; 0 as in `born`."""
    return sum(_times(pid)[2:]) / 1e7


def _times(pid: int) -> list[int]:
    """Return start, end, and the time that Windows and the program worked, in units of 100 ns."""
    with opened(pid, _QUERY_LIMITED | _SYNCHRONIZE) as handle:
        times = [wintypes.FILETIME() for _ in range(4)]
        if handle is not None and _runs(handle):
            _KERNEL.GetProcessTimes(ctypes.c_void_p(handle), *map(ctypes.byref, times))
        return [stamp.dwHighDateTime << 32 | stamp.dwLowDateTime for stamp in times]


def make_end(pid: int) -> None:
    """End a process at once; does nothing if it does not run or is not ours to end."""
    with opened(pid, _TERMINATE) as handle:
        if handle is not None:
            _KERNEL.TerminateProcess(ctypes.c_void_p(handle), _KILLED)


# ---- programs


def programs() -> Iterator[RunningProgram]:
    """Yield every running program; of those that may not be looked at, the name alone."""
    for entry in _snapshot(_SNAPSHOT_PROCESSES, 0, _ProcessEntry, "Process32"):
        image = _image(int(entry.pid))
        yield RunningProgram(
            int(entry.pid), str(entry.program), folders=(Path(image).parent,) if image else ()
        )


def program(pid: int) -> RunningProgram | None:
    """Return the program of one process; None if it does not run."""
    return next((running for running in programs() if running.pid == pid), None)


def loaded_files(pid: int) -> frozenset[str]:
    """Return the names of the modules that a process has loaded; empty where that may not be seen."""
    return frozenset(str(entry.name) for entry in _snapshot(_SNAPSHOT_MODULES, pid, _ModuleEntry, "Module32"))


def loaded_drivers() -> frozenset[str]:
    """Return the file names of loaded kernel drivers; empty where they may not be seen."""
    bases = (ctypes.c_void_p * _MOST_DRIVERS)()
    needed = ctypes.c_uint32()
    if not _PSAPI.EnumDeviceDrivers(bases, ctypes.sizeof(bases), ctypes.byref(needed)):
        return frozenset()
    names = set()
    for base in bases[: min(_MOST_DRIVERS, needed.value // ctypes.sizeof(ctypes.c_void_p))]:
        name = ctypes.create_unicode_buffer(260)
        if base and _PSAPI.GetDeviceDriverBaseNameW(ctypes.c_void_p(base), name, 260):
            names.add(name.value)
    return frozenset(names)


def _snapshot(kind: int, pid: int, entry_type: type[Any], call: str) -> Iterator[Any]:
    snapshot = ctypes.c_void_p(_KERNEL.CreateToolhelp32Snapshot(kind, pid))
    if snapshot.value in (None, _INVALID):
        return
    entry = entry_type(size=ctypes.sizeof(entry_type))
    try:
        more = getattr(_KERNEL, f"{call}FirstW")(snapshot, ctypes.byref(entry))
        while more:
            yield entry
            more = getattr(_KERNEL, f"{call}NextW")(snapshot, ctypes.byref(entry))
    finally:
        _KERNEL.CloseHandle(snapshot)


def _image(pid: int) -> str:
    with opened(pid, _QUERY_LIMITED) as handle:
        path, length = ctypes.create_unicode_buffer(_PATH_CHARACTERS), wintypes.DWORD(_PATH_CHARACTERS)
        if handle is None or not _KERNEL.QueryFullProcessImageNameW(
            ctypes.c_void_p(handle), 0, path, ctypes.byref(length)
        ):
            return ""
        return path.value


# ---- ending, supervising


class EndRequest:
    """An event by which others ask this process to end, as SIGTERM does elsewhere.

    Attributes:
        handle: for `first_of`.
    """

    def __init__(self, pid: int) -> None:
        self.handle = int(_KERNEL.CreateEventW(None, True, False, _end_name(pid)))


def ask_to_end(pid: int) -> None:
    """Ask a process that listens (`EndRequest`) to end; does nothing if it is gone."""
    _end_event(pid, signal_it=True)


def is_supervisor(pid: int) -> bool:
    """Return whether a process is the supervisor of a game: nobody else has an `EndRequest`."""
    return _end_event(pid, signal_it=False)


def _end_event(pid: int, *, signal_it: bool) -> bool:
    handle = ctypes.c_void_p(_KERNEL.OpenEventW(_EVENT_MODIFY, False, _end_name(pid)))
    if not handle.value:
        return False
    if signal_it:
        _KERNEL.SetEvent(handle)
    _KERNEL.CloseHandle(handle)
    return True


def _first_of(waitable: Sequence[int], timeout_ms: int) -> int | None:
    """Wait until a process has ended or an event is set; return its index, None when the time is over."""
    many = (ctypes.c_void_p * len(waitable))(*waitable)
    index = int(_KERNEL.WaitForMultipleObjects(len(waitable), many, False, timeout_ms))
    return index if 0 <= index < len(waitable) else None


def _join_job_that_ends_with_me() -> None:
    """Put this process into a job: everything that it starts from now on ends with it, however it ends.

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


def supervise(order: dict[str, Any], grace_s: float) -> int:
    """Run a game's program until it failed, or it and all it started have ended; see `Processes`."""
    try:
        asked = EndRequest(os.getpid())
        _join_job_that_ends_with_me()
        with opened(order["owner"]) as owner:
            if owner is None:
                raise OSError(0, "the process that it belongs to is gone", order["command"][0])
            process = subprocess.Popen(
                order["command"],
                cwd=order["folder"],
                env=order["env"],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                stderr=sys.stderr,
                creationflags=_NO_WINDOW,
            )
            os.write(1, b"\n")
            os.dup2(2, 1)
            while _descendants() and not process.poll():
                if _first_of([owner, asked.handle], _LOOK_MS) is not None:
                    break
    except OSError as error:
        os.write(1, f"{error.filename or order['command'][0]}: {error.strerror}\n".encode())
        return 1
    _end_descendants(grace_s)
    return process.poll() or 0


def _descendants() -> frozenset[int]:
    return family(os.getpid(), running()) - {os.getpid()}


def _end_descendants(grace_s: float) -> None:
    """Close the windows of everything that descends from this process, as a person would; then end it."""
    until_s = time.monotonic() + grace_s
    descendants = _descendants()
    for window in handles.top_level():
        if handles.process_of(window) in descendants:
            handles.ask_to_close(window)
    while _descendants() and time.monotonic() < until_s:
        time.sleep(_LOOK_S)
    for pid in _descendants():
        make_end(pid)


def _runs(handle: int, timeout_ms: int = 0) -> bool:
    return int(_KERNEL.WaitForSingleObject(ctypes.c_void_p(handle), timeout_ms)) == _STILL_RUNS


def _end_name(pid: int) -> str:
    return f"Local\\pitwall-end-{pid}"
