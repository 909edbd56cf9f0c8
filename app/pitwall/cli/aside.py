"""Starts a long command aside: in a session of its own, so that it outlives whoever asked for it."""

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
    """Start `pitwall *arguments` aside, and wait until it lives or has ended well.

    Args:
        output: file that takes what it prints. lives: whether it is on its way.

    Returns:
        Its process id.

    Raises:
        ChildDied: it ended with an error before; with its last words.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("ab") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "pitwall", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
            creationflags=APART,
        )
    while process.returncode is None and not lives():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
    if process.returncode:
        words = output.read_text(encoding="utf-8", errors="replace")[-_LAST_WORDS:].strip()
        what = f"`pitwall {' '.join(arguments[:2])}` ended with {process.returncode} before it began."
        raise ChildDied(what, f"See {output}.", words)
    process.returncode = 0  # it goes on without us
    return process.pid
