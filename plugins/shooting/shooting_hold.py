"""Pauses the fight's time for clients of the socket that $PITWALL_CONTROL names.

One request a line as JSON, one answer a line: {"do": "pause"}, {"do": "resume", "ms": 250}, {"do": "status"}.
"""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path


class HeldTime:
    """Decides whether time passes; paused and resumed from outside.

    Args:
        path: socket to listen on; empty: time always passes.
    """

    def __init__(self, path: str) -> None:
        self._turn = threading.Lock()
        self._left_ms: float | None = None
        self._held = False
        self._passed_ms = 0.0
        if path:
            Path(path).unlink(missing_ok=True)
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            server.bind(path)
            server.listen()
            threading.Thread(target=self._accept, args=(server,), daemon=True).start()

    def passes(self, ms: float) -> bool:
        """Return whether time may pass, and count this much of it."""
        with self._turn:
            if self._held:
                return False
            self._passed_ms += ms
            if self._left_ms is not None:
                self._left_ms -= ms
                self._held = self._left_ms <= 0
            return True

    def _accept(self, server: socket.socket) -> None:
        while True:
            client, _ = server.accept()
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client, client.makefile("r") as lines:
            for line in lines:
                client.sendall(json.dumps(self._do(line)).encode() + b"\n")

    def _do(self, line: str) -> dict[str, object]:
        try:
            word = json.loads(line)
            do, ms = word["do"], word.get("ms")
        except (ValueError, TypeError, KeyError, AttributeError):
            return {"ok": False, "what": "this is no request."}
        if do not in ("pause", "resume", "status"):
            return {"ok": False, "what": f"it cannot {do}."}
        with self._turn:
            if do == "resume":
                self._held, self._left_ms = False, ms
            elif do == "pause":
                self._held = True
            return {"ok": True, "paused": self._held, "game_ms": self._passed_ms}
