"""The benchmark's game: a real window that turns white, and notes when a key arrives. Run as a program.

It owns both ends of what is measured: the time it drew, and the time the key event was in its hands.
Writes one JSON line per flash to standard output: when it was drawn and when the key came, in monotonic
nanoseconds, or null for one never answered.
"""

from __future__ import annotations

import argparse
import json
import random
import select
import sys
import time

import xcffib
import xcffib.xproto as x

_WIDTH, _HEIGHT = 640, 480
_ANSWER_S = 1.0
_EVENTS = x.EventMask.KeyPress | x.EventMask.KeyRelease | x.EventMask.Exposure | x.EventMask.StructureNotify


class FlashWindow:
    """Shows a window with a white patch that comes and goes."""

    def __init__(self, title: str) -> None:
        self._x = xcffib.connect()
        screen = self._x.get_setup().roots[self._x.pref_screen]
        core = self._x.core
        self._window = self._x.generate_id()
        values = [screen.black_pixel, _EVENTS]
        core.CreateWindow(
            screen.root_depth,
            self._window,
            screen.root,
            60,
            60,
            _WIDTH,
            _HEIGHT,
            0,
            x.WindowClass.InputOutput,
            screen.root_visual,
            x.CW.BackPixel | x.CW.EventMask,
            values,
        )
        name = title.encode()
        core.ChangeProperty(
            x.PropMode.Replace, self._window, x.Atom.WM_NAME, x.Atom.STRING, 8, len(name), name
        )
        core.MapWindow(self._window)
        self._gc = self._x.generate_id()
        core.CreateGC(self._gc, self._window, x.GC.Foreground, [screen.white_pixel])
        self._colours = {True: screen.white_pixel, False: screen.black_pixel}
        self._x.flush()

    def fill(self, white: bool) -> int:
        """Draw, and return the monotonic nanoseconds at which the drawing was sent."""
        core = self._x.core
        core.ChangeGC(self._gc, x.GC.Foreground, [self._colours[white]])
        patch = x.RECTANGLE.synthetic(200, 150, 240, 180)
        at = time.monotonic_ns()
        core.PolyFillRectangle(self._window, self._gc, 1, [patch])
        self._x.flush()
        return at

    def key(self, timeout_s: float) -> int | None:
        """Monotonic nanoseconds at which the next key press was in hand; None after the time."""
        until = time.monotonic() + timeout_s
        while True:
            event = self._x.poll_for_event()
            if isinstance(event, x.KeyPressEvent):
                return time.monotonic_ns()
            if event is not None:
                continue
            left = until - time.monotonic()
            if left <= 0:
                return None
            select.select([self._x.get_file_descriptor()], [], [], left)

    def rest(self, seconds: float) -> None:
        """Wait, and take no key for an answer."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.key(left)


def main() -> int:
    """Flash until told otherwise; one line of JSON an answer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    window = FlashWindow(options.title)
    chance = random.Random(options.seed)
    window.rest(0.5)
    while True:
        window.rest(chance.uniform(0.08, 0.16))
        drawn = window.fill(white=True)
        answered = window.key(_ANSWER_S)
        sys.stdout.write(json.dumps([drawn, answered]) + "\n")
        sys.stdout.flush()
        window.rest(0.02)
        window.fill(white=False)


if __name__ == "__main__":
    sys.exit(main())
