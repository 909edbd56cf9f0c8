"""A real HTTP server on loopback that answers chats as a test's function says, and keeps the requests."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Answer = tuple[int, Any] | list[Any] | bytes
"""A status with its JSON; a list of streamed JSON objects; or the bytes of a whole event stream."""
Way = Callable[[dict[str, Any]], Answer]


class EndpointServer:
    """Serves one way of answering. `asked` keeps the bodies, `headers` what is sent with a refusal."""

    def __init__(self) -> None:
        self.way: Way = lambda _: reply("ok")
        self.asked: list[dict[str, Any]] = []
        self.authorised: list[str | None] = []
        self.headers: dict[str, str] = {}
        self.paths: list[str] = []
        self.address = ""


def reply(text: object, finish: str | None = "stop", **more: object) -> list[Any]:
    """Return the events of a reply in two parts."""
    return [
        {"choices": [{"delta": {"role": "assistant", "content": text, **more}, "finish_reason": None}]},
        {"choices": [{"delta": {}, "finish_reason": finish}]},
    ]


@contextmanager
def serving() -> Iterator[EndpointServer]:
    """Serve until the block ends."""
    endpoint = EndpointServer()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.asked.append(body)
            endpoint.paths.append(self.path)
            endpoint.authorised.append(self.headers["Authorization"])
            answer = endpoint.way(body)
            status, kind = 200, "text/event-stream"
            if isinstance(answer, tuple):
                status, value = answer
                kind = "text/html" if isinstance(value, bytes) else "application/json"
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
            elif isinstance(answer, list):
                events = [f"data: {json.dumps(event)}\n\n" for event in answer]
                data = "".join([*events, "data: [DONE]\n\n"]).encode()
            else:
                data = answer
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, text in endpoint.headers.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    endpoint.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
