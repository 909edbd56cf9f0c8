"""A game that is steered through its control socket, as the engine's clock does it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path


class Steered:
    """A game's end of the control socket: carries out its orders and keeps them."""

    def __init__(self, path: Path) -> None:
        self.words: list[tuple[str, float | None]] = []
        self.answers = threading.Event()
        self.answers.set()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(str(path))
        self._server.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.close()
        self._thread.join(60)

    def _serve(self) -> None:
        client, _ = self._server.accept()
        with client, client.makefile("r") as lines:
            for line in lines:
                word = json.loads(line)
                if word["do"] != "status":
                    self.words.append((word["do"], word.get("ms")))
                self.answers.wait(60)
                client.sendall(b'{"ok": true}\n')


def until(probe: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not probe():
        assert time.monotonic() < deadline
        time.sleep(0.002)
