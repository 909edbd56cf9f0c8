"""The game's own pixels on Windows, through Windows Graphics Capture (windows-capture).

Written against windows-capture 1.5.0's source; it has run under Wine alone, which has no such capture, so
that the screen's pixels were taken. The library chooses a window by a part of its title, so a window whose
title another's contains is not captured so. It gives the window with its title bar, which is cut off here.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

import numpy as np
import windows_capture

from pitwall.core.clock import now_ns
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.desktops.contract import CaptureUnsupported
from pitwall.link.wake_queue import WakeSignal
from pitwall_desktops.windows import handles
from pitwall_desktops.windows.window_list import WindowsWindowList

_EXTENDED_FRAME_BOUNDS = 9


class WindowsSource:
    """Frames of one window. The library's thread keeps the newest; `dropped` counts those it replaced.

    Args:
        after_frame: number of the frame before the first one.

    Raises:
        CaptureUnsupported: Windows refuses to capture this window.
    """

    backend = "windows-capture"

    def __init__(self, window: WindowRef, *, after_frame: int = 0) -> None:
        self.window = window
        self.health = WindowHealth.VISIBLE
        self.dropped = 0
        self._frame_id = after_frame
        self._desktop = WindowsWindowList()
        self._lock = threading.Lock()
        self._newest: Pixels | None = None
        self._newest_ns = 0
        self._unread = False
        title = handles.title_of(window.native_id)
        if not title or _is_ambiguous(window.native_id, title):
            raise CaptureUnsupported(f"another window's title contains {title!r} too.")
        self._signal = WakeSignal()
        try:
            capture = windows_capture.WindowsCapture(
                cursor_capture=False, draw_border=False, window_name=title
            )
            capture.frame_handler = self._arrived
            capture.closed_handler = self._closed
            self._control: Any = capture.start_free_threaded()
        except Exception as error:  # the library raises bare Exceptions
            self._signal.close()
            raise CaptureUnsupported(f"Windows cannot capture {window.title!r}: {error}.") from error

    def fileno(self) -> int:
        return self._signal.fileno()

    def take(self) -> Frame | None:
        self._signal.clear()
        self._look()
        with self._lock:
            return self._frame() if self._unread else None

    def fresh(self) -> Frame | None:
        """Return the newest frame, changed or not (the library makes a frame only when something changes)."""
        self._look()
        with self._lock:
            return self._frame()

    def close(self) -> None:
        self._control.stop()
        self._signal.close()

    # ---- inside

    def _look(self) -> None:
        if self.health is WindowHealth.GONE:
            return
        seen = self._desktop.look(self.window.native_id)
        if seen is None:
            self.health = WindowHealth.GONE
        else:
            self.window, self.health = seen.window, seen.health

    def _frame(self) -> Frame | None:
        if self._newest is None or self.health is not WindowHealth.VISIBLE:
            return None
        self._unread = False
        self._frame_id += 1
        return Frame(
            frame_id=self._frame_id,
            captured_ns=self._newest_ns,
            ready_ns=now_ns(),
            pixels=self._client_part(self._newest),
            window=self.window.rect,
        )

    def _client_part(self, whole: Pixels) -> Pixels:
        left, top = _frame_origin(self.window.native_id)
        inside = self.window.rect
        part = Rect(inside.x - left, inside.y - top, inside.width, inside.height)
        part = part.clipped(whole.shape[1], whole.shape[0])
        return whole[part.y : part.bottom, part.x : part.right]

    def _arrived(self, frame: Any, _control: Any) -> None:
        arrived_ns = now_ns()
        pixels = np.array(frame.frame_buffer)
        with self._lock:
            self.dropped += self._unread
            self._newest, self._newest_ns, self._unread = pixels, arrived_ns, True
        self._signal.set()

    def _closed(self) -> None:
        self.health = WindowHealth.GONE
        self._signal.set()


def _is_ambiguous(window: int, title: str) -> bool:
    others = (other for other in handles.top_level() if other != window)
    return any(title in handles.title_of(other) for other in others)


def _frame_origin(window_id: int) -> tuple[int, int]:
    bounds = (ctypes.c_long * 4)()
    if sys.platform == "win32":
        ctypes.windll.dwmapi.DwmGetWindowAttribute(
            window_id, _EXTENDED_FRAME_BOUNDS, ctypes.byref(bounds), ctypes.sizeof(bounds)
        )
    return bounds[0], bounds[1]
