"""Supervises a game on Windows: its program and all that it starts end with this process, by the kernel.

The supervisor puts itself into a job that ends with it. It ends the game when it is asked to (the event of
link.mswindows_processes), or when the owner is gone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

from pitwall.link import mswindows_processes, mswindows_windows
from pitwall.link.process_table import process_tree

_SYNCHRONIZE = 0x00100000
_LOOK_MS = 200
_LOOK_S = 0.02
_NO_WINDOW = 0x08000000
"""CREATE_NO_WINDOW: no console window beside the game's."""


def supervise(order: dict[str, Any], grace_s: float) -> int:
    """Run a program until it failed, or it and all it started have ended; returns the exit status.

    Args:
        grace_s: how long it has to end by itself once it was asked to.
    """
    try:
        asked = mswindows_processes.EndRequest(os.getpid())
        mswindows_processes.join_job_that_ends_with_me()
        with mswindows_processes.opened(order["owner"]) as owner:
            if owner is None:
                raise OSError(0, "the process that it belongs to is gone", order["command"][0])
            program = subprocess.Popen(
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
            while _anyone_left() and not program.poll():
                if mswindows_processes.first_of([owner, asked.handle], _LOOK_MS) is not None:
                    break
    except OSError as error:
        os.write(1, f"{error.filename or order['command'][0]}: {error.strerror}\n".encode())
        return 1
    _end_all(grace_s)
    return program.poll() or 0


def _anyone_left() -> bool:
    return len(process_tree(os.getpid())) > 1


def _end_all(grace_s: float) -> None:
    """Close the windows of everything that descends from this process, as a person would; then end it."""
    until_s = time.monotonic() + grace_s
    family = process_tree(os.getpid()) - {os.getpid()}
    for window in mswindows_windows.top_level():
        if mswindows_windows.process_of(window) in family:
            mswindows_windows.ask_to_close(window)
    while _anyone_left() and time.monotonic() < until_s:
        time.sleep(_LOOK_S)
    for pid in process_tree(os.getpid()) - {os.getpid()}:
        mswindows_processes.kill(pid)
