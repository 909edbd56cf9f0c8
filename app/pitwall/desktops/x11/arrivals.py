"""Sees which input the X server hands to a window's program (extension RECORD).

A press that was sent need not arrive: a program gets only what it selected, core events or XInput2's. RECORD
shows both as the server writes them to the program (of XInput2's the first 32 bytes, which name the window).
"""

from __future__ import annotations

import contextlib
import select
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import xcffib
import xcffib.record
from xcffib import c_free, ffi, lib

from pitwall.core.errors import DisplayError
from pitwall.desktops.contract import Arrivals, Arriving
from pitwall.desktops.x11.display import KEY_PRESS, MOTION, gone

_GENERIC_EVENT = 35
_KINDS: dict[int, Arriving] = {KEY_PRESS: "key", MOTION: "pointer", MOTION + 1: "pointer"}
"""Events by their numbers, which XInput2 gives its own too; the last is a pointer that enters a window."""
_CORE_WINDOW, _XI_KIND, _XI_WINDOW = 12, 8, 24
"""Byte offsets: of a core event's window, and of an XInput2 event's kind and window."""
_FROM_SERVER, _BEGUN = 0, 4
_HEAD, _EVENT = 32, 32
_BEGINS_S = 2.0
_DEEPEST = 32


@contextlib.contextmanager
def watch_x11_arrivals(window: int) -> Iterator[Arrivals]:
    """See `Desktop.watch_arrivals`."""
    recording = None
    try:
        recording = _Recording(window)
        yield recording
    except xcffib.XcffibException as error:
        raise DisplayError(f"this X server does not show what arrives: {error!r}.") from error
    finally:
        if recording is not None:
            recording.close()


def server_version() -> str:
    """Return the X server's maker and release.

    Raises:
        DisplayError: it cannot be reached.
    """
    try:
        connection = xcffib.connect()
    except xcffib.XcffibException as error:
        raise gone(error) from error
    try:
        setup = connection.get_setup()
        return f"{setup.vendor.to_string()} {setup.release_number}"
    finally:
        connection.disconnect()


class _Recording:
    """See `Arrivals`."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._control, self._data = xcffib.connect(), xcffib.connect()
        name = "XInputExtension"
        self._xinput = self._control.core.QueryExtension(len(name), name).reply().major_opcode
        record: Any = self._control(xcffib.record.key)
        context = self._control.generate_id()
        record.CreateContextChecked(context, 0, 1, 1, [window], [_delivered_events()]).check()
        self._number: int = self._data(xcffib.record.key).EnableContext(context).sequence
        self._data.flush()
        self._begun = False
        self._come: set[Arriving] = set()
        self._reply, self._failure = ffi.new("void **"), ffi.new("xcb_generic_error_t **")
        self._wait(lambda: self._begun, _BEGINS_S)

    def any(self, kind: Arriving, timeout_s: float) -> bool:
        self._wait(lambda: kind in self._come, timeout_s)
        return kind in self._come

    def close(self) -> None:
        for connection in (self._data, self._control):
            connection.disconnect()

    def _wait(self, over: Callable[[], bool], timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        while not over():
            if self._read():
                continue
            left = until - time.monotonic()
            if left <= 0:
                return
            select.select([self._data.get_file_descriptor()], [], [], left)

    def _read(self) -> bool:
        """Take in the next part of the recording; return whether there was one."""
        self._data.invalid()
        if not lib.xcb_poll_for_reply(self._data._conn, self._number, self._reply, self._failure):
            return False
        reply = self._reply[0]
        if reply == ffi.NULL:
            self._data._process_error(ffi.gc(self._failure[0], c_free))
            return False
        (words,) = struct.unpack_from("=I", ffi.buffer(reply, _HEAD), 4)
        whole = bytes(ffi.buffer(reply, _HEAD + 4 * words))
        c_free(reply)
        self._begun = self._begun or whole[1] == _BEGUN
        if whole[1] == _FROM_SERVER:
            self._take(whole[_HEAD:])
        return True

    def _take(self, events: bytes) -> None:
        for at in range(0, len(events) - _EVENT + 1, _EVENT):
            number, place = events[at] & 0x7F, _CORE_WINDOW
            if number == _GENERIC_EVENT and events[at + 1] == self._xinput:
                number, place = events[at + _XI_KIND], _XI_WINDOW
            (window,) = struct.unpack_from("=I", events, at + place)
            if number in _KINDS and self._is_inside(window):
                self._come.add(_KINDS[number])

    def _is_inside(self, window: int) -> bool:
        """Return whether this is the watched window or one in it."""
        for _ in range(_DEEPEST):
            if window == self._window:
                return True
            try:
                window = self._control.core.QueryTree(window).reply().parent
            except xcffib.Error:
                return False
        return False


def _delivered_events() -> xcffib.record.Range:
    """Return what to record: events as a program gets them."""
    nothing = xcffib.record.Range8.synthetic(0, 0)
    no_request = xcffib.record.ExtRange.synthetic(nothing, xcffib.record.Range16.synthetic(0, 0))
    events = xcffib.record.Range8.synthetic(KEY_PRESS, _GENERIC_EVENT)
    return xcffib.record.Range.synthetic(
        nothing, nothing, no_request, no_request, events, nothing, nothing, False, False
    )
