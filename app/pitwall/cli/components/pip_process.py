"""Runs pip in a process group of its own, and reports its progress."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from pitwall.core.errors import PitwallError
from pitwall.link.child_process import dies_with_parent

Tell = Callable[[str, float], None]
"""Takes the present step in words, and the share that is done, 0 to 1."""

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_DOWNLOADING = re.compile(r"Downloading (?:\S*/)?([^/\s]+?)-\d\S* \((\S+ \wB)\)")
_BUILDING = re.compile(r"Building wheel for (\S+)")
_COMPILED = re.compile(r"\[\s*(\d+)/(\d+)\]")
_KEPT_LINES = 30


class PipFailed(PitwallError):
    """pip ended with an error."""


def run_pip(arguments: Sequence[str], tell: Tell, env: Mapping[str, str] | None = None) -> None:
    """Run `pip *arguments`; when this process is stopped, pip and its compilers end, too.

    Raises:
        PipFailed: with pip's own last message.
    """
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=dies_with_parent(),
    )
    assert process.stdout is not None
    output: deque[str] = deque(maxlen=_KEPT_LINES)
    reader = _Reader(tell)
    try:
        with process.stdout:
            for line in process.stdout:
                output.append(line.rstrip())
                reader.take(line)
        status = process.wait()
    except BaseException:
        _end(process)
        raise
    if status:
        raise PipFailed(_reason(output), "Install again later: finished parts are kept.")


class _Reader:
    """Reads pip's lines: downloading, building, unpacking."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._doing = tell, "asking for packages"
        tell(self._doing, 0.0)

    def take(self, line: str) -> None:
        share = 0.0
        if match := _PROGRESS.search(line):
            share = int(match[1]) / max(1, int(match[2]))
        elif match := _DOWNLOADING.search(line):
            self._doing = f"downloading {match[1]} ({match[2]})"
        elif match := _BUILDING.search(line):
            self._doing = f"building {match[1]}"
        elif match := _COMPILED.search(line):
            share = int(match[1]) / max(1, int(match[2]))
        elif line.startswith("Installing collected packages"):
            self._doing, share = "unpacking", 0.9
        else:
            return
        self._tell(self._doing, share)


def _reason(output: Sequence[str]) -> str:
    errors = [line for line in output if "error" in line.casefold()] or list(output)[-1:]
    words = (errors[0] if errors else "it printed nothing").removeprefix("ERROR:").strip()
    return f"pip could not install it: {words.rstrip('.')}."


def _end(process: subprocess.Popen[str]) -> None:
    """End pip and everything it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
