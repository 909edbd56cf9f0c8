"""Hears every key and mouse event of the desktop, by low-level hooks in a thread of their own.

Windows asks the hooks before the event reaches anybody, and waits for them: they only note, and say whether
the key is one of the operator's, which the game then never sees.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from ctypes import wintypes
from dataclasses import dataclass
from typing import Any

from pitwall.core.clock import now_ns
from pitwall.core.errors import DisplayError
from pitwall.desktops.windows.inject import OWN

_USER: Any = None
_KERNEL: Any = None
if sys.platform == "win32":
    _USER, _KERNEL = ctypes.WinDLL("user32"), ctypes.WinDLL("kernel32")
    _USER.SetWindowsHookExW.restype = ctypes.c_void_p
    _USER.SetWinEventHook.restype = ctypes.c_void_p
    _USER.CallNextHookEx.restype = ctypes.c_ssize_t
    _USER.CallNextHookEx.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_ssize_t)
    _KERNEL.GetModuleHandleW.restype = ctypes.c_void_p

_HOOK = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, ctypes.c_size_t, ctypes.c_ssize_t)
_WINDOW_EVENT = ctypes.CFUNCTYPE(
    None,
    *(ctypes.c_void_p, wintypes.DWORD, ctypes.c_void_p, ctypes.c_long, ctypes.c_long),
    *(wintypes.DWORD, wintypes.DWORD),
)
_KEYBOARD_LL, _MOUSE_LL = 13, 14
_FOREGROUND_CHANGED = 0x0003
_QUIT = 0x0012
_EXTENDED, _INJECTED, _UP = 0x01, 0x10, 0x80
_MOUSE_INJECTED = 0x01
_START_S = 5.0


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A key or mouse event as it came from the system.

    Attributes:
        message: 0 of a key, else the window message (WM_MOUSEMOVE …). virtual, extended, up: of a key.
        data: of the wheel, its turn.
        injected: by a program; own: by a broker of ours.
    """

    message: int
    at_ns: int
    injected: bool
    own: bool
    virtual: int = 0
    extended: bool = False
    up: bool = False
    x: int = 0
    y: int = 0
    data: int = 0


class _Key(ctypes.Structure):
    """KBDLLHOOKSTRUCT."""

    _fields_ = (
        ("virtual", wintypes.DWORD),
        ("scan", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("mark", ctypes.c_size_t),
    )


class _Mouse(ctypes.Structure):
    """MSLLHOOKSTRUCT."""

    _fields_ = (
        ("at", wintypes.POINT),
        ("data", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("mark", ctypes.c_size_t),
    )


class Hooks:
    """Owns the hooks and their thread.

    Args:
        noted: takes each event, on that thread; returns whether the event ends here.
        focus_moved: called on that thread when another window has come to the front.

    Raises:
        DisplayError: Windows refuses the hooks.
    """

    def __init__(self, noted: Callable[[RawEvent], bool], focus_moved: Callable[[], None]) -> None:
        self._noted, self._focus_moved = noted, focus_moved
        self._number = 0
        self._refused = False
        self._began = threading.Event()
        self._thread = threading.Thread(target=self._run, name="input-hooks", daemon=True)
        self._thread.start()
        if not self._began.wait(_START_S) or self._refused:
            raise DisplayError(
                "Windows lets no program hear the keyboard here: the stop key would not work.",
                "Start Pitwall inside the desktop session of the game.",
            )

    def close(self) -> None:
        """Take the hooks away."""
        _USER.PostThreadMessageW(self._number, _QUIT, None, None)
        self._thread.join(1.0)

    def _run(self) -> None:
        self._number = int(_KERNEL.GetCurrentThreadId())
        module = ctypes.c_void_p(_KERNEL.GetModuleHandleW(None))
        procedures = (_HOOK(self._key), _HOOK(self._mouse), _WINDOW_EVENT(lambda *_: self._focus_moved()))
        hooks = [
            ctypes.c_void_p(_USER.SetWindowsHookExW(kind, procedure, module, 0))
            for kind, procedure in zip((_KEYBOARD_LL, _MOUSE_LL), procedures, strict=False)
        ]
        window_hook = ctypes.c_void_p(
            _USER.SetWinEventHook(_FOREGROUND_CHANGED, _FOREGROUND_CHANGED, None, procedures[2], 0, 0, 0)
        )
        self._refused = not all(hook.value for hook in hooks)
        self._began.set()
        message = wintypes.MSG()
        while not self._refused and _USER.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
            _USER.DispatchMessageW(ctypes.byref(message))
        for hook in hooks:
            _USER.UnhookWindowsHookEx(hook)
        _USER.UnhookWinEvent(window_hook)

    def _key(self, code: int, message: int, pointer: int) -> int:
        if code >= 0:
            key = _Key.from_address(pointer)
            event = RawEvent(
                message=0,
                at_ns=now_ns(),
                injected=bool(key.flags & _INJECTED),
                own=key.mark == OWN,
                virtual=int(key.virtual),
                extended=bool(key.flags & _EXTENDED),
                up=bool(key.flags & _UP),
            )
            if self._noted(event):
                return 1
        return int(_USER.CallNextHookEx(None, code, message, pointer))

    def _mouse(self, code: int, message: int, pointer: int) -> int:
        if code >= 0:
            mouse = _Mouse.from_address(pointer)
            turn = ctypes.c_short(mouse.data >> 16).value
            self._noted(
                RawEvent(
                    message=message,
                    at_ns=now_ns(),
                    injected=bool(mouse.flags & _MOUSE_INJECTED),
                    own=mouse.mark == OWN,
                    x=int(mouse.at.x),
                    y=int(mouse.at.y),
                    data=turn,
                )
            )
        return int(_USER.CallNextHookEx(None, code, message, pointer))
