"""The benchmark's game: a real window that turns white, and records when a key arrives. Run as a program.

It measures both ends itself: the time it drew, and the time it received the key event. Its output: see
`flash_protocol`.
"""

from __future__ import annotations

import select
import sys
import time

import xcffib
import xcffib.xproto as x

from workshop.benchmarks.engine.flash_protocol import HEIGHT, PATCH, WIDTH, flash

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
            WIDTH,
            HEIGHT,
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
        patch = x.RECTANGLE.synthetic(*PATCH)
        at = time.monotonic_ns()
        core.PolyFillRectangle(self._window, self._gc, 1, [patch])
        self._x.flush()
        return at

    def key(self, timeout_s: float) -> int | None:
        """Return the monotonic nanoseconds at which the next key press arrived; None after the time limit."""
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


if __name__ == "__main__":
    sys.exit(flash(FlashWindow))
