"""Runs a program of a benchmark in a process of its own, and reads the JSON object that it prints last."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pitwall.core.errors import PitwallError

PITWALL = (sys.executable, "-m", "pitwall")
_LAST_WORDS = 2_000


def last_object(
    command: Sequence[str], *, longest_s: float | None = None, environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run a command to its end and return the last line that it printed, a JSON object.

    Args:
        environment: its variables; None: those of this process.

    Raises:
        PitwallError: it failed, printed nothing, or did not end in time.
    """
    name = " ".join(command[2:5])
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            timeout=longest_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PitwallError(
            f"{name} did not end within {longest_s:.0f} s.", "Run it on a machine at rest."
        ) from error
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        printed = (done.stderr or done.stdout).strip()[-_LAST_WORDS:]
        raise PitwallError(f"{name} ended with {done.returncode}: {printed or 'it printed nothing.'}")
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer
