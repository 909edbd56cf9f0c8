"""Processes on Linux, by /proc, pidfds and signals. Implements `Processes` for X11 and sway."""

from __future__ import annotations

import ctypes
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from pitwall.desktops.process_contract import (
    SUPERVISOR_ROLE,
    WINE_LOADERS,
    Process,
    RunningProgram,
    family,
    file_name,
)
from pitwall.link.child_process import dies_with_parent

_PROC = Path("/proc")
_ENDED = ("Z", "X")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_PR_SET_CHILD_SUBREAPER = 36
_LOOK_S = 0.02
_SERVICES = frozenset({"dbus-launch", "dbus-daemon", "at-spi-bus-launcher", "chrome_crashpad_handler"})
"""SDL, GTK and Chromium start these for a game, without a session bus for example; they outlive it."""
_PROCESS_CLOCK = 2
"""The kernel's low bits of the clock of a process's processor time."""


# ---- the table of processes


def running() -> Iterator[Process]:
    """Yield every running process; none without /proc."""
    for entry in _PROC.glob("[0-9]*"):
        if (process := _read(int(entry.name))) is not None:
            yield process


def born(pid: int) -> int:
    """Return a process's start in kernel ticks; 0 if it does not run or cannot be looked at."""
    process = _read(pid)
    return process.born if process is not None else 0


def busy_s(pid: int) -> float:
    """Return the processor time that a process has used; 0 if it is gone."""
    try:
        return time.clock_gettime(~pid << 3 | _PROCESS_CLOCK)
    except OSError:
        return 0.0


def command_words(pid: int) -> list[str]:
    """Return the words of a process's command line; none if it does not run."""
    try:
        return (_PROC / str(pid) / "cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    except OSError:
        return []


def environment(pid: int) -> dict[str, str]:
    """Return the variables that a process was started with; none where they cannot be read."""
    try:
        raw = (_PROC / str(pid) / "environ").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return {}
    return {
        name: value for name, equals, value in (entry.partition("=") for entry in raw.split("\0")) if equals
    }


def death_of(pid: int) -> int | None:
    """Return a descriptor that turns readable when a process is dead; None if it already is (or 0)."""
    try:
        return os.pidfd_open(pid) if pid else None
    except ProcessLookupError:
        return None


def _read(pid: int) -> Process | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        fields = stat[stat.rindex(")") + 2 :].split()
        state, (parent, group, session), start = fields[0], fields[1:4], fields[19]
    except (OSError, ValueError, IndexError):
        return None
    if state in _ENDED:
        return None
    return Process(pid, int(parent), int(group), int(session), int(start))


# ---- programs


def programs() -> Iterator[RunningProgram]:
    """Yield every running program, without its folders; none without /proc."""
    for entry in os.listdir("/proc") if _PROC.is_dir() else ():  # noqa: PTH208  (three times as fast)
        if entry.isdigit() and (words := _program_words(int(entry))):
            yield RunningProgram(int(entry), file_name(words[0]), tuple(words[1:]))


def program(pid: int) -> RunningProgram | None:
    """Return the program of one process, with its folders; None if it does not run."""
    words = _program_words(pid)
    if not words:
        return None
    return RunningProgram(
        pid, file_name(words[0]), tuple(words[1:]), tuple(_folders(_PROC / str(pid), words[0]))
    )


def loaded_files(pid: int) -> frozenset[str]:
    """Return the names of the files that a process has mapped; empty where that may not be seen."""
    try:
        maps = (_PROC / str(pid) / "maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    return frozenset(file_name(line.split(maxsplit=5)[5]) for line in maps.splitlines() if "/" in line)


def loaded_drivers() -> frozenset[str]:
    """Return nothing: kernel drivers guard games on Windows alone."""
    return frozenset()


def _program_words(pid: int) -> list[str]:
    """Return the words of a command line; under Wine those of the Windows program."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123  (every process, every two seconds)
            raw = file.read(4096)
    except OSError:
        return []
    words = raw.decode("utf-8", "replace").rstrip("\0").split("\0")
    return words[1:] if len(words) > 1 and file_name(words[0]) in WINE_LOADERS else words


def _folders(process: Path, program: str) -> Iterator[Path]:
    if _DRIVE.match(program):
        yield _unix_path(process, program).parent
    for link in ("exe", "cwd"):
        try:
            target = (process / link).readlink()
        except OSError:
            continue
        yield target.parent if link == "exe" else target


def _unix_path(process: Path, windows_path: str) -> Path:
    """Return the Linux path of a Windows program, by the drives of its own Wine prefix."""
    prefix = Path(environment(int(process.name)).get("WINEPREFIX") or Path.home() / ".wine")
    drive, rest = windows_path[0].lower(), windows_path[3:].replace("\\", "/")
    return Path("/") / rest if drive == "z" else prefix / "dosdevices" / f"{drive}:" / rest


# ---- ending, supervising


def is_supervisor(pid: int) -> bool:
    """Return whether a process is the supervisor of a game."""
    return command_words(pid)[2:5] == ["-m", "pitwall", SUPERVISOR_ROLE]


def ask_to_end(pid: int) -> None:
    """Ask all of a process's group to end; does nothing if it is gone."""
    _signal_group(pid, signal.SIGTERM)


def make_end(pid: int) -> None:
    """End all of a process's group at once."""
    _signal_group(pid, signal.SIGKILL)


def supervise(order: dict[str, Any], grace_s: float) -> int:
    """Run a game's program until it failed, or it and all it started have ended; see `Processes`."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signals, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, _only_wake)
    try:
        owner = os.pidfd_open(order["owner"])
        process = subprocess.Popen(
            order["command"],
            cwd=order["folder"],
            env=order["env"],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            preexec_fn=dies_with_parent(),
        )
    except OSError as error:
        os.write(1, f"{error.filename or order['command'][0]}: {error.strerror}\n".encode())
        return 1
    os.write(1, b"\n")
    os.dup2(2, 1)
    while any(map(_counts, _descendants())) and not process.returncode:
        ready, _, _ = select.select([owner, signals], [], [])
        if owner in ready or signal.SIGTERM in os.read(signals, 64):
            break
        _wait_for_ended(process)
    _end_descendants(grace_s)
    return process.returncode or 0


def _only_wake(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the wake-up descriptor tells the loop."""


def _wait_for_ended(process: subprocess.Popen[bytes]) -> None:
    """Wait for every child that has ended, the program's and those that lost their parent."""
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            process.wait() if ended.si_pid == process.pid else os.waitpid(ended.si_pid, 0)


def _descendants() -> frozenset[int]:
    return family(os.getpid(), running()) - {os.getpid()}


def _counts(pid: int) -> bool:
    """Return whether a process is of the game, and no service that libraries start and leave behind."""
    words = command_words(pid)
    return bool(words) and file_name(words[0]) not in _SERVICES


def _end_descendants(grace_s: float) -> None:
    """Ask everything that descends from this process to end, then kill what is left."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until_s = time.monotonic() + grace_s
        _signal_each(_descendants(), number)
        while (left := _descendants()) and time.monotonic() < until_s:
            if number == signal.SIGKILL:
                _signal_each(left, number)  # processes that were being started meanwhile
            time.sleep(_LOOK_S)


def _signal_each(pids: frozenset[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _signal_group(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
