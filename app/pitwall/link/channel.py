"""A channel: typed messages over a socket pair inherited from the parent. No open port.

One message is `uint32 length, uint32 blob length, JSON, blob`. The JSON is a tagged record of a
declared vocabulary, validated on arrival; the blob carries raw bytes where a record
needs them. Sending never blocks unless asked to: messages that do not fit are queued, and those marked
lossy are dropped while a queue is pending, so a frozen reader never slows the writer.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from collections import deque
from typing import Generic, Protocol, TypeVar

from pitwall.core.errors import ChannelClosed, ProtocolError, UnsendableMessage

_HEADER = struct.Struct("!II")
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_MAX_QUEUE_BYTES = 32 * 1024 * 1024

CHANNEL_OPTION = "--channel"
"""Names the inherited socket of a role's channel on its command line."""
STOP_LINE_OPTION = "--stop-line"
"""Names the inherited stop line: a byte, or its end, latches the broker."""

Out = TypeVar("Out")
In = TypeVar("In")
OutOnly = TypeVar("OutOnly", contravariant=True)
InOnly = TypeVar("InOnly", covariant=True)


class Writer(Protocol[OutOnly]):
    """Writes the messages of a vocabulary as JSON."""

    def encode(self, message: OutOnly) -> bytes:
        """Return a message as JSON in UTF-8; raises UnsendableMessage where it has no JSON form."""


class Reader(Protocol[InOnly]):
    """Reads the messages of a vocabulary."""

    def decode(self, body: bytes) -> InOnly:
        """Return the message of a JSON text; raises ProtocolError where it is none of the vocabulary."""


class Channel(Generic[Out, In]):
    """Owns one end of a two-way channel."""

    def __init__(self, sock: socket.socket, out: Writer[Out], into: Reader[In]) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._out = out
        self._in = into
        self._received = bytearray()
        self._queue: deque[memoryview] = deque()
        self._queued_bytes = 0
        self.dropped = 0
        """Lossy messages that were dropped because the reader is slow."""

    def fileno(self) -> int:
        """Return a descriptor for selectors: readable when (part of) a message or the end has come."""
        return self._sock.fileno()

    @property
    def wants_write(self) -> bool:
        """Return whether `flush` has work once the socket is writable."""
        return bool(self._queue)

    def send(self, message: Out, blob: bytes = b"", *, lossy: bool = False) -> None:
        """Send a message, or queue the part that does not fit.

        Raises:
            ChannelClosed: the other end is gone, or has read nothing for 32 MiB.
            UnsendableMessage: it is too big, or has no JSON form; nothing was sent.
        """
        if lossy and self._queue:
            self.flush()
            if self._queue:
                self.dropped += 1
                return
        body = self._out.encode(message)
        if len(body) + len(blob) > MAX_MESSAGE_BYTES:
            raise UnsendableMessage(
                f"a message of {len(body) + len(blob):,} bytes is too big.",
                f"Send at most {MAX_MESSAGE_BYTES:,} bytes.",
            )
        self._push(_HEADER.pack(len(body), len(blob)) + body + blob)

    def flush(self, timeout_s: float = 0.0) -> bool:
        """Send queued messages; return True when nothing is left.

        Raises:
            ChannelClosed: the other end is gone.
        """
        deadline = time.monotonic() + timeout_s
        while self._queue:
            chunk = self._queue[0]
            sent = self._write(chunk)
            self._queued_bytes -= sent
            if sent == len(chunk):
                self._queue.popleft()
                continue
            self._queue[0] = chunk[sent:]
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self._sock], [], left)[1]:
                break
        return not self._queue

    def receive(self) -> list[tuple[In, bytes]]:
        """Return all complete messages that have come, oldest first. Never waits.

        Raises:
            ChannelClosed: the other end is gone and everything it sent was returned.
            ProtocolError: bytes that are no message of this vocabulary.
        """
        closed = self._fill()
        messages: list[tuple[In, bytes]] = []
        view, at = self._received, 0
        while len(view) - at >= _HEADER.size:
            length, blob_length = _HEADER.unpack_from(view, at)
            if length + blob_length > MAX_MESSAGE_BYTES:
                raise ProtocolError(f"a message of {length + blob_length} bytes was announced.")
            end = at + _HEADER.size + length + blob_length
            if len(view) < end:
                break
            start = at + _HEADER.size
            messages.append(
                (self._in.decode(bytes(view[start : start + length])), bytes(view[start + length : end]))
            )
            at = end
        del view[:at]
        if closed and not messages:
            raise ChannelClosed("the process at the other end is gone.")
        return messages

    def wait(self, timeout_s: float | None) -> list[tuple[In, bytes]]:
        """Wait for messages (or the time to pass) and return them; [] after the time.

        Raises:
            ChannelClosed, ProtocolError: as `receive`.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            messages = self.receive()
            if messages:
                return messages
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return []
            writers = [self._sock] if self._queue else []
            _, writable, _ = select.select([self._sock], writers, [], left)
            if writable:
                self.flush()

    def close(self) -> None:
        """Close this end; the other end reads what was sent before, then the end."""
        with contextlib.suppress(ChannelClosed, OSError):
            self.flush(0.2)
        self._sock.close()

    def _push(self, data: bytes) -> None:
        view = memoryview(data)
        if not self._queue:
            view = view[self._write(view) :]
        if view:
            if self._queued_bytes + len(view) > _MAX_QUEUE_BYTES:
                raise ChannelClosed("the process at the other end reads nothing.")
            self._queue.append(view)
            self._queued_bytes += len(view)
            self.flush()

    def _write(self, view: memoryview) -> int:
        try:
            return self._sock.send(view, getattr(socket, "MSG_NOSIGNAL", 0))
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise ChannelClosed("the process at the other end is gone.") from error

    def _fill(self) -> bool:
        while True:
            try:
                data = self._sock.recv(1 << 18)
            except (BlockingIOError, InterruptedError):
                return False
            except OSError:
                return True
            if not data:
                return True
            self._received += data
            if len(data) < 1 << 18:
                return False


def pair() -> tuple[socket.socket, socket.socket]:
    """Return a connected pair of stream sockets; neither is inherited unless it is passed on."""
    a, b = socket.socketpair()
    for sock in (a, b):
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    return a, b
