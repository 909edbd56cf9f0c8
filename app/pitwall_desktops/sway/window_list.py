"""The windows of a sway session: native Wayland windows and those of XWayland alike."""

from __future__ import annotations

from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.desktops.contract import WindowList, WindowState
from pitwall_desktops.sway.ipc import Sway, SwayWindow


class SwayWindowList(WindowList):
    """The windows of a sway session, panels and backgrounds excluded; sway manages every window."""

    def __init__(self) -> None:
        self._sway = Sway()

    def close(self) -> None:
        self._sway.close()

    @property
    def screen_size(self) -> tuple[int, int]:
        """Return width and height over all outputs."""
        outputs = self._sway.outputs().values()
        return max((output.right for output in outputs), default=0), max(
            (output.bottom for output in outputs), default=0
        )

    def look(self, window_id: int) -> WindowState | None:
        """Return the window's state now; None if there is no such window."""
        match = next((window for window in self._sway.windows() if window.con_id == window_id), None)
        return WindowState(window=window_ref(match), health=health_of(match)) if match is not None else None

    def client_ids(self) -> list[int]:
        """List the windows in stacking order, bottom first."""
        return [window.con_id for window in self._sway.windows()]

    def playable(self, window_id: int) -> bool:
        """Return True for every window: sway does not list panels and backgrounds."""
        return window_id > 0

    def at(self, x: int, y: int) -> int | None:
        """Return the topmost window at a point of the screen in pixels."""
        hits = [window for window in self._sway.windows() if window.visible and window.pixels.contains(x, y)]
        return hits[-1].con_id if hits else None


def window_ref(window: SwayWindow) -> WindowRef:
    return WindowRef(
        native_id=window.con_id,
        pid=window.pid,
        title=window.title,
        wm_class=window.app_id,
        rect=window.pixels,
    )


def health_of(window: SwayWindow) -> WindowHealth:
    return WindowHealth.VISIBLE if window.visible else WindowHealth.MINIMISED
