"""Reads standard input in a thread, because Windows can select sockets only."""

from __future__ import annotations

import contextlib
import queue
import threading
from typing import IO

_PIECE = 1 << 16
UNTIL_INPUT_ENDS = "--until-input-ends"
"""Option of a command that ends when its standard input ends."""


class InputReader:
    """Takes a file's bytes as they come.

    Args:
        source: read without its buffer, by a thread that ends with it or with the process.
    """

    def __init__(self, source: IO[bytes]) -> None:
        self._source = getattr(source, "raw", source)
        self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    def next(self, timeout_s: float) -> bytes | None:
        """Return the next bytes; empty: the input has ended; None: nothing came in time."""
        try:
            piece = self._came.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if not piece:
            self._came.put(piece)  # once ended, it stays so
        return piece

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # its other end, or the terminal, went
            while piece := self._source.read(_PIECE):
                self._came.put(piece)
        self._came.put(b"")
