"""The game's part of a sway output, copied by the compositor when it changes (wlroots' screencopy).

The compositor copies the screen as shown. Windows that cover the game are blacked out here;
panels and notifications stay visible, because sway does not list them.
"""

from __future__ import annotations

import contextlib
import select

import numpy as np

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.errors import WindowLost
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall_desktops.sway.ipc import WINDOWS_CHANGED, Sway, SwayWindow
from pitwall_desktops.sway.screencopy import Copy, Screencopy
from pitwall_desktops.sway.wayland_connection import WaylandConnection
from pitwall_desktops.sway.window_list import health_of, window_ref

_AGAIN_NS = 100 * NS_PER_MS
"""A copy that the compositor failed to make is asked for again after this long."""
_LOOK_NS = 200 * NS_PER_MS
_FRESH_S = 1.0


class SwaySource:
    """Frames of one window of sway, as the screen shows it.

    How often the game redrew between two copies cannot be known here, so `dropped` stays 0.

    Args:
        after_frame: number of the frame before the first one.

    Raises:
        WindowLost: the window is gone.
        CaptureUnsupported: the compositor copies no screen, or in a colour format that is not known.
        DisplayError: sway cannot be reached, or (by every method) was lost.
    """

    backend = "wlr-screencopy"

    def __init__(self, window: WindowRef, *, after_frame: int = 0) -> None:
        self.window = window
        self.health = WindowHealth.MINIMISED
        self.dropped = 0
        self._frame_id = after_frame
        self._shown: Pixels | None = None
        self._seen: SwayWindow | None = None
        self._covers: list[Rect] = []
        self._kept: Copy | None = None
        self._pending: Copy | None = None
        self._again_ns = self._look_ns = 0
        self._poll = select.epoll()
        self._sway = Sway()
        try:
            self._sway.subscribe(*WINDOWS_CHANGED)
            self._wayland = WaylandConnection()
            self._screencopy = Screencopy(self._wayland)
            if not self._look():
                raise WindowLost(f"the window {window.title!r} is gone.", "Choose the game's window again.")
            self._poll.register(self._sway.fileno(), select.EPOLLIN)
            self._poll.register(self._wayland.fileno(), select.EPOLLIN)
        except BaseException:
            self.close()
            raise
        self._await_change()

    def fileno(self) -> int:
        """Return a descriptor that is readable when sway or the compositor has sent something."""
        return self._poll.fileno()

    def take(self) -> Frame | None:
        """Return the newest picture if it changed since the last one, else None. Never waits for a change."""
        self._wayland.dispatch()
        if self._sway.events() or now_ns() >= self._look_ns:  # sway sends no event while a window is dragged
            before = (self.window.rect, self.health, self._covers)
            self._look()
            if before != (self.window.rect, self.health, self._covers):
                self._shown = None
                self._await_change()
        copy = self._pending
        if copy is None or copy.failed:
            if now_ns() >= self._again_ns:
                self._again_ns = now_ns() + _AGAIN_NS
                self._await_change()
            return None
        if not copy.ready:
            return None
        pixels = self._uncovered(copy)
        unchanged = self._shown is not None and np.array_equal(pixels, self._shown)
        frame = None if unchanged else self._frame(copy, pixels)
        self._await_change()
        return frame

    def fresh(self) -> Frame | None:
        """Return the picture now, changed or not; None if the window is hidden or gone."""
        if not self._look() or self._seen is None or self.health is not WindowHealth.VISIBLE:
            return None
        kept = (self._kept, self._pending)
        copy = self._screencopy.copy(self._seen, self._output_place(), *kept, on_change=False)
        self._wayland.wait(lambda: copy.ready or copy.failed, _FRESH_S)
        self._screencopy.end(copy)
        return self._frame(copy, self._uncovered(copy)) if copy.ready else None

    def close(self) -> None:
        for part in ("_wayland", "_sway"):
            with contextlib.suppress(AttributeError, OSError):
                getattr(self, part).close()
        self._poll.close()

    # ---- inside

    def _look(self) -> bool:
        """Find out where the window is and what covers it; return whether it exists."""
        self._look_ns = now_ns() + _LOOK_NS
        windows = self._sway.windows()
        at = next((at for at, window in enumerate(windows) if window.con_id == self.window.native_id), None)
        self._seen = windows[at] if at is not None else None
        if self._seen is None or at is None:
            self.health, self._covers = WindowHealth.GONE, []
            return False
        self.window, self.health = window_ref(self._seen), health_of(self._seen)
        above = (
            window for window in windows[at + 1 :] if window.visible and window.output == self._seen.output
        )
        self._covers = [window.outer for window in above]
        return True

    def _output_place(self) -> Rect:
        assert self._seen is not None
        return self._sway.outputs().get(self._seen.output, Rect(0, 0, 0, 0))

    def _await_change(self) -> None:
        """Ask for the next picture that differs from the last one, unless the window is hidden."""
        if self._pending is not None:
            self._screencopy.end(self._pending)
            self._pending = None
        if self._seen is not None and self.health is WindowHealth.VISIBLE:
            first = self._shown is None
            place = self._output_place()
            self._pending = self._screencopy.copy(self._seen, place, self._kept, on_change=not first)

    def _uncovered(self, copy: Copy) -> Pixels:
        """Return the picture with everything that covers the window blacked out."""
        pixels = copy.pixels()
        scale = self._seen.scale if self._seen is not None else 1.0
        for cover in self._covers:
            left, top = cover.x - copy.place.x, cover.y - copy.place.y
            over = Rect(left, top, cover.width, cover.height).scaled(scale, scale)
            over = over.clipped(pixels.shape[1], pixels.shape[0])
            pixels[over.y : over.bottom, over.x : over.right] = 0
        return pixels

    def _frame(self, copy: Copy, pixels: Pixels) -> Frame:
        self._kept, self._shown = copy, pixels
        self._frame_id += 1
        return Frame(
            frame_id=self._frame_id,
            captured_ns=min(copy.at_ns, now_ns()),
            ready_ns=now_ns(),
            pixels=pixels,
            window=self.window.rect,
        )
