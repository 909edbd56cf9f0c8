"""A fast connection to the X server for every frame: requests are laid out once, answers stay bytes.

xcffib builds an object for each request, reply and event; with cold caches that takes longer than the
server's answer.
"""

from __future__ import annotations

import struct
from typing import Any

import xcffib
import xcffib.damage
from xcffib import c_free, ffi, lib

_REPLY_BYTES = 32
_SENT_BY_CLIENT = 0x80


class Connection(xcffib.Connection):  # type: ignore[misc]
    """Adds `events` to xcffib's connection, and reports of damage as their server time in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        damage = lib.xcb_get_extension_data(self._conn, xcffib.damage.key.c_key)
        self._damage_event = damage.first_event if damage.present else None

    def events(self) -> list[Any]:
        """Return every event that has come, oldest first, errors of unchecked requests among them.

        Raises:
            xcffib.ConnectionException: the server is gone.
        """
        come: list[Any] = []
        while (event := lib.xcb_poll_for_event(self._conn)) != ffi.NULL:
            kind = event.response_type & ~_SENT_BY_CLIENT
            if kind == self._damage_event:
                come.append(DamageReport(ffi.cast("uint32_t *", event)[3]))
                c_free(event)
                continue
            try:
                read = self.hoist_event(ffi.gc(event, c_free))
            except xcffib.Error as error:
                read = error
            if read is not None:
                come.append(read)
        self.invalid()
        return come


class DamageReport(int):
    """The server time, in milliseconds of 32 bits, at which a picture was damaged."""


class PreparedRequest:
    """One kind of request, laid out once and sent many times.

    Args:
        layout: of the fields after the request's head, as `struct` has it; a multiple of four bytes.
        extension: xcffib's key of the request's extension; None: the core protocol.
        answered: the server answers it.
    """

    def __init__(
        self, connection: Any, opcode: int, layout: str = "", *, extension: Any = None, answered: bool = False
    ) -> None:
        self._connection = connection
        self._layout = struct.Struct(f"=4x{layout}")
        self._bytes = ffi.new("char[]", self._layout.size)
        self._buffer = ffi.buffer(self._bytes)
        # The server's library writes before the vector that it is given, and into it.
        self._vector = ffi.new("struct iovec[3]")
        self._request = ffi.new("xcb_protocol_request_t *")
        self._request.count = 1
        self._request.ext = extension.c_key if extension is not None else ffi.NULL
        self._request.opcode = opcode
        self._request.isvoid = not answered
        self._flags = lib.XCB_REQUEST_CHECKED if answered else 0
        self._failure = ffi.new("xcb_generic_error_t **")

    def send(self, *fields: int) -> int:
        """Queue the request with these fields; return the number for its answer.

        Raises:
            xcffib.ConnectionException: the server is gone.
        """
        self._layout.pack_into(self._buffer, 0, *fields)
        part = self._vector[2]
        part.iov_base, part.iov_len = self._bytes, self._layout.size
        number: int = lib.xcb_send_request(
            self._connection._conn, self._flags, self._vector + 2, self._request
        )
        if not number:
            self._connection.invalid()
        return number

    def answer(self, number: int, size: int = _REPLY_BYTES) -> bytes:
        """Wait for the answer to a request; return its first `size` bytes, which it must have.

        Raises:
            xcffib.Error: the server refused it, or is gone.
        """
        reply = lib.xcb_wait_for_reply(self._connection._conn, number, self._failure)
        if reply == ffi.NULL:
            self._connection.invalid()
            failure = ffi.gc(self._failure[0], c_free)
            self._connection._process_error(failure)
        answered = bytes(ffi.buffer(reply, size))
        c_free(reply)
        return answered
