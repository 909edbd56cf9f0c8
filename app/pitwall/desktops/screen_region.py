"""The fallback for capture: the window's part of the screen, polled. On X11 it shows what covers the window.

On Windows the parts under other programs' windows are black: those windows are never captured.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable

import mss
import numpy as np

from pitwall.core.clock import now_ns
from pitwall.core.errors import DisplayError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.contract import CaptureSource, CaptureUnsupported, WindowList
from pitwall.link.wake_queue import WakeSignal

_LOG = logging.getLogger(__name__)


def window_or_screen(
    open_own: Callable[..., CaptureSource],
    open_windows: Callable[[], WindowList],
    window: WindowRef,
    settings: CaptureSettings,
    after_frame: int,
) -> CaptureSource:
    """Capture a window's own pixels, or its part of the screen; see `Desktop.capture`.

    Args:
        open_own: opens the capture of the window's own pixels.
        open_windows: opens a connection for questions about windows.
    """
    if settings.backend != "screen":
        try:
            return open_own(window, after_frame=after_frame)
        except CaptureUnsupported as error:
            if settings.backend == "window":
                raise
            _LOG.warning("capturing the screen instead of the window: %s", error)
    return ScreenRegionSource(window, open_windows(), screen_fps=settings.screen_fps, after_frame=after_frame)


class ScreenRegionSource:
    """Frames of the window's part of the screen, at most `screen_fps` a second, only when they changed.

    Parts off the screen are black. How often the game redrew between two polls cannot be known
    here, so `dropped` stays 0.

    Args:
        windows: a connection of this source alone; closed with it.
        after_frame: number of the frame before the first one.

    Raises:
        DisplayError: the display cannot be reached, or (by every method) was lost.
    """

    backend = "screen-region"

    def __init__(
        self, window: WindowRef, windows: WindowList, *, screen_fps: int, after_frame: int = 0
    ) -> None:
        self.window = window
        self.health = WindowHealth.VISIBLE
        self.dropped = 0
        self._frame_id = after_frame
        self._shown: Pixels | None = None
        self._windows = windows
        self._screen = _open_screen()
        self._ticker = _Ticker(screen_fps)

    def fileno(self) -> int:
        """Return a descriptor that is readable when it is time to look at the screen."""
        return self._ticker.fileno()

    def take(self) -> Frame | None:
        """Return the picture if it is time to look and it has changed, else None."""
        if not self._ticker.due():
            return None
        captured_ns = now_ns()
        pixels = self._grab()
        if pixels is None or (self._shown is not None and np.array_equal(pixels, self._shown)):
            return None
        return self._frame(pixels, captured_ns)

    def fresh(self) -> Frame | None:
        """Return the picture now, changed or not; None if the window is minimised or gone."""
        captured_ns = now_ns()
        pixels = self._grab()
        return self._frame(pixels, captured_ns) if pixels is not None else None

    def close(self) -> None:
        self._ticker.close()
        with contextlib.suppress(mss.ScreenShotError):
            self._screen.close()
        self._windows.close()

    # ---- inside

    def _frame(self, pixels: Pixels, captured_ns: int) -> Frame:
        self._shown = pixels
        self._frame_id += 1
        return Frame(
            frame_id=self._frame_id,
            captured_ns=captured_ns,
            ready_ns=now_ns(),
            pixels=pixels,
            window=self.window.rect,
        )

    def _grab(self) -> Pixels | None:
        seen = self._windows.look(self.window.native_id)
        if seen is None:
            self.health = WindowHealth.GONE
            return None
        self.window, self.health = seen.window, seen.health
        if self.health is not WindowHealth.VISIBLE:
            return None
        try:
            return self._own_part(self.window.rect)
        except mss.ScreenShotError:  # the screen's size changed since it was opened
            self._screen.close()
            self._screen = _open_screen()
        try:
            return self._own_part(self.window.rect)
        except mss.ScreenShotError as error:
            raise DisplayError(f"the screen cannot be read: {error}.") from None

    def _own_part(self, rect: Rect) -> Pixels | None:
        covered = self._windows.covering(self.window.native_id)  # before the picture is taken: none is missed
        pixels = self._read(rect)
        if pixels is None or not covered:
            return pixels
        pixels = pixels.copy()
        for other in covered:
            part = Rect(other.x - rect.x, other.y - rect.y, other.width, other.height)
            part = part.clipped(rect.width, rect.height)
            pixels[part.y : part.bottom, part.x : part.right] = 0
        return pixels

    def _read(self, rect: Rect) -> Pixels | None:
        whole = self._screen.monitors[0]
        left, top = int(whole["left"]), int(whole["top"])
        seen = Rect(rect.x - left, rect.y - top, rect.width, rect.height).clipped(
            int(whole["width"]), int(whole["height"])
        )
        if seen.width == 0 or seen.height == 0:
            return None
        shot = self._screen.grab(
            {"left": seen.x + left, "top": seen.y + top, "width": seen.width, "height": seen.height}
        )
        part = np.frombuffer(shot.raw, np.uint8).reshape(seen.height, seen.width, 4)
        if (seen.width, seen.height) == (rect.width, rect.height):
            return part
        pixels = np.zeros((rect.height, rect.width, 4), np.uint8)
        x, y = seen.x + left - rect.x, seen.y + top - rect.y
        pixels[y : y + seen.height, x : x + seen.width] = part
        return pixels


def _open_screen() -> mss.MSS:
    try:
        return mss.MSS()
    except mss.ScreenShotError as error:
        raise DisplayError(f"the screen cannot be opened: {error}.") from None


class _Ticker:
    """A socket that turns readable at a steady rate: works in every selector of every platform."""

    def __init__(self, rate_hz: int) -> None:
        self._signal = WakeSignal()
        self._period_s = 1 / rate_hz
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="capture-ticker", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._signal.fileno()

    def due(self) -> bool:
        return self._signal.clear()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._signal.close()

    def _run(self) -> None:
        due = time.monotonic() + self._period_s
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            due = max(due + self._period_s, time.monotonic())
            self._signal.set()
