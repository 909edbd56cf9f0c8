"""Replies of the workers on their way to the main thread, which alone touches the channel."""

from __future__ import annotations

import threading
from collections import deque

from pitwall.link.wake_queue import WakeSignal
from pitwall.models.host_requests import HostReply, Streamed

Reply = tuple[HostReply, bytes]


class Outbox:
    """Replies on their way. Any thread may put; one thread takes, woken through `fileno`.

    Pieces of a reply that is being written are gathered until they are taken: a slow reader gets
    fewer and longer ones.
    """

    def __init__(self) -> None:
        self._signal = WakeSignal()
        self._lock = threading.Lock()
        self._ready: deque[Reply] = deque()
        self._pieces: dict[int, tuple[list[str], int]] = {}

    def fileno(self) -> int:
        return self._signal.fileno()

    @property
    def has_pieces(self) -> bool:
        return bool(self._pieces)

    def put(self, reply: HostReply, blob: bytes = b"") -> None:
        """Put a reply; the pieces of the same one go before it."""
        with self._lock:
            if reply.request_id in self._pieces:
                self._ready.append((self._gathered(reply.request_id), b""))
            self._ready.append((reply, blob))
            self._signal.set()

    def put_piece(self, request_id: int, text: str, tokens: int) -> None:
        """Put a piece of a reply; `tokens` so far. Only the first one waiting wakes the reader."""
        with self._lock:
            known = self._pieces.get(request_id)
            if known is None:
                self._pieces[request_id] = ([text], tokens)
                self._signal.set()
            else:
                known[0].append(text)
                self._pieces[request_id] = (known[0], tokens)

    def take(self, *, pieces: bool) -> list[Reply]:
        """Take the ready replies, in order; `pieces`: also the gathered parts of replies being written."""
        with self._lock:
            self._signal.clear()
            replies = list(self._ready)
            self._ready.clear()
            if pieces:
                replies += [(self._gathered(number), b"") for number in list(self._pieces)]
            return replies

    def close(self) -> None:
        """Stop waking the reader."""
        with self._lock:
            self._signal.close()

    def _gathered(self, request_id: int) -> Streamed:
        parts, tokens = self._pieces.pop(request_id)
        return Streamed(request_id=request_id, text="".join(parts), tokens=tokens)
