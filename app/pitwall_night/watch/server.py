"""A small HTTPS server for the page: h11 reads and writes HTTP, asyncio holds the connections.

h11 is there already (httpx2 stands on it), parses strictly and leaves time and size to its user; a web
framework would bring its own server, whose slow and many clients could not be limited here.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import h11

from pitwall_night.watch.guard import Guard, Refusal

_REQUEST_S, _SEND_S, _HANDSHAKE_S = 10.0, 10.0, 5.0
_HEADER_BYTES, _BODY_BYTES = 16_384, 1_024
_CONNECTIONS, _CONNECTIONS_EACH, _REQUESTS = 64, 12, 500
_LOG_EVERY_S = 60.0
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'",
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)
_HEADERS = (
    ("Content-Security-Policy", "; ".join(_POLICY)),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request."""

    body: bytes
    kind: str = "application/json"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Route:
    """Answers the requests for one path.

    Attributes:
        answer: takes the request's headers; runs in a thread, one at a time.
        open: answered without a token: it holds nothing of the play.
    """

    answer: Callable[[Mapping[str, str]], Answer]
    method: str = "GET"
    open: bool = False


@dataclass(slots=True)
class Server:
    """Serves routes to the clients that the guard lets in.

    Attributes:
        routes: by path, compared whole: no part of a path ever names a file.
        log: takes lines for the operator, without headers, tokens or paths of a client's own.
        request_s, send_s: longest time to send a whole request, and to read the answer.
    """

    routes: Mapping[str, Route]
    guard: Guard
    log: Callable[[str], None]
    request_s: float = _REQUEST_S
    send_s: float = _SEND_S
    _open: Counter[str] = field(default_factory=Counter)
    _logged: dict[tuple[str, int], float] = field(default_factory=dict)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def listen(self, address: str, port: int, tls: ssl.SSLContext | None) -> asyncio.Server:
        """Begin to serve.

        Raises:
            OSError: the address cannot be listened on.
        """
        patience = {"ssl_handshake_timeout": _HANDSHAKE_S, "ssl_shutdown_timeout": 1.0} if tls else {}
        return await asyncio.start_server(
            self._connected, address, port, limit=_HEADER_BYTES, backlog=128, ssl=tls, **patience
        )

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = str((writer.get_extra_info("peername") or ("unknown",))[0])
        if self._open.total() >= _CONNECTIONS or self._open[peer] >= _CONNECTIONS_EACH:
            self._log_refusal(peer, Refusal(503, "too many connections."))
            writer.transport.abort()
            return
        self._open[peer] += 1
        writer.transport.set_write_buffer_limits(1)  # drain waits until all is sent; TLS never resumes at 0
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEADER_BYTES)
        try:
            for _ in range(_REQUESTS):
                if not await self._exchange(connection, reader, writer, peer):
                    break
        except (TimeoutError, OSError, h11.LocalProtocolError):
            pass
        finally:
            self._open[peer] -= 1
            if not self._open[peer]:
                del self._open[peer]
            writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()

    async def _exchange(
        self,
        connection: h11.Connection,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: str,
    ) -> bool:
        """Read a request and answer it; return whether another may follow."""
        try:
            request = await asyncio.wait_for(_whole_request(connection, reader), self.request_s)
        except h11.RemoteProtocolError as error:
            refusal = Refusal(error.error_status_hint, "this is no HTTP request that is understood.")
            self._log_refusal(peer, refusal)
            await self._send(connection, writer, _refused(refusal))
            return False
        if request is None:
            return False
        answer = await self._answer(request, peer)
        await self._send(connection, writer, answer, head=request.method == b"HEAD")
        if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
            return False
        connection.start_next_cycle()
        return True

    async def _answer(self, request: h11.Request, peer: str) -> Answer:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers}
        now_s = time.monotonic()
        route = self.routes.get(request.target.partition(b"?")[0].decode("latin-1"))
        refusal = self.guard.refuses_host(headers, peer, now_s)
        if refusal is None and route is None:
            refusal = Refusal(404, "there is no such page.")
        if refusal is None and route is not None:
            if request.method.decode() not in (route.method, "HEAD" if route.method == "GET" else ""):
                refusal = Refusal(405, f"this path takes {route.method}.")
            elif not route.open:
                refusal = self.guard.refuses_data(headers, peer, now_s)
        if refusal is not None or route is None:
            self._log_refusal(peer, refusal or Refusal(404, ""))
            return _refused(refusal or Refusal(404, ""))
        async with self._one_at_a_time:
            return await asyncio.to_thread(route.answer, headers)

    async def _send(
        self, connection: h11.Connection, writer: asyncio.StreamWriter, answer: Answer, *, head: bool = False
    ) -> None:
        if connection.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [("Content-Type", answer.kind), ("Content-Length", str(len(answer.body))), *_HEADERS]
        if answer.status == 401:
            headers.append(("WWW-Authenticate", "Bearer"))
        body = b"" if head else answer.body
        parts = [connection.send(h11.Response(status_code=answer.status, headers=headers))]
        parts += [connection.send(h11.Data(data=body)), connection.send(h11.EndOfMessage())]
        writer.write(b"".join(part for part in parts if part))
        with contextlib.suppress(ConnectionError):
            await asyncio.wait_for(writer.drain(), self.send_s)

    def _log_refusal(self, peer: str, refusal: Refusal) -> None:
        """Log each kind of refusal once a minute for an address."""
        now_s = time.monotonic()
        self._logged = {key: at_s for key, at_s in self._logged.items() if now_s - at_s < _LOG_EVERY_S}
        if (peer, refusal.status) not in self._logged:
            self._logged[peer, refusal.status] = now_s
            self.log(f"{peer} was refused ({refusal.status}): {refusal.why}")


async def _whole_request(connection: h11.Connection, reader: asyncio.StreamReader) -> h11.Request | None:
    """Read a request and drop its body; None: the client is gone.

    Raises:
        RemoteProtocolError: it is no request, or too long.
    """
    request: h11.Request | None = None
    size = 0
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(_HEADER_BYTES))
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            size += len(event.data)
            if size > _BODY_BYTES:
                raise h11.RemoteProtocolError("the body is too long", 413)
        elif isinstance(event, h11.EndOfMessage):
            return request
        else:  # ConnectionClosed, PAUSED
            return None


def _refused(refusal: Refusal) -> Answer:
    return Answer(f"{refusal.why}\n".encode(), "text/plain; charset=utf-8", refusal.status)
