"""A real SDL window that says which input reaches it, one JSON line an event, with the time it came.

Run as `python -m pitwall.bench.key_window [TITLE]`; SDL is what games use, and it ignores what is
merely sent to a window (XSendEvent).
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from pitwall.core.errors import LaunchFailed

_SIZE = (320, 240)


def main() -> int:
    """Show the window until standard output is closed or the window is."""
    os.environ.setdefault("SDL_VIDEODRIVER", "x11")
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    os.environ["SDL_AUDIODRIVER"] = "dummy"
    import pygame

    pygame.display.init()
    pygame.display.set_mode(_SIZE)
    pygame.display.set_caption(sys.argv[1] if len(sys.argv) > 1 else "key window")
    kinds = {
        pygame.KEYDOWN: "key_down",
        pygame.KEYUP: "key_up",
        pygame.MOUSEBUTTONDOWN: "mouse_down",
        pygame.MOUSEBUTTONUP: "mouse_up",
        pygame.MOUSEMOTION: "mouse_move",
        pygame.MOUSEWHEEL: "wheel",
        pygame.WINDOWFOCUSGAINED: "focus",
        pygame.WINDOWFOCUSLOST: "blur",
    }
    _say({"kind": "window", "id": pygame.display.get_wm_info()["window"]})
    while True:
        event = pygame.event.wait()
        if event.type == pygame.QUIT:
            return 0
        if event.type not in kinds:
            continue
        line: dict[str, Any] = {"kind": kinds[event.type], "at_ns": time.monotonic_ns()}
        if event.type in (pygame.KEYDOWN, pygame.KEYUP):
            line["key"] = pygame.key.name(event.key)
        elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEMOTION):
            line["pos"] = list(event.pos)
            line["button"] = getattr(event, "button", 0)
        elif event.type == pygame.MOUSEWHEEL:
            line["dy"] = event.y
        _say(line)


def _say(line: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os._exit(0)


@dataclass(frozen=True, slots=True)
class Seen:
    """One event as the window got it."""

    kind: str
    at_ns: int
    key: str = ""
    button: int = 0
    pos: tuple[int, int] | None = None


class KeyWindow:
    """Such a window in a process of its own.

    Attributes:
        window_id: X11 id of the window.

    Raises:
        LaunchFailed: no window came.
    """

    def __init__(self, title: str = "key window") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pitwall.bench.key_window", title],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self.process.stdout is not None
        self._out = self.process.stdout
        os.set_blocking(self._out.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._rest = b""
        first = self._lines(20.0)
        if not first:
            self.close()
            raise LaunchFailed("the test window did not come.", "Is there a display?")
        self.window_id = int(first[0]["id"])
        self._pending = [_seen(line) for line in first[1:]]

    @property
    def pid(self) -> int:
        return self.process.pid

    def events(self, timeout_s: float = 0.0) -> list[Seen]:
        """Events since the last call; waits for the first one up to `timeout_s`."""
        pending, self._pending = self._pending, []
        return pending + [_seen(line) for line in self._lines(0.0 if pending else timeout_s)]

    def close(self) -> None:
        """End the window."""
        self.process.kill()
        self.process.wait()
        self._selector.close()
        self._out.close()

    def _lines(self, timeout_s: float) -> list[dict[str, Any]]:
        deadline = time.monotonic() + timeout_s
        lines: list[bytes] = []
        while True:
            data = self._out.read(1 << 16)
            if data:
                *lines, self._rest = (self._rest + data).split(b"\n")
            left = deadline - time.monotonic()
            if lines or data == b"" or left <= 0:
                return [json.loads(line) for line in lines]
            self._selector.select(left)


def _seen(line: dict[str, Any]) -> Seen:
    pos = line.get("pos")
    return Seen(
        line["kind"],
        line["at_ns"],
        line.get("key", ""),
        line.get("button", 0),
        (pos[0], pos[1]) if pos else None,
    )


if __name__ == "__main__":
    sys.exit(main())
