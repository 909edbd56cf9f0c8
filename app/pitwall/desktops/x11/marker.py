"""A coloured window over everything that nothing can click, focus or manage: the leak probe's marker."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import xcffib
import xcffib.shape
import xcffib.xproto

from pitwall.core.errors import DisplayError
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.desktops.x11.pixels import PixelReader, check_format
from pitwall.desktops.x11.window_list import X11WindowList, display_kept


class X11Marker:
    """A marker on the screen. It vanishes with its connection, so it cannot outlive us."""

    def __init__(self, desktop: X11WindowList, rect: Rect) -> None:
        self._desktop = desktop
        self._reader = PixelReader(desktop)
        size = desktop.core.GetGeometry(desktop.root).reply()
        inside = Rect(rect.x, rect.y, rect.width, rect.height).clipped(int(size.width), int(size.height))
        if inside.width == 0 or inside.height == 0:
            raise DisplayError(
                "the game's window is outside the screen, where no marker can be shown.",
                "Move it back onto the screen.",
            )
        self.rect = inside

    def screen_pixels(self) -> Pixels:
        with display_kept():
            rect = self.rect
            try:
                return self._reader.read(self._desktop.root, rect.x, rect.y, rect.width, rect.height)
            except xcffib.Error:  # XWayland keeps no picture of the whole screen
                raise DisplayError(
                    "not checked: this X server gives no picture of its screen to compare with.",
                    "Under XWayland that is so; the game's own picture is captured there.",
                ) from None


@contextlib.contextmanager
def show_x11_marker(rect: Rect, colour: tuple[int, int, int]) -> Iterator[X11Marker]:
    """Show a marker until the context ends.

    Args:
        colour: red, green, blue.

    Raises:
        DisplayError: there is no usable display, its colours cannot be read, or the place is off it.
    """
    with X11WindowList() as desktop, display_kept():
        check_format(desktop, int(desktop.screen.root_depth), int(desktop.screen.root_visual))
        marker = X11Marker(desktop, rect)
        window = _map_marker(desktop, marker.rect, colour)
        try:
            yield marker
        finally:
            with contextlib.suppress(xcffib.XcffibException):
                desktop.core.DestroyWindowChecked(window).check()


def _map_marker(desktop: X11WindowList, rect: Rect, colour: tuple[int, int, int]) -> int:
    red, green, blue = colour
    window = int(desktop.connection.generate_id())
    kind = xcffib.xproto.CW
    desktop.core.CreateWindowChecked(
        desktop.screen.root_depth,
        window,
        desktop.root,
        rect.x,
        rect.y,
        rect.width,
        rect.height,
        0,
        xcffib.xproto.WindowClass.InputOutput,
        desktop.screen.root_visual,
        kind.BackPixel | kind.OverrideRedirect,
        [red << 16 | green << 8 | blue, 1],
    ).check()
    shape = desktop.connection(xcffib.shape.key)
    shape.RectanglesChecked(
        xcffib.shape.SO.Set, xcffib.shape.SK.Input, xcffib.xproto.ClipOrdering.Unsorted, window, 0, 0, 0, []
    ).check()
    desktop.core.ConfigureWindow(
        window, xcffib.xproto.ConfigWindow.StackMode, [xcffib.xproto.StackMode.Above]
    )
    desktop.core.MapWindowChecked(window).check()
    return window
