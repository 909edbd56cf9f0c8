"""Asks a long command to stop: Ctrl+C or SIGTERM end it cleanly, the second time at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_requested() -> Iterator[Callable[[], bool]]:
    """Yield whether to stop: the first signal asks, a second one ends the command."""
    asked = False

    def heard(_signal: int, _frame: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
