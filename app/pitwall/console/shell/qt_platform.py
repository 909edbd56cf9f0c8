"""Chooses Qt's platform before Qt opens it: Qt ends the whole process where it can use none."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo

from pitwall.core.errors import DisplayError
from pitwall.desktops.here import this_desktop

PLATFORM_VARIABLE = "QT_QPA_PLATFORM"
_WITHOUT_SCREEN = ("offscreen", "minimal")
_TRY_S = 20.0
_TRY = "from PySide6.QtGui import QGuiApplication; QGuiApplication([])"


def choose_platform() -> str:
    """Set the platform that Qt will use on this screen.

    Returns:
        A note for the operator where the platform that the environment names cannot be used; else empty.

    Raises:
        DisplayError: there is no display, or Qt can use none.
    """
    for name in ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"):
        if "cv2" in os.environ.get(name, ""):  # opencv sets it when imported; its plugins are not ours
            del os.environ[name]
    wanted = os.environ.get(PLATFORM_VARIABLE, "").strip()
    if sys.platform != "linux" or wanted.partition(":")[0] in _WITHOUT_SCREEN:
        return ""
    if wanted.partition(":")[0] not in ("", "xcb") and _works(wanted):
        return ""
    os.environ[PLATFORM_VARIABLE] = wanted if wanted.startswith("xcb") else _usual_platform(wanted)
    _check_plugin(os.environ[PLATFORM_VARIABLE].partition(":")[0])
    if wanted in ("", os.environ[PLATFORM_VARIABLE]):
        return ""
    chosen = os.environ[PLATFORM_VARIABLE]
    return f"Qt cannot use {PLATFORM_VARIABLE}={wanted} here: the window uses {chosen}."


def _usual_platform(wanted: str) -> str:
    if os.environ.get("DISPLAY"):
        return "xcb"
    if not wanted and this_desktop().name == "sway":
        return "wayland"
    if wanted:
        raise DisplayError(
            f"Qt cannot use {PLATFORM_VARIABLE}={wanted} here, and DISPLAY is not set.",
            f"Unset {PLATFORM_VARIABLE}, and start from a desktop session.",
        )
    if os.environ.get("WAYLAND_DISPLAY"):
        raise DisplayError(
            "this is a Wayland session without X11: windows cannot be captured nor keys sent.",
            "Log in to an X11 session or sway, or start Xwayland and set DISPLAY.",
        )
    raise DisplayError(
        "there is no screen: DISPLAY is not set.",
        "Start from a desktop session, or: xvfb-run pitwall console",
    )


def _works(wanted: str) -> bool:
    """Return whether Qt opens a platform, tried in a process that it may end."""
    environment = {**os.environ, PLATFORM_VARIABLE: wanted}
    command = [sys.executable, "-c", _TRY]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_TRY_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _check_plugin(platform: str) -> None:
    """Check that the platform's plugin and the libraries that it needs are there.

    Raises:
        DisplayError: one is missing.
    """
    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    plugin = plugins / "platforms" / f"libq{platform}.so"
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        library = str(error).partition(":")[0]
        packages = f"On Debian and Ubuntu: sudo apt install {_PACKAGES.get(library, 'libxcb-cursor0')}"
        raise DisplayError(f"Qt cannot use the screen: {error}.", packages) from None


_PACKAGES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
}
"""Debian's packages of the libraries that PySide6 does not bring along."""
