"""A small client of Chromium's debugging protocol over an inherited pipe, to which nobody else can connect.

Messages are JSON, each ended by a NUL byte (`--remote-debugging-pipe`: Chromium reads its descriptor 3 and
writes its descriptor 4).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

from pitwall.core.bounded_reading import foreign_json
from pitwall.core.errors import PitwallError

_MOST_BYTES = 64 * 1024 * 1024
_ANSWER_S = 30.0

Parameters = dict[str, Any]
Listener = Callable[[Parameters], None]


class BrowserGone(PitwallError):
    """The browser's end of the pipe is closed."""


class CdpError(PitwallError):
    """The browser refused a command, or did not answer it."""


class Cdp:
    """Talks the debugging protocol with one browser.

    Args:
        reader: reads from the browser. write_fd: writes to the browser; blocking, because its buffer is soon
            emptied.
    """

    def __init__(self, reader: asyncio.StreamReader, write_fd: int) -> None:
        self._reader = reader
        self._write_fd = write_fd
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Parameters]] = {}
        self._listeners: dict[tuple[str, str], Listener] = {}
        self._pump = asyncio.ensure_future(self._read_on())
        self._pump.add_done_callback(_forgotten)

    @classmethod
    async def over(cls, read_fd: int, write_fd: int) -> Cdp:
        """Make a client over this process's ends of the pipes, which it then owns."""
        reader = asyncio.StreamReader(limit=_MOST_BYTES)
        file = os.fdopen(read_fd, "rb", buffering=0)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
        return cls(reader, write_fd)

    @property
    def ended(self) -> asyncio.Future[None]:
        """Return a future that is done once the browser has closed its end."""
        return self._pump

    def on(self, event: str, listener: Listener, session: str = "") -> None:
        """Call `listener` with the parameters of each such event, of one session if it is given."""
        self._listeners[event, session] = listener

    async def call(
        self, method: str, session: str = "", *, timeout_s: float = _ANSWER_S, **parameters: Any
    ) -> Parameters:
        """Send a command and wait for its result.

        Raises:
            BrowserGone: the browser's end is closed.
            CdpError: the browser refused, or did not answer in time.
        """
        answer = self._send(method, session, parameters)
        try:
            return await asyncio.wait_for(answer, timeout_s)
        except TimeoutError:
            raise CdpError(f"the browser did not answer {method} within {timeout_s:g} s.") from None

    def notify(self, method: str, session: str = "", **parameters: Any) -> None:
        """Send a command without waiting for its answer."""
        try:
            self._send(method, session, parameters)
        except BrowserGone:
            return

    def close(self) -> None:
        """Close this end; the browser then ends."""
        self._pump.cancel()
        if self._write_fd >= 0:
            os.close(self._write_fd)
            self._write_fd = -1

    def _send(self, method: str, session: str, parameters: Parameters) -> asyncio.Future[Parameters]:
        self._number += 1
        message: Parameters = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        if self._pump.done() or self._write_fd < 0:
            raise BrowserGone("the browser is gone.")
        answer: asyncio.Future[Parameters] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_forgotten)  # a caller that was cancelled does not hear of it
        self._waiting[self._number] = answer
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._write_fd, data) :]
        except OSError:
            self._waiting.pop(self._number, None)
            raise BrowserGone("the browser is gone.") from None
        return answer

    async def _read_on(self) -> None:
        try:
            while True:
                text = await self._reader.readuntil(b"\0")
                self._take(foreign_json(text[:-1]))
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(BrowserGone("the browser is gone."))
            self._waiting.clear()

    def _take(self, message: Parameters) -> None:
        if "id" in message:
            answer = self._waiting.pop(message["id"], None)
            if answer is None or answer.done():
                return
            if "error" in message:
                answer.set_exception(CdpError(f"the browser refused: {message['error'].get('message', '')}."))
            else:
                answer.set_result(message.get("result", {}))
            return
        listener = self._listeners.get((message.get("method", ""), message.get("sessionId", "")))
        if listener is not None:
            listener(message.get("params", {}))


def _forgotten(answer: asyncio.Future[Any]) -> None:
    if not answer.cancelled():
        answer.exception()
