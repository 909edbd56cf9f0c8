"""Starts a long command in a session of its own, so that it outlives its parent."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pitwall.core.errors import ChildDied
from pitwall.link.child_process import APART

_LOOK_S = 0.1
_LAST_WORDS = 1_000


def start_aside(arguments: Sequence[str], output: Path, lives: Callable[[], bool]) -> int:
    """Start `pitwall *arguments` aside, and wait until it is running or has ended well.

    Args:
        output: file that takes its output. lives: whether it is running.

    Returns:
        Its process id.

    Raises:
        ChildDied: it ended with an error before; with its last output.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("ab") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "pitwall", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            creationflags=APART,
        )
    while process.returncode is None and not lives():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
    if process.returncode:
        words = output.read_text(encoding="utf-8", errors="replace")[-_LAST_WORDS:].strip()
        problem = f"`pitwall {' '.join(arguments[:2])}` ended with {process.returncode} before it began."
        raise ChildDied(problem, f"See {output}.", words)
    process.returncode = 0  # it outlives this process
    return process.pid
