"""Asks Windows about windows by their handles (HWND): which exist, where they are, which process owns them.

Every answer is about now: a window may be gone before the next question. For a window that is gone the answer
is 0, empty or False, never an exception. Coordinates are the screen's pixels, whatever its scaling.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from ctypes import wintypes
from typing import Any

from pitwall.core.geometry import Rect

_USER: Any = None
_DWM: Any = None
_KERNEL: Any = None
_EACH = ctypes.CFUNCTYPE(wintypes.BOOL, ctypes.c_void_p, ctypes.c_void_p)
_ROOT = 2
_STYLE_EXTENDED = -20
_TOOL_WINDOW = 0x80
_TRANSPARENT = 0x20
_CLOAKED = 14
_CLOSE = 0x0010
_RESTORE = 9
_OUT_OF_CAPTURES = 0x11
_PER_MONITOR = ctypes.c_void_p(-4)
_VIRTUAL_SCREEN = (76, 77, 78, 79)
"""SM_XVIRTUALSCREEN and its successors: left, top, width, height of all screens together."""

if sys.platform == "win32":
    _USER, _DWM = ctypes.WinDLL("user32"), ctypes.WinDLL("dwmapi")
    _KERNEL = ctypes.WinDLL("kernel32")
    for _name in ("GetForegroundWindow", "GetAncestor", "WindowFromPoint"):
        getattr(_USER, _name).restype = ctypes.c_void_p
    _USER.WindowFromPoint.argtypes = (wintypes.POINT,)


def see_true_pixels() -> None:
    """Make Windows give this process coordinates in the screen's own pixels, not in scaled ones."""
    with suppress(AttributeError):
        _USER.SetProcessDpiAwarenessContext(_PER_MONITOR)


def exists(window: int) -> bool:
    """Return whether the window exists."""
    return bool(_USER.IsWindow(ctypes.c_void_p(window)))


def keep_out_of_captures(window: int) -> bool:
    """Exclude a window of ours from screen captures; return whether Windows can (since version 2004)."""
    return bool(_USER.SetWindowDisplayAffinity(ctypes.c_void_p(window), _OUT_OF_CAPTURES))


def is_minimised(window: int) -> bool:
    """Return whether a window is minimised."""
    return bool(_USER.IsIconic(ctypes.c_void_p(window)))


def is_shown(window: int) -> bool:
    """Return whether a window is neither hidden, nor minimised, nor on another virtual desktop."""
    if not _USER.IsWindowVisible(ctypes.c_void_p(window)) or is_minimised(window):
        return False
    cloaked = wintypes.DWORD()
    _DWM.DwmGetWindowAttribute(ctypes.c_void_p(window), _CLOAKED, ctypes.byref(cloaked), 4)
    return not cloaked.value


def process_of(window: int) -> int:
    """Return the id of the process that owns a window; 0 if it is gone."""
    pid = wintypes.DWORD()
    _USER.GetWindowThreadProcessId(ctypes.c_void_p(window), ctypes.byref(pid))
    return int(pid.value)


def title_of(window: int) -> str:
    """Return a window's title."""
    return _text(_USER.GetWindowTextW, window)


def class_of(window: int) -> str:
    """Return the name of a window's class."""
    return _text(_USER.GetClassNameW, window)


def client_area(window: int) -> Rect:
    """Return the place of a window's contents on the screen, without its frame; empty if it is gone."""
    rect, origin = wintypes.RECT(), wintypes.POINT()
    handle = ctypes.c_void_p(window)
    if not (
        _USER.GetClientRect(handle, ctypes.byref(rect)) and _USER.ClientToScreen(handle, ctypes.byref(origin))
    ):
        return Rect(0, 0, 0, 0)
    return Rect(int(origin.x), int(origin.y), int(rect.right), int(rect.bottom))


def whole_area(window: int) -> Rect:
    """Return the place of a window on the screen with its frame; empty if it is gone."""
    rect = wintypes.RECT()
    _USER.GetWindowRect(ctypes.c_void_p(window), ctypes.byref(rect))
    return Rect(int(rect.left), int(rect.top), int(rect.right - rect.left), int(rect.bottom - rect.top))


def top_level() -> list[int]:
    """List the top-level windows that are shown or minimised, topmost first."""
    handles: list[int] = []

    def take(handle: int, _extra: int) -> bool:
        if _USER.IsWindowVisible(ctypes.c_void_p(handle)):
            handles.append(handle)
        return True

    _USER.EnumWindows(_EACH(take), None)
    return handles


def is_helper(window: int) -> bool:
    """Return whether this is a floating tool window, which has no button on the task bar."""
    return bool(_style(window) & _TOOL_WINDOW)


def covering(window: int) -> list[Rect]:
    """List the areas of visible windows of other processes that are above this window."""
    owner, above = process_of(window), []
    for other in top_level():
        if other == window:
            break
        lets_through = _style(other) & _TRANSPARENT
        if process_of(other) != owner and is_shown(other) and not lets_through:
            above.append(whole_area(other))
    return above


def at(x: int, y: int) -> int:
    """Return the top-level window at a point of the screen; 0 if there is none."""
    handle = _USER.WindowFromPoint(wintypes.POINT(x, y))
    return int(_USER.GetAncestor(ctypes.c_void_p(handle), _ROOT) or 0) if handle else 0


def foreground() -> int:
    """Return the window that has the keyboard; 0 if none has."""
    return int(_USER.GetForegroundWindow() or 0)


def bring_to_front(window: int) -> None:
    """Ask Windows to give a window the keyboard; it may refuse a process that was not used just now."""
    handle = ctypes.c_void_p(window)
    if is_minimised(window):
        _USER.ShowWindow(handle, _RESTORE)
    before = foreground()
    mine = _KERNEL.GetCurrentThreadId()
    theirs = _USER.GetWindowThreadProcessId(ctypes.c_void_p(before), None) if before else 0
    joined = bool(theirs) and _USER.AttachThreadInput(mine, theirs, True)
    _USER.SetForegroundWindow(handle)
    if joined:
        _USER.AttachThreadInput(mine, theirs, False)


def ask_to_close(window: int) -> None:
    """Close a window as its title bar's button does; its program may ask back."""
    _USER.PostMessageW(ctypes.c_void_p(window), _CLOSE, None, None)


def virtual_screen() -> Rect:
    """Return the area of all screens together."""
    return Rect(*(int(_USER.GetSystemMetrics(number)) for number in _VIRTUAL_SCREEN))


def main_screen() -> tuple[int, int]:
    """Return width and height of the main screen."""
    return int(_USER.GetSystemMetrics(0)), int(_USER.GetSystemMetrics(1))


def _style(window: int) -> int:
    return int(_USER.GetWindowLongW(ctypes.c_void_p(window), _STYLE_EXTENDED))


def _text(call: Any, window: int) -> str:
    text = ctypes.create_unicode_buffer(512)
    call(ctypes.c_void_p(window), text, len(text))
    return text.value
