"""The game's own pixels on X11: the window's pixmap, read when the server reports that it changed.

Composite keeps the window's picture apart from windows that cover it; Damage reports each change; the
picture is read through shared memory. The server reports no error when such a picture goes stale, so
every resize, unmap and remap is followed by its event (a stale pixmap is freed and requested again).
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import xcffib
import xcffib.composite
import xcffib.damage
import xcffib.xproto

from pitwall.core.clock import now_ns
from pitwall.core.errors import WindowLost
from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.desktops.contract import CaptureUnsupported
from pitwall.desktops.x11.connection import DamageReport, PreparedRequest
from pitwall.desktops.x11.pixels import PixelReader, check_format
from pitwall.desktops.x11.window_list import X11WindowList, connect, display_kept

_SUBTRACT = 3
_EVENTS = xcffib.xproto.EventMask.StructureNotify | xcffib.xproto.EventMask.PropertyChange


class X11PixmapSource:
    """Frames of one window, free of anything that covers it.

    Two connections: the *listener* only receives (changes of the window, and one report for each time
    the picture turns from seen to changed), so its socket is readable exactly when there is something
    to take; the *desktop* connection asks. The change is acknowledged right before the picture is read
    and in the same batch of requests, so no change between the two can be lost.

    `dropped` counts the redraws (see RedrawCount) that were overwritten by a later one before their
    pixels were read. Redraws while the window is minimised are not counted.

    Args:
        after_frame: number of the frame before the first one.

    Raises:
        WindowLost: the window is gone, or has no 24- or 32-bit colour.
        CaptureUnsupported: the server lacks Composite or Damage, or refuses them for this window.
        DisplayError: the display cannot be reached, or (by every method) was lost.
    """

    backend = "x11-pixmap"

    def __init__(self, window: WindowRef, *, after_frame: int = 0) -> None:
        self.window = window
        self.health = WindowHealth.MINIMISED
        self.dropped = 0
        self._frame_id = after_frame
        self._changed_ns: int | None = None
        self._pixmap: int | None = None
        self._pixmap_size = (0, 0)
        self._border = 0
        self._stale = True
        self._redraws = RedrawCount()
        self._listener: Any = None
        self._desktop = X11WindowList()
        try:
            self._listener = connect()
            self._fileno = int(self._listener.get_file_descriptor())
            with display_kept():
                self._open()
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        return self._fileno

    def take(self) -> Frame | None:
        """Return the newest picture if it changed since the last one; None if not. Never waits for a change.

        `window` and `health` are up to date afterwards.
        """
        with display_kept():
            self._follow()
            return self._grab() if self._changed_ns is not None else None

    def fresh(self) -> Frame | None:
        """Return the picture now, changed or not; None where the window is minimised or gone."""
        with display_kept():
            self._follow()
            if self.health is not WindowHealth.GONE:
                self._look()
            return self._grab()

    def close(self) -> None:
        """Stop: the server undoes everything when the connections end."""
        for connection in (self._listener, self._desktop.connection):
            if connection is not None:
                with contextlib.suppress(xcffib.XcffibException):
                    connection.disconnect()

    # ---- opening

    def _open(self) -> None:
        title = self.window.title
        seen = self._desktop.look(self.window.native_id)
        if seen is None:
            raise WindowLost(f"the window {title!r} is gone.", "Choose the game's window again.")
        check_format(self._desktop, seen.depth, seen.visual)
        missing = [name for name in ("Composite", "DAMAGE") if not self._desktop.has_extension(name)]
        if missing:
            raise CaptureUnsupported(
                f"the X server has no {' and no '.join(missing)} extension.",
                "Choose the screen back end in Settings.",
            )
        try:
            self._redirect()
        except xcffib.Error as error:
            raise CaptureUnsupported(
                f"the X server refuses the pixels of {title!r} ({type(error).__name__}).",
                "Choose the screen back end in Settings.",
            ) from None
        self._reader = PixelReader(self._desktop)
        self._state_atom = self._desktop.atom("WM_STATE")
        self._look()

    def _redirect(self) -> None:
        """Ask for the pixmap and for the reports of changes.

        The listener waits for no reply once it receives events: a reply would pull them off the
        socket unseen.
        """
        native_id = self.window.native_id
        ask, listen = self._desktop.connection, self._listener
        self._composite = ask(xcffib.composite.key)
        self._composite.QueryVersion(0, 4).reply()
        self._composite.RedirectWindowChecked(native_id, xcffib.composite.Redirect.Automatic).check()
        ask_damage, listen_damage = ask(xcffib.damage.key), listen(xcffib.damage.key)
        ask_damage.QueryVersion(1, 1).reply()
        listen_damage.QueryVersion(1, 1).reply()
        each = ask.generate_id()
        ask_damage.CreateChecked(each, native_id, xcffib.damage.ReportLevel.RawRectangles).check()
        self._damage = int(listen.generate_id())
        self._acknowledge = PreparedRequest(ask, _SUBTRACT, "III", extension=xcffib.damage.key)
        listen.core.ChangeWindowAttributes(native_id, xcffib.xproto.CW.EventMask, [_EVENTS])
        listen_damage.Create(self._damage, native_id, xcffib.damage.ReportLevel.NonEmpty)
        listen.flush()

    # ---- following

    def _follow(self) -> None:
        """Read what happened to the window since the last call."""
        disturbed = False
        for event in self._listener.events():
            disturbed |= self._notice(event)
        if disturbed and self.health is not WindowHealth.GONE:
            self._look()

    def _notice(self, event: Any) -> bool:
        """Return whether the window must be looked at again because of this event."""
        match event:
            case DamageReport():
                if self._changed_ns is None:
                    self._changed_ns = now_ns()
                return False
            case xcffib.xproto.DestroyNotifyEvent():
                self.health = WindowHealth.GONE
                return False
            case xcffib.xproto.ConfigureNotifyEvent(width=width, height=height, border_width=border):
                self._stale |= (width + 2 * border, height + 2 * border) != self._pixmap_size
                return True
            case xcffib.xproto.PropertyNotifyEvent(atom=atom):
                return bool(atom == self._state_atom)
            case (
                xcffib.xproto.MapNotifyEvent()
                | xcffib.xproto.UnmapNotifyEvent()
                | xcffib.xproto.ReparentNotifyEvent()
            ):
                self._stale = True
                return True
        return isinstance(event, xcffib.Error)  # a request found no window: is it gone?

    def _look(self) -> None:
        seen = self._desktop.look(self.window.native_id)
        if seen is None:
            self.health = WindowHealth.GONE
            return
        back = seen.health is WindowHealth.VISIBLE and self.health is not WindowHealth.VISIBLE
        if back:  # changes while it was hidden count from now on
            self._changed_ns = now_ns()
        self.window, self.health, self._border = seen.window, seen.health, seen.border
        inside = seen.window.rect
        size = (inside.width + 2 * seen.border, inside.height + 2 * seen.border)
        if self.health is WindowHealth.VISIBLE and (self._stale or size != self._pixmap_size):
            self._name_pixmap()

    def _name_pixmap(self) -> None:
        core = self._desktop.core
        if self._pixmap is not None:
            core.FreePixmap(self._pixmap)
            self._pixmap = None
        pixmap = int(self._desktop.connection.generate_id())
        try:
            self._composite.NameWindowPixmapChecked(self.window.native_id, pixmap).check()
            geometry = core.GetGeometry(pixmap).reply()
        except xcffib.Error:  # unmapped meanwhile: its MapNotify will come
            self.health, self._stale = WindowHealth.MINIMISED, True
            return
        self._pixmap, self._stale = pixmap, False
        self._pixmap_size = (int(geometry.width), int(geometry.height))
        width, height = (side - 2 * self._border for side in self._pixmap_size)
        rect = Rect(self.window.rect.x, self.window.rect.y, width, height)
        self.window = dataclasses.replace(self.window, rect=rect)
        if self._changed_ns is None:
            self._changed_ns = now_ns()

    # ---- grabbing

    def _grab(self) -> Frame | None:
        if self.health is not WindowHealth.VISIBLE or self._pixmap is None:
            self._count_redraws()
            return None
        rect = self.window.rect
        self._acknowledge.send(self._damage, 0, 0)
        try:
            pixels = self._reader.read(self._pixmap, self._border, self._border, rect.width, rect.height)
        except xcffib.Error:  # the border changed meanwhile: its ConfigureNotify will come
            self._stale = True
            return None
        ready_ns = now_ns()
        captured_ns, self._changed_ns = self._changed_ns or ready_ns, None
        self.dropped += self._count_redraws()
        self._frame_id += 1
        return Frame(
            frame_id=self._frame_id, captured_ns=captured_ns, ready_ns=ready_ns, pixels=pixels, window=rect
        )

    def _count_redraws(self) -> int:
        """Count redraws that were overwritten unseen. The desktop connection receives only reports."""
        for event in self._desktop.connection.events():
            if isinstance(event, DamageReport):
                self._redraws.note(event)
        return self._redraws.overwritten()


_GAP_MS = 3
_WRAP_MS = 1 << 32


class RedrawCount:
    """Redraws between two captured frames.

    A game may paint one picture with many requests, so reports less than 3 ms of server time apart are
    one redraw: the count is never inflated, and a window that repaints faster than 333 Hz is counted
    short. What was begun before the last captured frame and goes on after it is not counted again.
    """

    def __init__(self) -> None:
        self._begun = 0
        self._last_ms: int | None = None

    def note(self, at_ms: int) -> None:
        """Count a drawing request that was reported with this server time (32 bits of milliseconds)."""
        if self._last_ms is None or (at_ms - self._last_ms) % _WRAP_MS >= _GAP_MS:
            self._begun += 1
        self._last_ms = at_ms

    def overwritten(self) -> int:
        """Return how many redraws since the last call were overwritten by a later one: all but the newest."""
        begun, self._begun = self._begun, 0
        return max(0, begun - 1)
