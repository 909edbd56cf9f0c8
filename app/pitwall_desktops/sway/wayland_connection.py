"""Speaks Wayland's wire protocol over one socket: requests out, events in, files passed along.

Only what capture and broker need is here: objects are numbers, requests and events have the numbers that
their protocols give them, and the creator of an object handles its events.
"""

from __future__ import annotations

import array
import contextlib
import os
import select
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pitwall.core.errors import DisplayError

_DISPLAY, _REGISTRY = 1, 2
_SYNC, _GET_REGISTRY = 0, 1
_ERROR, _DELETE_ID = 0, 1
_BIND = 0
_GLOBAL = 0
_HEADER = struct.Struct("=IHH")
_ANSWER_S = 5.0
_FIX = "Start Pitwall again inside the Wayland session of the game."

Argument = int | str | float
Handler = Callable[["Event"], None]


class Event:
    """Holds one event of an object: its number in its interface, and its arguments to be read in order."""

    def __init__(self, opcode: int, body: bytes) -> None:
        self.opcode = opcode
        self._body, self._at = body, 0

    def unsigned(self) -> int:
        (value,) = struct.unpack_from("=I", self._body, self._at)
        self._at += 4
        return int(value)

    def text(self) -> str:
        length = self.unsigned()
        raw = self._body[self._at : self._at + max(0, length - 1)]
        self._at += (length + 3) & ~3
        return raw.decode("utf-8", "replace")


class WaylandConnection:
    """One client of the compositor that $WAYLAND_DISPLAY names.

    Attributes:
        globals: interface → (number, version) of each that the compositor offers.

    Raises:
        DisplayError: it cannot be reached; (by every method) it ended, or it refused a request.
    """

    def __init__(self) -> None:
        self.globals: dict[str, list[tuple[int, int]]] = {}
        self._next_id = _REGISTRY
        self._free: list[int] = []
        self._handlers: dict[int, Handler] = {_DISPLAY: self._on_display}
        self._part = bytearray()
        self._socket = _connected()
        self.request(_DISPLAY, _GET_REGISTRY, "n", self.new_id(self._on_registry))
        self.roundtrip()

    def fileno(self) -> int:
        return self._socket.fileno()

    def new_id(self, handler: Handler | None = None) -> int:
        """Number a new object; `handler` takes its events."""
        number = self._free.pop() if self._free else self._next_id
        self._next_id += number == self._next_id
        if handler is not None:
            self._handlers[number] = handler
        return number

    def forget(self, number: int) -> None:
        """Drop the handler of an object that was destroyed."""
        self._handlers.pop(number, None)

    def bind(self, interface: str, version: int, handler: Handler | None = None, *, which: int = 0) -> int:
        """Return an object for an interface, in at most this version; 0 if the compositor lacks it.

        Args:
            which: of several.
        """
        offers = self.globals.get(interface, [])
        if which >= len(offers):
            return 0
        name, offered = offers[which]
        number = self.new_id(handler)
        self.request(_REGISTRY, _BIND, "usun", name, interface, min(version, offered), number)
        return number

    def request(self, number: int, opcode: int, kinds: str = "", *values: Argument, fd: int = -1) -> None:
        """Send a request.

        Args:
            kinds: a letter for each value: u, i, n (a new object), o (an object; 0 for none), s (text),
                f (a number with a fraction).
            fd: a file that goes along.
        """
        body = b"".join(_packed(kind, value) for kind, value in zip(kinds, values, strict=True))
        message = _HEADER.pack(number, opcode, _HEADER.size + len(body)) + body
        files = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))] if fd >= 0 else []
        with _kept():
            while message:
                try:
                    message = message[self._socket.sendmsg([message], files) :]
                    files = []
                except BlockingIOError:
                    select.select([], [self._socket], [], _ANSWER_S)

    def dispatch(self) -> None:
        """Handle every event that has come; never waits."""
        with _kept():
            while True:
                try:
                    data = self._socket.recv(1 << 16)
                except BlockingIOError:
                    break
                if not data:
                    raise DisplayError("the Wayland session was lost: its compositor ended.", _FIX)
                self._part += data
        self._handle_whole()

    def roundtrip(self) -> None:
        """Wait until everything sent so far was carried out."""
        done: list[bool] = []
        self.request(_DISPLAY, _SYNC, "n", self.new_id(lambda _: done.append(True)))
        if not self.wait(lambda: bool(done), _ANSWER_S):
            raise DisplayError("the Wayland compositor does not answer.", _FIX)

    def wait(self, over: Callable[[], bool], seconds: float) -> bool:
        """Handle events until `over` holds, at most for this long; return whether it holds."""
        until = time.monotonic() + seconds
        self.dispatch()
        while not over():
            left = until - time.monotonic()
            if left <= 0:
                return False
            select.select([self._socket], [], [], left)
            self.dispatch()
        return True

    def close(self) -> None:
        self._socket.close()

    # ---- inside

    def _handle_whole(self) -> None:
        while len(self._part) >= _HEADER.size:
            number, opcode, size = _HEADER.unpack_from(self._part)
            if len(self._part) < size:
                return
            body = bytes(self._part[_HEADER.size : size])
            del self._part[:size]
            if handler := self._handlers.get(number):
                handler(Event(opcode, body))

    def _on_display(self, event: Event) -> None:
        if event.opcode == _DELETE_ID:
            number = event.unsigned()
            self._handlers.pop(number, None)
            self._free.append(number)
        elif event.opcode == _ERROR:
            event.unsigned()
            event.unsigned()
            raise DisplayError(f"the Wayland compositor refused a request: {event.text()}.", _FIX)

    def _on_registry(self, event: Event) -> None:
        if event.opcode == _GLOBAL:
            name, interface = event.unsigned(), event.text()
            self.globals.setdefault(interface, []).append((name, event.unsigned()))


def _packed(kind: str, value: Argument) -> bytes:
    if kind == "s":
        raw = str(value).encode() + b"\0"
        return struct.pack("=I", len(raw)) + raw + b"\0" * (-len(raw) % 4)
    if kind == "f":
        return struct.pack("=i", round(float(value) * 256))
    return struct.pack("=i" if kind == "i" else "=I", value)


def _connected() -> socket.socket:
    name = os.environ.get("WAYLAND_DISPLAY", "")
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    path = Path(name) if name.startswith("/") else Path(folder) / name
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        sock.connect(str(path))
    except OSError:
        sock.close()
        raise DisplayError(f"the Wayland session {str(path)!r} cannot be reached.", _FIX) from None
    sock.setblocking(False)
    return sock


@contextlib.contextmanager
def _kept() -> Iterator[None]:
    """Turn the loss of the compositor into a DisplayError."""
    try:
        yield
    except (BrokenPipeError, ConnectionResetError):
        raise DisplayError("the Wayland session was lost: its compositor ended.", _FIX) from None
