"""Starts a game's program under a supervisor, ends it, and finds a program that was left running."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pitwall.desktops.here import process_tree, processes
from pitwall.desktops.process_contract import SUPERVISOR_ROLE
from pitwall.games.supervisor import GRACE_S
from pitwall.link.child_process import APART

_END_S = GRACE_S + 2.0
_GONE_S = 30.0
"""Longest wait for a killed program to be gone on a busy machine."""
_TRACEBACKS = re.compile(
    r"^(?:Traceback \(most recent|.* exception was never retrieved|(?:future|task): <|During handling of|"
    r"The above exception was).*\n?(?:[ \t].*\n?)*",
    re.MULTILINE,
)
"""Everything of a traceback but its last line, which says in words what went wrong."""
_MODULES = re.compile(r"^(?:\w+\.)+(?=\w+: )", re.MULTILINE)
_NOTE = "program.pid"
"""File beside the program's data: supervisor and engine (each with its start time), owner, control socket."""

ENDED_WELL = "with status 0"
"""The ending of a game that reported no error (`GameProcess.ending`)."""


class Launched:
    """A running game.

    Args:
        process: its supervisor, where this process started it; None: an earlier engine left it.

    Attributes:
        pid: its supervisor (on macOS its program), which leads a session of its own.
        log: file that takes its output.
        control: its control socket, if it listens (link.game_control).
    """

    def __init__(
        self, pid: int, log: Path, control: Path, process: subprocess.Popen[bytes] | None = None
    ) -> None:
        self._process = process
        self.pid = pid
        self.log = log
        self.control = control

    @property
    def alive(self) -> bool:
        return self._process.poll() is None if self._process is not None else processes().born(self.pid) != 0

    @property
    def ending(self) -> str:
        """Return how it ended, like "with status 1" or "by signal SIGSEGV"; empty if that is not known."""
        status = self._process.poll() if self._process is not None else None
        if not status:
            return "" if status is None else ENDED_WELL
        number = -status if status < 0 else 256 - status  # a supervisor passes a signal on as a status
        with contextlib.suppress(ValueError):
            if sys.platform != "win32" and (status < 0 or status > 128):
                return f"by signal {signal.Signals(number).name}"
        return f"with status {status}"

    def last_words(self, limit: int = 400) -> str:
        """Return the end of its output, on one line; of a traceback only what it says in words."""
        with contextlib.suppress(OSError):
            text = self.log.read_text(encoding="utf-8", errors="replace")
            words = _MODULES.sub("", _TRACEBACKS.sub("", text)).split()
            return " ".join(words)[-limit:]
        return ""

    def close(self) -> None:
        """End the game and all it started: ask first, then kill."""
        processes().ask_to_end(self.pid)
        until = time.monotonic() + _END_S
        while time.monotonic() < until and self.group_lives():
            time.sleep(0.02)
        processes().make_end(self.pid)
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GONE_S)
        self.control.unlink(missing_ok=True)

    def group_lives(self) -> bool:
        """Return whether the program or anything it started still runs."""
        return self.alive or any(entry.group == self.pid for entry in processes().running())


def start(
    command: Sequence[str],
    env: Mapping[str, str],
    *,
    folder: Path,
    own: Path,
    log: Path,
    control: Path,
    owner: int,
) -> Launched:
    """Start a program in a session of its own, under a supervisor (without one on macOS).

    Args:
        folder: its working folder. own: folder for the note by which a later engine finds it.
        owner: process whose end also ends the program.

    Raises:
        OSError: it cannot be started; `strerror` is the reason, with the file where the supervisor knows it.
    """
    with log.open("wb") as output:
        if sys.platform == "darwin":
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        else:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pitwall", SUPERVISOR_ROLE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                start_new_session=True,
                creationflags=APART,
            )
            order = {"command": [*command], "env": {**env}, "folder": str(folder), "owner": owner}
            fault = _ordered(process, json.dumps(order).encode())
            if fault:
                process.wait()
                raise OSError(0, *reversed(fault.rsplit(": ", 1)))
    note = (
        process.pid,
        processes().born(process.pid),
        os.getpid(),
        processes().born(os.getpid()),
        owner,
        control,
    )
    with contextlib.suppress(OSError):  # without the note a later engine cannot find the game
        (own / _NOTE).write_text(" ".join(map(str, note)), encoding="utf-8")
    return Launched(process.pid, log, control, process)


def _ordered(supervisor: subprocess.Popen[bytes], order: bytes) -> str:
    """Send a supervisor its order; return why the program does not run, or nothing."""
    assert supervisor.stdin is not None
    assert supervisor.stdout is not None
    with supervisor.stdin, supervisor.stdout, contextlib.suppress(BrokenPipeError):
        supervisor.stdin.write(order)
        supervisor.stdin.close()
        if answer := supervisor.stdout.readline():
            return answer.decode("utf-8", "replace").strip()
    return f"{sys.executable}: its supervisor ended"


def left_running(own: Path, log: Path, owner: int | None = None) -> Launched | None:
    """Return the game program that an earlier engine left running; None if there is none (Linux only).

    Args:
        owner: process id; only a program that was started to end together with it is returned. None: any.
    """
    try:
        *numbers, control = (own / _NOTE).read_text(encoding="utf-8").split(maxsplit=5)
        pid, pid_born, engine, engine_born, its_owner = map(int, numbers)
    except (OSError, ValueError):
        return None
    if processes().born(pid) not in (pid_born, 0) or processes().born(engine) == engine_born:
        return None
    left = Launched(pid, log, Path(control))
    if owner is None:  # also a program that outlived its supervisor
        return left if left.group_lives() else None
    return left if left.alive and its_owner == owner else None


def of_supervisors() -> frozenset[int]:
    """Return the ids of all supervisors and of every process that they started."""
    supervisors = [entry.pid for entry in processes().running() if processes().is_supervisor(entry.pid)]
    return frozenset(pid for supervisor in supervisors for pid in process_tree(supervisor))
