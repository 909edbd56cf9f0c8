"""Work that may take a moment (files, the registry, free memory) in one thread beside the window's.

The thread never touches a Qt object: one that it told something could be deleted under its hands. The
window's own thread looks for what is done, while something is asked.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from pitwall.core.errors import PitwallError

T = TypeVar("T")

_LOOK_MS = 8


@dataclass(frozen=True, slots=True)
class _Asked:
    future: Future[Any]
    deliver: Callable[[Any], object]
    failed: Callable[[PitwallError], object] | None


class BackgroundWorker(QObject):
    """Does one thing after another in a thread; what came of it arrives in the window's thread, in order.

    Signals:
        failed(error): a work met a PitwallError and nobody else takes it. Any other exception is
            raised again in the window's thread.
    """

    failed = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        thread = self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self.destroyed.connect(lambda *_: thread.shutdown(wait=False, cancel_futures=True))
        self._asked: deque[_Asked] = deque()
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._deliver)

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
        with contextlib.suppress(RuntimeError):  # shut down: nobody waits for it any more
            self._asked.append(_Asked(self._thread.submit(work), deliver, failed))
            self._look.start()

    def close(self) -> None:
        """Take no more, and deliver no more; waits for the work that is going on."""
        self._look.stop()
        self._asked.clear()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _deliver(self) -> None:
        while self._asked and self._asked[0].future.done():
            done = self._asked.popleft()
            try:
                result = done.future.result()
            except PitwallError as error:
                (done.failed or self.failed.emit)(error)
            else:
                done.deliver(result)
        if not self._asked:
            self._look.stop()
