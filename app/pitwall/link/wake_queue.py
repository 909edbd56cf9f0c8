"""Wakes a thread that waits in a selector."""

from __future__ import annotations

import contextlib
import socket
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class WakeSignal:
    """Readable for a selector once it was set, from any thread, until it is cleared."""

    def __init__(self) -> None:
        self._read, self._write = socket.socketpair()
        self._read.setblocking(False)
        self._write.setblocking(False)

    def fileno(self) -> int:
        return self._read.fileno()

    def set(self) -> None:
        """Wake the reader; harmless if it is awake already, or gone."""
        with contextlib.suppress(OSError):
            self._write.send(b".")

    def clear(self) -> bool:
        """Clear the signal; return whether it was set."""
        was_set = False
        with contextlib.suppress(OSError):
            while self._read.recv(4096):
                was_set = True
        return was_set

    def close(self) -> None:
        self._read.close()
        self._write.close()


class WakeQueue(Generic[T]):
    """Queues items from a thread for a loop, in order; `fileno` is readable while items wait."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._signal = WakeSignal()

    def fileno(self) -> int:
        return self._signal.fileno()

    def put(self, item: T) -> None:
        self._items.append(item)
        self._signal.set()

    def take_all(self) -> list[T]:
        """Return all waiting items, oldest first; also after `close`."""
        self._signal.clear()
        items = []
        while self._items:
            items.append(self._items.popleft())
        return items

    def close(self) -> None:
        self._signal.close()
