"""`pitwall game-supervisor`: starts a game's program, and ends all that it started when its owner is gone.

Its order comes on standard input, its answer goes to standard output: an empty line once the program runs, or
why it does not. Whatever the program starts stays this process's (programs that fork, or that begin a session
of their own), so that nothing of a game is left: not when it is told to end, nor when its owner was killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from pitwall.games.mswindows_supervisor import supervise
from pitwall.link.parent_death import dies_with_parent
from pitwall.link.process_table import process_tree

ROLE = "game-supervisor"
GRACE_S = 3.0
"""How long a game has to end by itself once it was asked to."""
_PR_SET_CHILD_SUBREAPER = 36
_LOOK_S = 0.02


def main(_arguments: Sequence[str]) -> int:
    """Run a program until it failed, or it and all it started have ended; returns the exit status."""
    if sys.platform == "win32":
        return supervise(json.load(sys.stdin), GRACE_S)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signals, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, _handle)
    order = json.load(sys.stdin)
    try:
        owner = os.pidfd_open(order["owner"])
        program = subprocess.Popen(
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
    while _anyone_left() and not program.returncode:
        ready, _, _ = select.select([owner, signals], [], [])
        if owner in ready or signal.SIGTERM in os.read(signals, 64):
            break
        _wait_for_ended(program)
    _end_all()
    return program.returncode or 0


def _handle(_number: int, _frame: FrameType | None) -> None:
    """The wake-up descriptor says it all."""


def _wait_for_ended(program: subprocess.Popen[bytes]) -> None:
    """Take note of every child that has ended, the program's and those that lost their parent."""
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            program.wait() if ended.si_pid == program.pid else os.waitpid(ended.si_pid, 0)


def _anyone_left() -> bool:
    """Whether anything runs that descends from this process."""
    return len(process_tree(os.getpid())) > 1


def _end_all() -> None:
    """Ask everything that descends from this process to end, then make it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until_s = time.monotonic() + GRACE_S
        _send(number)
        while _anyone_left() and time.monotonic() < until_s:
            if number == signal.SIGKILL:
                _send(number)  # what was being started meanwhile
            time.sleep(_LOOK_S)


def _send(number: signal.Signals) -> None:
    for pid in process_tree(os.getpid()) - {os.getpid()}:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
