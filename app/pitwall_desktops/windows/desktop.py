"""The Windows desktop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pitwall.core.geometry import WindowRef
from pitwall.desktops.contract import CaptureSource, Desktop, Finding, WindowList
from pitwall_desktops.windows import handles, processes

if TYPE_CHECKING:
    from pitwall.core.settings import CaptureSettings
    from pitwall.desktops.input_backend import InputBackend


class WindowsDesktop(Desktop):
    """The one desktop of a Windows session."""

    name = "windows"
    processes = processes

    def is_here(self) -> bool:
        return sys.platform == "win32"

    def describe_seat(self, *, wanted: bool) -> str:
        del wanted
        return (
            "Windows has one keyboard and one pointer for all programs, and no second seat: the agent shares "
            "yours, and waits while you use them."
        )

    def check(self) -> None:
        """Do nothing: a Windows process always has a desktop."""

    def findings(self) -> Iterator[Finding]:
        from pitwall_desktops.windows.machine import machine_findings

        return machine_findings()

    def display_adapters(self) -> list[str]:
        from pitwall_desktops.windows.facts import display_adapters

        return display_adapters()

    def windows(self) -> WindowList:
        from pitwall_desktops.windows.window_list import WindowsWindowList

        return WindowsWindowList()

    def capture(self, window: WindowRef, settings: CaptureSettings, *, after_frame: int = 0) -> CaptureSource:
        from pitwall.desktops.screen_region import window_or_screen
        from pitwall_desktops.windows.capture import WindowsSource

        return window_or_screen(WindowsSource, self.windows, window, settings, after_frame)

    def input(self) -> InputBackend:
        from pitwall_desktops.windows.input import WindowsInput

        return WindowsInput()

    def keep_out_of_captures(self, window_id: int) -> bool:
        return handles.keep_out_of_captures(window_id)


DESKTOP = WindowsDesktop()
