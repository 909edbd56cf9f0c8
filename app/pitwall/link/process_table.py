"""Reads the kernel's table of processes (/proc): who descends from whom, and who still runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_ENDED = ("Z", "X")


@dataclass(frozen=True, slots=True)
class Process:
    """A process that runs; one that ended and was not waited for yet (a zombie) is none.

    Attributes:
        born: its start in kernel ticks: with its id it names one process for good.
    """

    pid: int
    parent: int
    group: int
    session: int
    born: int


def processes() -> Iterator[Process]:
    """Every process that runs; none without /proc."""
    for entry in _PROC.glob("[0-9]*"):
        if (process := _read(int(entry.name))) is not None:
            yield process


def born(pid: int) -> int:
    """Return a process's start in kernel ticks; 0: it does not run, or there is no /proc."""
    process = _read(pid)
    return process.born if process is not None else 0


def process_tree(pid: int) -> frozenset[int]:
    """A process, everything that descends from it, and what stayed in the session it leads.

    The session finds what lost its parent on the way (a shell that ended, a program that forked twice).
    Without /proc only the process itself.
    """
    children: dict[int, list[int]] = {}
    family = {pid}
    for process in processes():
        children.setdefault(process.parent, []).append(process.pid)
        if process.session == pid:
            family.add(process.pid)
    waiting = list(family)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in family:
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
