"""Reads the table of processes (/proc, Windows' snapshot): who descends from whom, and who still runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pitwall.link import mswindows_processes

_PROC = Path("/proc")
_ENDED = ("Z", "X")
_CONSOLE_HOST = "conhost.exe"
"""Windows starts it beside a program without a console of its own, and it ends by itself."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process that runs; one that ended and was not waited for yet (a zombie) is none.

    Attributes:
        born: its start in kernel ticks (Windows: 100 ns): with its id it names one process for good.
        group, session: 0 on Windows, which has neither.
    """

    pid: int
    parent: int
    group: int
    session: int
    born: int


def processes() -> Iterator[Process]:
    """Every process that runs; none where the system has no such table (macOS)."""
    if sys.platform == "win32":
        for pid, parent, program in mswindows_processes.running():
            if program.lower() != _CONSOLE_HOST:
                yield Process(pid, parent, 0, 0, mswindows_processes.born(pid))
        return
    for entry in _PROC.glob("[0-9]*"):
        if (process := _read(int(entry.name))) is not None:
            yield process


def born(pid: int) -> int:
    """Return a process's start in kernel ticks (Windows: 100 ns); 0: it does not run, or nobody can say."""
    if sys.platform == "win32":
        return mswindows_processes.born(pid)
    process = _read(pid)
    return process.born if process is not None else 0


def process_tree(pid: int) -> frozenset[int]:
    """A process, everything that descends from it, and what stayed in the session it leads.

    The session finds what lost its parent on the way (a shell that ended, a program that forked twice).
    Without such a table only the process itself. On Windows a parent's id may have been given anew since: who
    is older than its parent is no child of it.
    """
    children: dict[int, list[int]] = {}
    family = {pid}
    births: dict[int, int] = {}
    for process in processes():
        births[process.pid] = process.born
        children.setdefault(process.parent, []).append(process.pid)
        if process.session == pid:
            family.add(process.pid)
    waiting = list(family)
    while waiting:
        parent = waiting.pop()
        for child in children.get(parent, ()):
            if child not in family and births[child] >= births.get(parent, 0):
                family.add(child)
                waiting.append(child)
    return frozenset(family)


def command_words(pid: int) -> list[str]:
    """The words of a process's command line; none where it does not run."""
    try:
        return (_PROC / str(pid) / "cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    except OSError:
        return []


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
