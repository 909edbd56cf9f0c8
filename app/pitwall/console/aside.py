"""Work that may take a moment (files, the registry, free memory) in one thread beside the window's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from pitwall.core.errors import PitwallError

T = TypeVar("T")


class Aside(QObject):
    """Does one thing after another in a thread; what came of it arrives in the window's thread.

    Signals:
        failed(error): a work met a PitwallError and nobody else takes it. Any other exception is
            raised again in the window's thread.
    """

    failed = Signal(object)
    _came = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        thread = self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self.destroyed.connect(lambda *_: thread.shutdown(wait=False, cancel_futures=True))
        self._came.connect(self._deliver)

    def ask(
        self,
        work: Callable[[], T],
        deliver: Callable[[T], object],
        failed: Callable[[PitwallError], object] | None = None,
    ) -> None:
        """Run `work` in the thread, then `deliver` its result here.

        Args:
            failed: takes a PitwallError of this work; without it the signal does.
        """

        def run() -> None:
            try:
                result: Any = work()
            except PitwallError as error:
                self._arrive(_bound(failed or self.failed.emit, error))
            except Exception as error:  # shown once, by whoever shows what nobody caught
                self._arrive(_bound(_raise, error))
            else:
                self._arrive(_bound(deliver, result))

        with contextlib.suppress(RuntimeError):  # shut down: nobody waits for it any more
            self._thread.submit(run)

    def close(self) -> None:
        """Take no more; waits for the work that is going on."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _deliver(self, arrival: Callable[[], object]) -> None:
        arrival()

    def _arrive(self, arrival: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the window went away meanwhile
            self._came.emit(arrival)


def _bound(take: Callable[[Any], object], value: object) -> Callable[[], object]:
    return lambda: take(value)


def _raise(error: Exception) -> None:
    raise error
