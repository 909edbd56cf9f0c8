"""Chooses what this process is: a role (engine, broker, host, …), or a command (`cli/main.py`).

Each role imports its own folder and no other. Packages beside the core declare roles by entry points.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Sequence

Role = Callable[[Sequence[str]], int]


def main() -> int:
    """Return the entry of `pitwall` and `python -m pitwall`; returns the exit status."""
    _open_standard_files()
    os.umask(0o077)  # what Pitwall writes is its operator's alone, wherever it lies
    gc.disable()  # what is imported stays: looking through it for garbage is a tenth of the start
    role = _role(sys.argv[1] if len(sys.argv) > 1 else "")
    gc.freeze()
    gc.enable()
    if role is not None:
        return role(sys.argv[2:])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a pipe on Windows cannot write ≤ in its own code page
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    from pitwall.cli.main import main as cli_main

    return cli_main()


def _open_standard_files() -> None:
    """Open closed standard files on nothing: else the next file, a database perhaps, takes their place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _role(name: str) -> Role | None:
    """Find the function that runs a process in a role; None for the commands."""
    if name == "engine":
        from pitwall.engine.main import main as engine_main

        return engine_main
    if name == "broker":
        from pitwall.broker.main import main as broker_main

        return broker_main
    if name == "host":
        from pitwall.host.main import main as host_main

        return host_main
    if name == "memory-keeper":
        from pitwall.memory.keeper import main as keeper_main

        return keeper_main
    if name == "game-supervisor":
        from pitwall.games.supervisor import main as supervisor_main

        return supervisor_main
    return _console_role(name) or _package_role(name)


def _console_role(name: str) -> Role | None:
    """Find the function of a process that works for one page of the console."""
    if name == "film-reader":
        from pitwall.engine.recording.film_reader import main as film_main

        return film_main
    if name == "film-sound":
        from pitwall.engine.recording.film_sound import main as sound_main

        return sound_main
    if name == "game-eyes":
        from pitwall.engine.drafting.main import main as eyes_main

        return eyes_main
    return None


def _package_role(name: str) -> Role | None:
    """Find the function of a process that a package beside the core declares."""
    if not name.endswith(("-seat", "-game", "-keeper")):  # commands need not wait for the list of packages
        return None
    from pitwall.core import rail

    role: Role | None = rail.load(rail.ROLES, name) if name in rail.contributions(rail.ROLES) else None
    return role


if __name__ == "__main__":
    sys.exit(main())
