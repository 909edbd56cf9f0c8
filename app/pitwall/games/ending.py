"""Ends a game's program: asked first (SIGTERM, or Windows' event for it), then made to."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

if sys.platform == "win32":
    from pitwall.link import mswindows_processes

    def ask_to_end(pid: int) -> None:
        """Ask what a supervisor holds to end; nothing where it is gone."""
        mswindows_processes.ask_to_end(pid)

    def make_end(pid: int) -> None:
        """End a supervisor at once; its job takes everything along that it started."""
        mswindows_processes.kill(pid)

else:

    def ask_to_end(pid: int) -> None:
        """Ask all of a process's group to end; nothing where it is gone."""
        _signal(pid, signal.SIGTERM)

    def make_end(pid: int) -> None:
        """End all of a process's group at once."""
        _signal(pid, signal.SIGKILL)

    def _signal(pid: int, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)
