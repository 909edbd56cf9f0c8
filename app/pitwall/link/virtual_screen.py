"""A virtual screen: Xvfb with a small window manager, for the time of a block."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from pitwall.core.errors import DisplayError
from pitwall.link.child_process import dies_with_parent

SIZE = "1920x1080x24"
_OPTIONS = ("-nolisten", "tcp", "-dpi", "96", "-noreset")
"""Without -noreset the server restarts if its first client leaves before the window manager came."""
_OPENBOX = ("openbox", "--sm-disable")
_MANAGER_S = 0.5


def variables_of(display: str) -> dict[str, str]:
    """Return environment variables for playing on an X screen, even from a Wayland session."""
    return {"DISPLAY": display, "WAYLAND_DISPLAY": "", "SWAYSOCK": ""}


@contextlib.contextmanager
def virtual_screen(size: str = SIZE, *, manager: Sequence[str] = _OPENBOX) -> Iterator[str]:
    """Start a virtual screen; yields its name for $DISPLAY of its users. This process keeps its own.

    Args:
        size: width × height × depth, as Xvfb takes it.
        manager: command of the window manager.

    Raises:
        DisplayError: a program is not installed, or it did not start.
    """
    if sys.platform == "win32":
        raise DisplayError(
            "there is no screen to play on: Windows has no virtual ones.",
            "Suites and evaluations are played on Linux; here, play a run on the desktop.",
        )
    for program in ("Xvfb", manager[0]):
        if shutil.which(program) is None:
            raise DisplayError(
                f"there is no screen to play on: a virtual one needs {program}, which is not installed.",
                "Install it: sudo apt-get install xvfb openbox.",
            )
    read, write = os.pipe()
    server = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, *_OPTIONS]
    with os.fdopen(read) as numbers, _running(server, write):
        os.close(write)
        number = numbers.readline().strip()
        if not number:
            raise DisplayError("the virtual screen did not start.", "Try: Xvfb -displayfd 1")
        with _running(manager, display=f":{number}"):
            time.sleep(_MANAGER_S)
            yield f":{number}"


@contextlib.contextmanager
def _running(command: Sequence[str], *inherits: int, display: str = "") -> Iterator[None]:
    """Run a program beside this one, out of Ctrl+C's reach: an interrupted command still needs its screen."""
    process = subprocess.Popen(
        command,
        pass_fds=inherits,
        env={**os.environ, "DISPLAY": display} if display else None,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=dies_with_parent(signal.SIGTERM),
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
