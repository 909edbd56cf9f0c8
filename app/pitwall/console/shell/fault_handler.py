"""An error in a slot must not kill the window: it is shown as a fault, logged, and life goes on."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from types import TracebackType

from pitwall.core.errors import PitwallError
from pitwall.core.telemetry import Fault

log = logging.getLogger(__name__)


def fault_from(error: BaseException) -> Fault:
    """Turn an exception into a fault to show."""
    words = "".join(traceback.format_exception(error))
    if isinstance(error, PitwallError):
        return Fault(what=error.what, fix=error.fix, traceback=words, error=type(error).__name__)
    return Fault(
        what=f"Something went wrong in the console: {error or type(error).__name__}",
        fix="The agent is not affected. The details say where; they are in the console's log as well.",
        traceback=words,
        error=type(error).__name__,
    )


@contextlib.contextmanager
def faults_shown(report: Callable[[Fault], None]) -> Iterator[None]:
    """While it lasts, what nobody caught is reported, once for each place it comes from.

    Args:
        report: takes the fault; only called on the main thread.
    """
    seen: set[str] = set()
    inside = False

    def caught(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        nonlocal inside
        if issubclass(kind, KeyboardInterrupt) or inside:
            sys.__excepthook__(kind, error, where)
            return
        fault = fault_from(error)
        place = "".join(traceback.format_tb(where)[-1:])
        if place in seen:
            log.error("again: %s", fault.what)
            return
        seen.add(place)
        inside = True
        try:
            report(fault)
        finally:
            inside = False

    def caught_aside(happened: threading.ExceptHookArgs) -> None:
        log.error("in a thread: %s", happened.exc_value, exc_info=happened.exc_value)

    before, before_aside = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = caught, caught_aside
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook = before, before_aside
