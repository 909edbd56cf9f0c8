"""Stops a long command on Ctrl+C or SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
Handler = Callable[[int, FrameType | None], None]


@contextmanager
def _handled_by(handler: Handler) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def raising_on_stop(error: Callable[[], BaseException]) -> Iterator[None]:
    """Raise this error inside the block on Ctrl+C or SIGTERM."""

    def stop(_signal: int, _frame: object) -> None:
        raise error()

    with _handled_by(stop):
        yield


@contextmanager
def stop_requested() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether to stop; a second signal ends the command at once."""
    asked = False

    def heard(_signal: int, _frame: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    with _handled_by(heard):
        yield lambda: asked
