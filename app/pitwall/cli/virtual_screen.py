"""A screen for a machine that has none: Xvfb with a small window manager, for one command."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from pitwall.core.errors import DisplayError
from pitwall.engine.capture.display import check_display

_SIZE = "1920x1080x24"
_OPTIONS = ("-nolisten", "tcp", "-dpi", "96", "-noreset")
"""Without -noreset the server starts anew where a first client leaves before the window manager came."""


def has_screen() -> bool:
    """Whether this process was given a display."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY"))


def require_reachable_screen() -> None:
    """Where a display is named, make sure that it is there: Qt would end the whole process without a word.

    Raises:
        DisplayError: it cannot be reached.
    """
    if os.environ.get("DISPLAY"):
        check_display()


@contextlib.contextmanager
def screen_or_virtual() -> Iterator[str]:
    """The screen there is, or a virtual one for the time of the block; yields its name.

    Raises:
        DisplayError: a virtual screen is needed and cannot be started.
    """
    if has_screen() or os.environ.get("WAYLAND_DISPLAY"):
        yield os.environ.get("DISPLAY", "")
        return
    for program in ("Xvfb", "openbox"):
        if shutil.which(program) is None:
            raise DisplayError(
                f"there is no screen, and {program} (for a virtual one) is not installed.",
                "Install it: sudo apt-get install xvfb openbox.",
            )
    read, write = os.pipe()
    server = ["Xvfb", "-displayfd", str(write), "-screen", "0", _SIZE, *_OPTIONS]
    with os.fdopen(read) as numbers, _running(server, write):
        os.close(write)
        number = numbers.readline().strip()
        if not number:
            raise DisplayError("the virtual screen did not start.", "Try: Xvfb -displayfd 1")
        os.environ["DISPLAY"] = f":{number}"
        try:
            with _running(["openbox", "--sm-disable"]):
                time.sleep(0.5)
                yield f":{number} (virtual)"
        finally:
            os.environ.pop("DISPLAY", None)


@contextlib.contextmanager
def _running(command: list[str], *inherits: int) -> Iterator[None]:
    """A program beside this one, out of Ctrl+C's reach: a command that is ended still needs its screen."""
    process = subprocess.Popen(
        command,
        pass_fds=inherits,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(3)
