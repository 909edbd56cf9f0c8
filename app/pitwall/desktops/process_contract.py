"""Defines the questions about processes that a desktop answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

SUPERVISOR_ROLE = "game-supervisor"
"""Command of `pitwall` that starts a game's supervisor."""

WINE_LOADERS = ("wine", "wine64", "wine-preloader", "wine64-preloader")
"""Programs of Wine that become the Windows program that they start."""


@dataclass(frozen=True, slots=True)
class Process:
    """A running process; a zombie (ended, but not waited for yet) does not count.

    Attributes:
        born: its start in kernel ticks (Windows: 100 ns); with the pid it identifies a process uniquely.
        group, session: 0 on Windows, which has neither.
    """

    pid: int
    parent: int
    group: int
    session: int
    born: int


@dataclass(frozen=True, slots=True)
class RunningProgram:
    """The program of a process, as far as this user may look.

    Attributes:
        name: of its program's file, without its folder; under Wine the Windows program's.
        arguments: the rest of its command line.
        folders: the program's own folder and the folder it works in, most telling first.
    """

    pid: int
    name: str
    arguments: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()


class Processes(Protocol):
    """Answers questions about processes and ends those of a game. A module can implement it."""

    def running(self) -> Iterator[Process]:
        """Yield every running process; none where the system has no process table."""

    def born(self, pid: int) -> int:
        """Return a process's start as in `Process.born`; 0 if it does not run or cannot be looked at."""

    def busy_s(self, pid: int) -> float:
        """Return the processor time that a process has used; 0 as in `born`."""

    def command_words(self, pid: int) -> list[str]:
        """Return the words of a process's command line; none where they cannot be read."""

    def environment(self, pid: int) -> dict[str, str]:
        """Return the variables that a process was started with; none where they cannot be read."""

    def programs(self) -> Iterator[RunningProgram]:
        """Yield the program of every process; folders may be left out."""

    def program(self, pid: int) -> RunningProgram | None:
        """Return the program of one process, with its folders; None if it does not run."""

    def loaded_files(self, pid: int) -> frozenset[str]:
        """Return the names of the files that a process has loaded; empty where that is hidden from us."""

    def loaded_drivers(self) -> frozenset[str]:
        """Return the file names of loaded kernel drivers that could guard games; empty where unknown."""

    def death_of(self, pid: int) -> int | None:
        """Return a descriptor that turns readable when a process is dead; None if it already is (or 0)."""

    def is_supervisor(self, pid: int) -> bool:
        """Return whether a process is the supervisor of a game."""

    def ask_to_end(self, pid: int) -> None:
        """Ask a supervisor and all that it started to end; does nothing if it is gone."""

    def make_end(self, pid: int) -> None:
        """End a supervisor and all that it started at once."""

    def supervise(self, order: dict[str, Any], grace_s: float) -> int:
        """Run a game's program until it failed, or it and all it started have ended.

        Args:
            order: command, folder, env, and the owner (a pid) whose death ends the game.
            grace_s: how long the game may take to end after it was asked to.

        Returns:
            The exit status.
        """


def family(pid: int, running: Iterable[Process]) -> frozenset[int]:
    """Return a process, everything that descends from it, and all processes of the session that it leads.

    The session finds processes that lost their parent (a shell that ended, a program that forked twice).
    Windows may reuse a parent's pid: a process older than its parent is no child of it.
    """
    children: dict[int, list[int]] = {}
    members = {pid}
    births: dict[int, int] = {}
    for process in running:
        births[process.pid] = process.born
        children.setdefault(process.parent, []).append(process.pid)
        if process.session == pid:
            members.add(process.pid)
    waiting = list(members)
    while waiting:
        parent = waiting.pop()
        for child in children.get(parent, ()):
            if child not in members and births[child] >= births.get(parent, 0):
                members.add(child)
                waiting.append(child)
    return frozenset(members)


def file_name(path: str) -> str:
    """Return the last part of a path, whether it is written as Windows or as Linux does."""
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]
