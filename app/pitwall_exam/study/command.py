"""Runs a `pitwall` command in a process of its own and returns what it prints."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from pitwall.core.errors import PitwallError

_POLL_S = 0.2
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def printed_by(
    words: Sequence[str], *, stopped: Callable[[], bool] = lambda: False, own_screen: bool = False
) -> Any:
    """Run a command with `--json` and return its last line as an object; None if stopped.

    The command ends if this process is interrupted.

    Args:
        own_screen: let it play on a virtual screen of its own, whatever screen there is.

    Raises:
        PitwallError: it failed; has the command's own words.
    """
    hidden = _SCREENS if own_screen else ()
    with subprocess.Popen(
        [sys.executable, "-m", "pitwall", *words, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name not in hidden},
    ) as child:
        try:
            output, errors = _waited_for(child, stopped)
        except BaseException:
            child.terminate()
            raise
    if stopped():
        return None
    lines = output.strip().splitlines()
    if child.returncode or not lines:
        raise PitwallError((errors.strip().splitlines() or ["it printed nothing"])[-1])
    return json.loads(lines[-1])


def _waited_for(child: subprocess.Popen[str], stopped: Callable[[], bool]) -> tuple[str, str]:
    while not stopped():
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_POLL_S)
    child.terminate()  # once: a second signal would end it before it has ended its own children
    return child.communicate()
