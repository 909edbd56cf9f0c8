"""Hears every key and mouse event of the desktop, through pynput's low-level hooks.

Windows calls the hooks before an event reaches any program, and waits for them. They only note the event and
decide whether it is one of the operator's keys, which are hidden from the game.
"""

from __future__ import annotations

import ctypes
import logging
import sys
import threading
import time
from collections.abc import Callable
from ctypes import wintypes
from typing import Any

from pynput import keyboard, mouse

from pitwall.core.clock import now_ns
from pitwall.core.errors import DisplayError
from pitwall_desktops.windows.inject import OWN, PROBE_KEY, send_probe
from pitwall_desktops.windows.input_watch import RawEvent

_LOG = logging.getLogger(__name__)
_USER: Any = None
_KERNEL: Any = None
if sys.platform == "win32":
    _USER, _KERNEL = ctypes.WinDLL("user32"), ctypes.WinDLL("kernel32")
    _USER.SetWinEventHook.restype = ctypes.c_void_p

_WINDOW_EVENT = ctypes.CFUNCTYPE(
    None,
    *(ctypes.c_void_p, wintypes.DWORD, ctypes.c_void_p, ctypes.c_long, ctypes.c_long),
    *(wintypes.DWORD, wintypes.DWORD),
)
_FOREGROUND_CHANGED = 0x0003
_QUIT = 0x0012
_EXTENDED, _KEY_INJECTED, _UP = 0x01, 0x10 | 0x02, 0x80
_MOUSE_INJECTED = 0x01 | 0x02
_START_S, _PROBE_EVERY_S = 5.0, 0.05


class Hooks:
    """Owns the hooks, each in a thread of its own.

    Args:
        noted: takes each event, on those threads; returns whether the event ends here.
        focus_moved: called on a thread of its own when another window has come to the front.

    Raises:
        DisplayError: no key is heard, so the stop key would not work.
    """

    def __init__(self, noted: Callable[[RawEvent], bool], focus_moved: Callable[[], None]) -> None:
        self._noted = noted
        self._probed = threading.Event()
        self._keyboard = keyboard.Listener(win32_event_filter=self._key)
        self._mouse = mouse.Listener(win32_event_filter=self._click)
        self._foreground = _ForegroundWatch(focus_moved)
        for thread in (self._keyboard, self._mouse, self._foreground):
            thread.start()
        if not self._hears_keys():
            self.close()
            raise DisplayError(
                "Windows lets no program hear the keyboard here: the stop key would not work.",
                "Start Pitwall inside the desktop session of the game.",
            )

    def check(self) -> None:
        """Make sure that the hooks still listen.

        Raises:
            DisplayError: one of them has ended.
        """
        if not (self._keyboard.is_alive() and self._mouse.is_alive()):
            raise DisplayError("Windows ended the hooks that hear the stop key.", "Start the run again.")

    def close(self) -> None:
        """Remove the hooks."""
        for listener in (self._keyboard, self._mouse):
            listener.stop()
        self._foreground.stop()

    # ---- inside

    def _hears_keys(self) -> bool:
        """Send a probe key until the hook hears it; return whether it did (or the screen is locked)."""
        until_s = time.monotonic() + _START_S
        while time.monotonic() < until_s:
            try:
                send_probe()
            except DisplayError:
                return True
            if self._probed.wait(_PROBE_EVERY_S):
                return True
        return False

    def _key(self, _message: int, key: Any) -> bool:
        own = key.dwExtraInfo == OWN
        if own and key.vkCode == PROBE_KEY:
            self._probed.set()
            self._keyboard.suppress_event()
        event = RawEvent(
            message=0,
            at_ns=now_ns(),
            injected=bool(key.flags & _KEY_INJECTED),
            own=own,
            virtual=int(key.vkCode),
            extended=bool(key.flags & _EXTENDED),
            up=bool(key.flags & _UP),
        )
        if self._note(event):
            self._keyboard.suppress_event()
        return False  # pynput need not translate it

    def _click(self, message: int, event: Any) -> bool:
        self._note(
            RawEvent(
                message=message,
                at_ns=now_ns(),
                injected=bool(event.flags & _MOUSE_INJECTED),
                own=event.dwExtraInfo == OWN,
                x=int(event.pt.x),
                y=int(event.pt.y),
                data=ctypes.c_short(event.mouseData >> 16).value,
            )
        )
        return False

    def _note(self, event: RawEvent) -> bool:
        try:
            return self._noted(event)
        except Exception:  # pynput would end the listener, and with it the stop key
            _LOG.exception("an input event was not understood")
            return False


class _ForegroundWatch(threading.Thread):
    """Hears from Windows that another window has come to the front."""

    def __init__(self, moved: Callable[[], None]) -> None:
        super().__init__(name="foreground-watch", daemon=True)
        self._moved = moved
        self._number = 0

    def run(self) -> None:
        self._number = int(_KERNEL.GetCurrentThreadId())
        procedure = _WINDOW_EVENT(lambda *_: self._moved())
        hook = _USER.SetWinEventHook(_FOREGROUND_CHANGED, _FOREGROUND_CHANGED, None, procedure, 0, 0, 0)
        message = wintypes.MSG()
        while _USER.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
            _USER.DispatchMessageW(ctypes.byref(message))
        _USER.UnhookWinEvent(ctypes.c_void_p(hook))

    def stop(self) -> None:
        _USER.PostThreadMessageW(self._number, _QUIT, None, None)
        self.join(1.0)
