"""The page's server on a free port of this machine, in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall_night.watch.guard import Guard
from pitwall_night.watch.page import routes
from pitwall_night.watch.server import Route, Server
from pitwall_night.watch.sight import Sight

TOKEN = "a-token-that-nobody-guesses"
PATIENCE_S = 20.0


@dataclass
class ServedPage:
    """A running server."""

    port: int = 0
    log: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        """Open a connection from an address of this machine."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_S, (source, 0))

    def raw(self, sent: bytes, source: str = "127.0.0.1") -> bytes:
        """Send bytes; return all that comes until the server closes the connection."""
        with self.connect(source) as client:
            return exchange(client, sent)

    def head(self, path: str, *lines: str, method: str = "GET", token: str = TOKEN) -> bytes:
        """Write a request after which the connection is closed."""
        named = () if any(line.startswith("Host:") for line in lines) else (f"Host: {self.host}",)
        given = (f"Authorization: Bearer {token}",) if token else ()
        head = (f"{method} {path} HTTP/1.1", *named, *given, *lines, "Connection: close", "", "")
        return "\r\n".join(head).encode("latin-1")

    def request(
        self, path: str, *lines: str, method: str = "GET", token: str = TOKEN, source: str = "127.0.0.1"
    ) -> tuple[int, bytes]:
        """Send a request; return the answer's status and whole text."""
        answer = self.raw(self.head(path, *lines, method=method, token=token), source)
        return int(answer.split(b" ", 2)[1]) if answer else 0, answer


def exchange(client: socket.socket, sent: bytes) -> bytes:
    """Send bytes and read until the connection ends."""
    received = b""
    with contextlib.suppress(ConnectionError):
        client.sendall(sent)
        while part := client.recv(65_536):
            received += part
    return received


@contextlib.contextmanager
def served(
    data: DataFolder,
    *,
    allow_stop: bool = False,
    tls: ssl.SSLContext | None = None,
    more: dict[str, Route] | None = None,
    request_s: float = PATIENCE_S,
    send_s: float = PATIENCE_S,
) -> Iterator[ServedPage]:
    """Serve the page of a data folder, and paths of a test."""
    page, sight = ServedPage(), Sight(data)
    loop, ready = asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        paths = routes(data, sight, language="en", allow_stop=allow_stop, done=page.log.append)
        guard = Guard(TOKEN, frozenset(), "http")
        server = Server(paths | (more or {}), guard, page.log.append, request_s, send_s)
        async with await server.listen("127.0.0.1", 0, tls) as listening:
            page.port = listening.sockets[0].getsockname()[1]
            server.guard = Guard(TOKEN, frozenset({page.host}), "https" if tls else "http")
            ready.set()
            with contextlib.suppress(asyncio.CancelledError):
                await listening.serve_forever()

    task = loop.create_task(serve())
    thread = threading.Thread(target=loop.run_until_complete, args=(task,))
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield page
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        for other in asyncio.all_tasks(loop):
            other.cancel()
        loop.run_until_complete(asyncio.sleep(0.05))
        loop.close()
        sight.close()


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate of one's own, and its key."""
    key, made = folder / "key.pem", folder / "certificate.pem"
    words = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    words += ["-subj", "/CN=localhost", "-keyout", str(key), "-out", str(made)]
    subprocess.run(words, check=True, capture_output=True)
    return made, key
