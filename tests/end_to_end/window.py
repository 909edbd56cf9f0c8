"""A small SDL game for these tests: a bar moves at 30 Hz, and whatever input reaches it is a line of its log.

Run as a program: `python window.py --title TITLE --log FILE`. With `--steered` its time can be held still
from outside, by the socket of link.game_control; each input's line says how much of its time had passed.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
os.environ.setdefault("SDL_VIDEODRIVER", "x11")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pygame

_SIZE = (320, 240)
_FPS = 30


class GameTime:
    """Passes as ever until somebody at the socket holds it still."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self._turn = threading.Lock()
        self._passed_ms = 0.0
        self._since_s: float | None = time.monotonic()
        self._most_ms: float | None = None

    def now_ms(self) -> float:
        """How much of it has passed; stands still by itself where it was let go for a while only."""
        with self._turn:
            if self._since_s is None:
                return self._passed_ms
            ran_ms = (time.monotonic() - self._since_s) * 1000
            if self._most_ms is None or ran_ms < self._most_ms:
                return self._passed_ms + ran_ms
            self._passed_ms += self._most_ms
            self._since_s = None
            return self._passed_ms

    def serve(self, path: str) -> None:
        """Listen there, on a thread."""
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(path)
        server.listen()
        threading.Thread(target=self._accept, args=(server,), daemon=True).start()

    def _accept(self, server: socket.socket) -> None:
        while True:
            client, _ = server.accept()
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        for line in client.makefile("r"):
            word = json.loads(line)
            if word["do"] in ("pause", "resume"):
                self._steer(word["do"], word.get("ms"))
            message = {"ok": True, "paused": self._since_s is None, "game_ms": self.now_ms()}
            client.sendall(json.dumps(message).encode() + b"\n")

    def _steer(self, word: str, ms: float | None) -> None:
        now_ms = self.now_ms()
        with self._turn:
            self._passed_ms, self._most_ms = now_ms, ms
            self._since_s = time.monotonic() if word == "resume" else None
        self._log.write(json.dumps({"kind": word, "ms": ms, "game_ms": now_ms}) + "\n")


def main() -> int:
    """Draw and log until the window is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--steered", action="store_true")
    parser.add_argument("--replaces", action="store_true", help="its first window, as SDL does at times")
    options = parser.parse_args()
    pygame.display.init()
    if options.replaces:
        _draw(pygame.display.set_mode(_SIZE), 0)
        time.sleep(0.8)
        pygame.display.quit()
        time.sleep(0.3)
        pygame.display.init()
    screen = pygame.display.set_mode(_SIZE, pygame.RESIZABLE)
    pygame.display.set_caption(options.title)
    clock = pygame.time.Clock()
    with options.log.open("a", encoding="utf-8", buffering=1) as log:
        game_time = GameTime(log)
        if options.steered:
            game_time.serve(os.environ["PITWALL_CONTROL"])
        while True:
            for event in pygame.event.get():
                if event.type == pygame.QUIT:
                    return 0
                if (line := _line(event)) is not None:
                    log.write(json.dumps({**line, "game_ms": game_time.now_ms()}) + "\n")
            _draw(screen, int(game_time.now_ms() * _FPS / 1000))
            clock.tick(_FPS)


def _line(event: pygame.event.Event) -> dict[str, Any] | None:
    match event.type:
        case pygame.KEYDOWN | pygame.KEYUP:
            kind = "key_down" if event.type == pygame.KEYDOWN else "key_up"
            return {"kind": kind, "key": pygame.key.name(event.key)}
        case pygame.MOUSEBUTTONDOWN | pygame.MOUSEBUTTONUP:
            kind = "mouse_down" if event.type == pygame.MOUSEBUTTONDOWN else "mouse_up"
            return {"kind": kind, "pos": list(event.pos), "size": list(pygame.display.get_window_size())}
    return None


def _draw(surface: pygame.Surface, number: int) -> None:
    width, height = surface.get_size()
    surface.fill((20, 24, 32))
    x = number * 7 % width
    pygame.draw.rect(surface, (230, 180, 60), (x, height // 4, width // 4, height // 2))
    pygame.display.flip()


if __name__ == "__main__":
    sys.exit(main())
