"""Asks Windows what its desktop does to windows: composition, scaling, rights, exclusive full screen."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

_RUNNING_FULL_SCREEN = 3
_QUERY_LIMITED = 0x1000
_TOKEN_QUERY, _TOKEN_ELEVATION = 0x8, 20
_ACCESS_DENIED = 5
_ADAPTERS_MOST = 16
_ATTACHED = 0x1
_PER_CENT_OF_DPI = 100 / 96


class _Adapter(ctypes.Structure):
    """DISPLAY_DEVICEW."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("name", ctypes.c_wchar * 32),
        ("text", ctypes.c_wchar * 128),
        ("flags", ctypes.c_uint32),
        ("identity", ctypes.c_wchar * 128),
        ("key", ctypes.c_wchar * 128),
    )


def version() -> str:
    """Return the Windows version and its build."""
    windows = getattr(sys, "getwindowsversion")()  # noqa: B009  (Windows alone has it)
    return f"{windows.major}.{windows.minor}, build {windows.build}"


def is_wine() -> bool:
    """Return whether this is Wine instead of Windows."""
    return hasattr(_library("ntdll"), "wine_get_version")


def is_composed() -> bool:
    """Return whether DWM composes the desktop, which gives each window a picture of its own."""
    enabled = ctypes.c_int(0)
    try:
        return _library("dwmapi").DwmIsCompositionEnabled(ctypes.byref(enabled)) == 0 and bool(enabled.value)
    except OSError:
        return False


def is_dpi_aware() -> bool:
    """Return whether Windows gives this process true pixels instead of scaled ones."""
    return bool(_library("user32").IsProcessDPIAware())


def scale_percent() -> int:
    """Return the main screen's scale in per cent."""
    user32 = _library("user32")
    dpi = int(user32.GetDpiForSystem()) if hasattr(user32, "GetDpiForSystem") else 96
    return round(dpi * _PER_CENT_OF_DPI)


def is_elevated() -> bool:
    """Return whether this process has an administrator's rights."""
    return bool(_library("shell32").IsUserAnAdmin())


def windows_of_higher_rights() -> int:
    """Count visible windows of programs that this process may not inspect."""
    user32, kernel = _library("user32"), _library("kernel32")
    kernel.OpenProcess.restype = ctypes.c_void_p
    denied: set[int] = set()
    kind = getattr(ctypes, "WINFUNCTYPE")(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)  # noqa: B009

    def look(window: int, _: int) -> int:
        pid = ctypes.c_uint32()
        user32.GetWindowThreadProcessId(ctypes.c_void_p(window), ctypes.byref(pid))
        if user32.IsWindowVisible(ctypes.c_void_p(window)) and user32.GetWindowTextLengthW(
            ctypes.c_void_p(window)
        ):
            handle = kernel.OpenProcess(_QUERY_LIMITED, False, pid.value)
            if not handle:
                denied.add(window)
            else:
                if _is_token_shut(kernel, handle):
                    denied.add(window)
                kernel.CloseHandle(ctypes.c_void_p(handle))
        return 1

    user32.EnumWindows(kind(look), None)
    return len(denied)


def _is_token_shut(kernel: Any, process: int) -> bool:
    """Return whether a process refuses to show its rights: it has more of them than this process."""
    token = ctypes.c_void_p()
    advapi = _library("advapi32")
    opened = advapi.OpenProcessToken(ctypes.c_void_p(process), _TOKEN_QUERY, ctypes.byref(token))
    if opened:
        kernel.CloseHandle(token)
        return False
    return bool(getattr(ctypes, "get_last_error")() == _ACCESS_DENIED)  # noqa: B009


def is_full_screen_exclusive() -> bool:
    """Return whether a program has the screen exclusively (Direct3D full screen)."""
    state = ctypes.c_int(0)
    asked = _library("shell32").SHQueryUserNotificationState(ctypes.byref(state))
    return asked == 0 and state.value == _RUNNING_FULL_SCREEN


def display_adapters() -> list[str]:
    """Return the names of the graphics adapters that show a part of the desktop."""
    user32 = _library("user32")
    names: list[str] = []
    for number in range(_ADAPTERS_MOST):
        adapter = _Adapter()
        adapter.size = ctypes.sizeof(_Adapter)
        if not user32.EnumDisplayDevicesW(None, number, ctypes.byref(adapter), 0):
            break
        if adapter.flags & _ATTACHED and adapter.text not in names:
            names.append(str(adapter.text))
    return names


def _library(name: str) -> Any:
    return getattr(ctypes, "WinDLL")(name, use_last_error=True)  # noqa: B009  (Windows alone has it)
