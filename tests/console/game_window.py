"""Real windows for the console's pages: a pygame game that says what reaches it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.patience import needs_hands

from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.telemetry import WindowSeen

_GAME = """
import json, os, sys
import pygame
pygame.init()
view = pygame.display.set_mode((480, 360), pygame.RESIZABLE)
pygame.display.set_caption(sys.argv[1])
print(json.dumps({"window": pygame.display.get_wm_info()["window"]}), flush=True)
clock = pygame.time.Clock()
while True:
    for event in pygame.event.get():
        if event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            print(json.dumps({"event": pygame.event.event_name(event.type), "at": event.pos}), flush=True)
        elif event.type in (pygame.KEYDOWN, pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED):
            print(json.dumps({"event": pygame.event.event_name(event.type)}), flush=True)
        elif event.type == pygame.QUIT:
            sys.exit()
    view.fill((20, 160, 60))
    pygame.display.flip()
    clock.tick(30)
"""


def wait_until(holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
    """Poll (keeping Qt going, where it is) until a condition holds; fail after the time."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


@dataclass
class GameWindow:
    """A running game: its window and everything it said reached it."""

    process: subprocess.Popen[str]
    title: str
    window_id: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)

    def names(self) -> list[object]:
        return [event["event"] for event in self.events]

    def rect(self) -> Rect:
        """Client area in screen pixels, as the X server has it."""
        import xcffib.xproto

        x: Any = xcffib
        connection = x.connect(display=os.environ["DISPLAY"])
        try:
            root = connection.get_setup().roots[0].root
            core = x.xproto.xprotoExtension(connection)
            size = core.GetGeometry(self.window_id).reply()
            place = core.TranslateCoordinates(self.window_id, root, 0, 0).reply()
            return Rect(place.dst_x, place.dst_y, size.width, size.height)
        finally:
            connection.disconnect()

    def seen(self, health: WindowHealth = WindowHealth.VISIBLE) -> WindowSeen:
        """What the engine would tell of it now."""
        return WindowSeen(
            window=WindowRef(
                native_id=self.window_id,
                pid=self.process.pid,
                title=self.title,
                wm_class="game",
                rect=self.rect(),
            ),
            health=health,
        )


def xdotool(*arguments: str) -> str:
    """Run xdotool on the test's screen; it hangs on a vanished window, so with a limit."""
    needs_hands()
    done = subprocess.run(["xdotool", *arguments], capture_output=True, text=True, timeout=20, check=True)
    return done.stdout


def _listen(game: GameWindow) -> None:
    assert game.process.stdout is not None
    for line in game.process.stdout:
        if line.startswith("{"):
            text = json.loads(line)
            if "window" in text:
                game.window_id = text["window"]
            else:
                game.events.append(text)


@pytest.fixture
def start_game(screen: str, tmp_path: Path) -> Iterator[Callable[[str], GameWindow]]:
    """Starts pygame windows with a title; they are gone after the test."""
    script = tmp_path / "game.py"
    script.write_text(_GAME, encoding="utf-8")
    games: list[GameWindow] = []

    def start(title: str) -> GameWindow:
        process = subprocess.Popen(
            [sys.executable, str(script), title],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={
                **os.environ,
                "DISPLAY": screen,
                "SDL_AUDIODRIVER": "dummy",
                "PYGAME_HIDE_SUPPORT_PROMPT": "1",
            },
        )
        game = GameWindow(process, title)
        games.append(game)
        Thread(target=_listen, args=(game,), daemon=True).start()
        wait_until(lambda: game.window_id != 0)
        wait_until(lambda: "WindowFocusGained" in game.names())
        return game

    yield start
    for game in games:
        game.process.terminate()
        game.process.wait(60)
        assert game.process.stdout is not None
        game.process.stdout.close()
