"""Real windows for the capture tests: a pygame game that repaints only when told, and bare screens."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from pitwall.core.frames import Frame
from pitwall.core.geometry import WindowRef
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.contract import CaptureSource
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import find_window

_TIMEOUT_S = 60.0
_X11 = "X11's capture; Windows' is tested beside this folder"
_T = TypeVar("_T")

_GAME = """
import selectors, sys
import pygame

colour = (10, 20, 30)

def paint():
    screen = pygame.display.get_surface()
    screen.fill(colour)
    screen.fill((255, 0, 0), (0, 0, 20, 10))
    pygame.display.flip()

pygame.display.init()
pygame.display.set_caption(sys.argv[1])
pygame.display.set_mode((320, 240), pygame.RESIZABLE)
paint()
waiting = selectors.DefaultSelector()
waiting.register(sys.stdin, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for event in pygame.event.get():
        if event.type in (pygame.WINDOWSIZECHANGED, pygame.WINDOWEXPOSED):
            paint()
    if not waiting.select(0.01):
        continue
    words = sys.stdin.readline().split()
    if not words:
        break
    if words[0] == "fill":
        colour = tuple(int(word) for word in words[1:])
        paint()
    elif words[0] == "resize":
        pygame.Window.from_display_module().size = [int(word) for word in words[1:]]
    elif words[0] == "second":
        second = pygame.Window(words[1], [int(word) for word in words[2:4]])
        second.position = [int(word) for word in words[4:6]]
    elif words[0] == "renew":
        pygame.display.quit()
        pygame.display.init()
        pygame.display.set_mode((320, 240))
        paint()
    print("done", flush=True)
"""


class GameWindow:
    """A game in a process of its own. It paints a red mark of 20 × 10 at its top left on one colour."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "SDL_VIDEODRIVER": "x11", "PYGAME_HIDE_SUPPORT_PROMPT": "1"},
            text=True,
            start_new_session=True,
        )
        self._hear("ready")

    @property
    def pid(self) -> int:
        return self.process.pid

    def tell(self, *words: object) -> None:
        """Give a command and wait until it was carried out."""
        assert self.process.stdin is not None
        print(*words, file=self.process.stdin, flush=True)
        self._hear("done")

    def fill(self, *colour: int) -> None:
        """Repaint in a colour (red, green, blue)."""
        self.tell("fill", *colour)

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def _hear(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == word


class PlainWindow:
    """A window of this process, painted request by request."""

    def __init__(self, width: int, height: int, *, past_manager: bool) -> None:
        import xcffib.xproto

        self.connection = xcffib.connect()
        screen = self.connection.setup.roots[0]
        self.native_id = self.connection.generate_id()
        core = self.connection.core
        core.CreateWindow(
            screen.root_depth,
            self.native_id,
            screen.root,
            30,
            40,
            width,
            height,
            0,
            xcffib.xproto.WindowClass.InputOutput,
            screen.root_visual,
            xcffib.xproto.CW.BackPixel | xcffib.xproto.CW.OverrideRedirect,
            [0x112233, int(past_manager)],
        )
        core.MapWindow(self.native_id)
        self._context = self.connection.generate_id()
        core.CreateGC(self._context, self.native_id, xcffib.xproto.GC.Foreground, [0])
        core.GetInputFocus().reply()

    def paint(self, colour: int, *, strips: int = 1) -> None:
        """Fill 200 × 100 with a colour (0xRRGGBB), by this many requests sent together."""
        import xcffib.xproto

        core, width = self.connection.core, 200 // strips
        core.ChangeGC(self._context, xcffib.xproto.GC.Foreground, [colour])
        for strip in range(strips):
            area = xcffib.xproto.RECTANGLE.synthetic(strip * width, 0, width, 100)
            core.PolyFillRectangle(self.native_id, self._context, 1, [area])
        core.GetInputFocus().reply()

    def close(self) -> None:
        self.connection.disconnect()


class Stage:
    """Opens games and sources, and closes what was opened."""

    def __init__(self, folder: Path, undo: contextlib.ExitStack) -> None:
        self._folder = folder
        self._undo = undo

    def open_game(self, title: str = "subject", *, shell: str = "") -> tuple[GameWindow, WindowRef]:
        """Start a game; `shell` is a command line for sh in which {} stands for the game's."""
        script = self._folder / "game.py"
        script.write_text(_GAME)
        command = [sys.executable, str(script), title]
        game = GameWindow(["sh", "-c", shell.format(" ".join(command))] if shell else command)
        self._undo.callback(game.end)
        return game, self.until(lambda: find_window(pid=game.pid))

    def open_plain(self, width: int = 200, height: int = 100, *, past_manager: bool = False) -> PlainWindow:
        """A window of this process; `past_manager`: as an old full-screen game opens it."""
        plain = PlainWindow(width, height, past_manager=past_manager)
        self._undo.callback(plain.close)
        return plain

    def open_source(self, window: WindowRef, backend: str = "window") -> CaptureSource:
        source = this_desktop().capture(window, CaptureSettings.model_validate({"backend": backend}))
        self._undo.callback(source.close)
        return source

    def settled(self, window: WindowRef, backend: str = "window") -> CaptureSource:
        """A source whose first frames were taken: nothing changes any more."""
        source = self.open_source(window, backend)
        quiet_since = time.monotonic()
        deadline = quiet_since + _TIMEOUT_S
        while time.monotonic() - quiet_since < 0.3:
            assert time.monotonic() < deadline, "the window never came to rest"
            if self.ready(source, 0.05) and source.take() is not None:
                quiet_since = time.monotonic()
        return source

    def ready(self, source: CaptureSource, timeout_s: float) -> bool:
        return bool(select.select([source.fileno()], [], [], timeout_s)[0])

    def frame(self, source: CaptureSource, wanted: Callable[[Frame], bool] = lambda _: True) -> Frame:
        """The first frame that is wanted, taken only when the source says there is something to do."""
        deadline = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < deadline:
            if self.ready(source, 0.5):
                frame = source.take()
                if frame is not None and wanted(frame):
                    return frame
        raise AssertionError("no such frame came")

    def follow(self, source: CaptureSource, until: Callable[[], bool]) -> list[Frame]:
        """Take until something holds; the frames that came meanwhile."""
        frames: list[Frame] = []
        deadline = time.monotonic() + _TIMEOUT_S
        while not until():
            assert time.monotonic() < deadline, "it never came to that"
            if self.ready(source, 0.1) and (frame := source.take()) is not None:
                frames.append(frame)
        return frames

    def until(self, look: Callable[[], _T | None]) -> _T:
        """What `look` returns once it is neither None nor False."""
        deadline = time.monotonic() + _TIMEOUT_S
        while not (result := look()):
            assert time.monotonic() < deadline, "it never came to that"
            time.sleep(0.02)
        return result


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    if sys.platform == "win32":
        pytest.skip(_X11)
    with contextlib.ExitStack() as undo:
        yield Stage(tmp_path, undo)


@pytest.fixture
def own_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts an X server of the test's own without a window manager, and sets DISPLAY to it."""
    if sys.platform == "win32":
        pytest.skip(_X11)
    with contextlib.ExitStack() as undo:

        def start(*arguments: str, screen: str = "640x480x24") -> subprocess.Popen[bytes]:
            read, write = os.pipe()
            server = subprocess.Popen(
                ["Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", *arguments],
                pass_fds=[write],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            undo.callback(server.wait, 10)
            undo.callback(server.terminate)
            os.close(write)
            with os.fdopen(read) as numbers:
                monkeypatch.setenv("DISPLAY", f":{numbers.readline().strip()}")
            return server

        yield start


def xdotool(*arguments: object) -> None:
    subprocess.run(["timeout", "10", "xdotool", *map(str, arguments)], check=True)


@pytest.fixture
def tool() -> Callable[..., None]:
    """Runs xdotool."""
    return xdotool
