"""A real HTTP server on loopback that serves files as a hub does, and can be told to misbehave."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class FileServer:
    """What is served, and how badly.

    Attributes:
        content: of every path that ends in `name`.
        ranges: whether Range is honoured. etag: sent with the bytes; empty for none.
        cut_after: closes a connection after so many bytes of the body, as often as `cuts`.
        bytes_per_s: at most so fast; 0: no limit.
        status: of every answer, where it is not the usual one; error_code: the hub's own word for it.
        promised: hash and size that the hub's HEAD tells; None: those of the content.
        asked: (method, path, Range header, Authorization header) of each request, in order.
    """

    content: bytes = b""
    name: str = "model.gguf"
    ranges: bool = True
    etag: str = '"one"'
    cut_after: int = 0
    cuts: int = 0
    bytes_per_s: int = 0
    status: int = 0
    error_code: str = ""
    promised: tuple[str, int] | None = None
    content_type: str = "application/octet-stream"
    asked: list[tuple[str, str, str, str]] = field(default_factory=list)
    address: str = ""

    @property
    def url(self) -> str:
        """Address of the file itself."""
        return f"{self.address}/files/{self.name}"

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def gets(self) -> list[str]:
        """Range header of each GET that was not led elsewhere."""
        return [span for method, path, span, _ in self.asked if method == "GET" and "/resolve/" not in path]


class _Handler(BaseHTTPRequestHandler):
    server_version = "files"
    protocol_version = "HTTP/1.1"
    files: FileServer

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def end_headers(self) -> None:
        self.send_header("Connection", "close")  # else a client that keeps connections asks on a dead one
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self, *, body: bool) -> None:
        files = self.files
        self.close_connection = True
        files.asked.append(
            (self.command, self.path, self.headers.get("Range", ""), self.headers.get("Authorization", ""))
        )
        if files.status:
            self._plain(files.status, {"X-Error-Code": files.error_code} if files.error_code else {})
        elif not self.path.split("?")[0].endswith(files.name):
            self._plain(404, {"X-Error-Code": "EntryNotFound"})
        elif "/resolve/" in self.path:
            self._lead_on()
        else:
            self._send(body=body)

    def _plain(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _lead_on(self) -> None:
        """As the hub does: its own headers, and the bytes from another host."""
        sha256, size = self.files.promised or (self.files.sha256, len(self.files.content))
        port = self.files.address.rpartition(":")[2]
        headers = {
            "Location": f"http://localhost:{port}/files/{self.files.name}?signed=1",
            "X-Linked-Etag": f'"{sha256}"',
            "X-Linked-Size": str(size),
            "X-Repo-Commit": "0" * 40,
            "ETag": '"pointer"',
        }
        self._plain(302, headers)

    def _send(self, *, body: bool) -> None:
        files = self.files
        start = self._start()
        if start > 0 and start >= len(files.content):
            self._plain(416, {"Content-Range": f"bytes */{len(files.content)}"})
            return
        piece = files.content[start:]
        self.send_response(206 if start else 200)
        if start:
            end = len(files.content)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
        if files.etag:
            self.send_header("ETag", files.etag)
        self.send_header("Content-Type", files.content_type)
        self.send_header("Content-Length", str(len(piece)))
        self.end_headers()
        if not body:
            return
        if files.cuts > 0:
            files.cuts -= 1
            piece = piece[: files.cut_after]
        step = max(1, files.bytes_per_s // 50) if files.bytes_per_s else len(piece)
        for place in range(0, len(piece), max(1, step)):
            try:
                self.wfile.write(piece[place : place + step])
            except OSError:  # whoever asked is gone
                return
            if files.bytes_per_s:
                time.sleep(0.02)

    def _start(self) -> int:
        files = self.files
        asked = self.headers.get("Range", "").removeprefix("bytes=").partition("-")[0]
        unchanged = self.headers.get("If-Range", files.etag) == files.etag
        return int(asked) if files.ranges and asked.isdigit() and unchanged else 0


@contextmanager
def serving() -> Iterator[FileServer]:
    """A running server; what it does is changed by its attributes."""
    files = FileServer()
    handler = type("Handler", (_Handler,), {"files": files})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    files.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield files
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
