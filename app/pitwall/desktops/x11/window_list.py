"""The windows of an X server: one connection, and the questions that it answers about them."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator
from typing import Any

import xcffib
import xcffib.randr
import xcffib.res
import xcffib.xfixes
import xcffib.xproto

from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.desktops.contract import WindowList, WindowState
from pitwall.desktops.x11.connection import Connection

_ICONIC_STATE = 3
_NOT_PLAYABLE = ("_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_SPLASH")
_FULL_SCREEN_SHARE = 0.2
_LEAST_PX = 256
_MIDDLE_PX = 1
"""A pointer so near the middle of a window was put there."""
ANY_BUTTON = 0x1F00
"""Bits of a state mask that stand for buttons."""
_LOST_FIX = "Start the screen (or log in) again, then start Pitwall on it."


def connect() -> Any:
    """Connect to the server that $DISPLAY names.

    Raises:
        DisplayError: it cannot be reached.
    """
    name = os.environ.get("DISPLAY", "")
    try:
        return Connection()
    except xcffib.XcffibException:
        raise DisplayError(
            f"the X display {name!r} cannot be reached." if name else "DISPLAY is not set.",
            "Run Pitwall inside the desktop session of the game, or set DISPLAY to its number (like :0).",
        ) from None


@contextlib.contextmanager
def display_kept() -> Iterator[None]:
    """Turn the loss of the X server into a DisplayError."""
    try:
        yield
    except xcffib.ConnectionException:
        name = os.environ.get("DISPLAY", "")
        raise DisplayError(f"the X display {name!r} was lost: its server ended.", _LOST_FIX) from None


def replies(*cookies: Any) -> list[Any]:
    """Return the answers to requests that were all sent before: a single round trip.

    Raises:
        xcffib.Error: one of them failed (all answers were read).
    """
    answers: list[Any] = []
    failed: Exception | None = None
    for cookie in cookies:
        try:
            answers.append(cookie.reply())
        except xcffib.Error as error:
            failed = error
    if failed is not None:
        raise failed
    return answers


class X11WindowList(WindowList):
    """The windows of an X server; each call asks the server."""

    def __init__(self) -> None:
        self.connection = connect()
        self.core = self.connection.core
        self.setup = self.connection.setup
        self.screen = self.setup.roots[self.connection.pref_screen]
        self.root = int(self.screen.root)
        self._res = self.connection(xcffib.res.key)
        self._atoms: dict[str, int] = {}

    def close(self) -> None:
        self.connection.disconnect()

    def atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = int(self.core.InternAtom(False, len(name), name).reply().atom)
        return self._atoms[name]

    def has_extension(self, name: str) -> bool:
        return bool(self.core.QueryExtension(len(name), name).reply().present)

    def is_xwayland(self) -> bool:
        """Return whether the server is XWayland: by its extension (since 23.1) or its outputs' names."""
        with display_kept():
            if self.has_extension("XWAYLAND"):
                return True
            if not self.has_extension("RANDR"):
                return False
            randr = self.connection(xcffib.randr.key)
            randr.QueryVersion(1, 3).reply()
            screen = randr.GetScreenResourcesCurrent(self.root).reply()
            outputs = replies(
                *(randr.GetOutputInfo(each, screen.config_timestamp) for each in screen.outputs)
            )
            return any(bytes(output.name.buf()).startswith(b"XWAYLAND") for output in outputs)

    @property
    def screen_size(self) -> tuple[int, int]:
        """Return width and height of the whole screen, in pixels."""
        return int(self.screen.width_in_pixels), int(self.screen.height_in_pixels)

    def look(self, window_id: int) -> WindowState | None:
        """Return the window's state now; None if there is no such window."""
        with display_kept():
            try:
                return self._look(window_id)
            except xcffib.Error:
                return None

    def client_ids(self) -> list[int]:
        """List the top-level client windows in stacking order, bottom first.

        By the window manager's own list where a living one keeps it, else from the tree of windows.
        """
        with display_kept():
            listed = self._property(self.root, "_NET_CLIENT_LIST_STACKING").reply()
            if listed.format == 32 and self._managed():
                return self._words(listed)
            return [self._client_inside(child) for child in self._mapped_ids(least_px=_LEAST_PX)]

    def unmanaged_ids(self) -> list[int]:
        """List large windows that bypass the window manager, bottom first."""
        screen_px = int(self.screen.width_in_pixels) * int(self.screen.height_in_pixels)
        with display_kept():
            return self._mapped_ids(least_px=round(screen_px * _FULL_SCREEN_SHARE))

    def playable(self, window_id: int) -> bool:
        """Return whether it is more than a panel, a splash screen or the desktop's background."""
        with display_kept():
            try:
                kinds = self._words(self._property(window_id, "_NET_WM_WINDOW_TYPE").reply())
            except xcffib.Error:
                return False
            return not any(self.atom(name) in kinds for name in _NOT_PLAYABLE)

    def at(self, x: int, y: int) -> int | None:
        """Return the client window whose frame is topmost at a point of the screen and takes clicks there."""
        with display_kept():
            top = int(self.core.TranslateCoordinates(self.root, self.root, x, y).reply().child)
            clients = set(self.client_ids())
            return self._descend(top, clients) if top else None

    def give_focus(self, window_id: int) -> None:
        """Give a window the person's keyboard focus, if it is shown."""
        parent, now = xcffib.xproto.InputFocus.Parent, xcffib.xproto.Time.CurrentTime
        with contextlib.suppress(xcffib.Error), display_kept():
            self.core.SetInputFocusChecked(parent, window_id, now).check()

    def answers(self, window_id: int, wait_s: float) -> bool | None:
        """Return whether the window's program answers a ping; None: it takes no part in pings."""
        with display_kept():
            try:
                protocols, ping = self.atom("WM_PROTOCOLS"), self.atom("_NET_WM_PING")
                if ping not in self._words(self._property(window_id, "WM_PROTOCOLS").reply()):
                    return None
                mask = xcffib.xproto.EventMask
                events = [mask.SubstructureNotify]
                self.core.ChangeWindowAttributes(self.root, xcffib.xproto.CW.EventMask, events)
                data = xcffib.xproto.ClientMessageData.synthetic([ping, 0, window_id, 0, 0], "I" * 5)
                message = xcffib.xproto.ClientMessageEvent.synthetic(32, window_id, protocols, data)
                self.core.SendEventChecked(False, window_id, mask.NoEvent, message.pack()).check()
            except xcffib.Error:
                return None
            return self._hears_pong(window_id, ping, time.monotonic() + wait_s)

    def dialogs(self, window_id: int) -> list[WindowRef]:
        ids = self.client_ids()
        above = ids[ids.index(window_id) + 1 :] if window_id in ids else []
        others = set(ids) - {window_id}
        with display_kept():
            looks = (self.look(other) for other in reversed(above) if self._blocks(other, window_id, others))
            return [seen.window for seen in looks if seen is not None and seen.health is WindowHealth.VISIBLE]

    def pointer_is_captive(self, window_id: int) -> bool:
        """Return whether the pointer is hidden inside the window, and grabbed or held at its middle.

        A menu grabs the pointer too, and a held button does; neither hides it.
        """
        with display_kept():
            try:
                pointer = self.core.QueryPointer(window_id).reply()
                size = self.core.GetGeometry(window_id).reply()
                inside = 0 <= pointer.win_x < size.width and 0 <= pointer.win_y < size.height
                if not inside or pointer.mask & ANY_BUTTON or not self._pointer_hidden():
                    return False
                off = (abs(pointer.win_x - size.width // 2), abs(pointer.win_y - size.height // 2))
                return max(off) <= _MIDDLE_PX or self._pointer_grabbed()
            except xcffib.Error:
                return False

    # ---- inside

    def _hears_pong(self, window_id: int, ping: int, until_s: float) -> bool:
        while (left_s := until_s - time.monotonic()) > 0:
            for event in self.connection.events():
                if isinstance(event, xcffib.xproto.ClientMessageEvent):
                    words = list(event.data.data32)
                    if words[0] == ping and words[2] == window_id and event.window == self.root:
                        return True
            select.select([self.connection.get_file_descriptor()], [], [], min(left_s, 0.1))
        return False

    def _blocks(self, dialog: int, window_id: int, others: set[int]) -> bool:
        """Return whether a window calls itself a dialog, and not that of another window alone."""
        try:
            owner, kinds, states = replies(
                self._property(dialog, "WM_TRANSIENT_FOR"),
                self._property(dialog, "_NET_WM_WINDOW_TYPE"),
                self._property(dialog, "_NET_WM_STATE"),
            )
        except xcffib.Error:
            return False
        owners = self._words(owner)
        if window_id in owners or self.atom("_NET_WM_STATE_MODAL") in self._words(states):
            return True
        return self.atom("_NET_WM_WINDOW_TYPE_DIALOG") in self._words(kinds) and others.isdisjoint(owners)

    def _pointer_hidden(self) -> bool:
        if not self.has_extension("XFIXES"):
            return False
        fixes = self.connection(xcffib.xfixes.key)
        fixes.QueryVersion(4, 0).reply()
        picture = fixes.GetCursorImage().reply().cursor_image
        return not any(int(pixel) >> 24 for pixel in picture)

    def _pointer_grabbed(self) -> bool:
        """Return whether another program has grabbed the pointer.

        A grab of ours ends in the same breath; it freezes the pointer, so that no click falls to it.
        """
        mode, now = xcffib.xproto.GrabMode, xcffib.xproto.Time.CurrentTime
        grab = self.core.GrabPointer(False, self.root, 0, mode.Sync, mode.Async, 0, 0, now)
        self.core.UngrabPointer(now)
        return bool(grab.reply().status == xcffib.xproto.GrabStatus.AlreadyGrabbed)

    def _look(self, window_id: int) -> WindowState:
        wanted = xcffib.res.ClientIdSpec.synthetic(window_id, xcffib.res.ClientIdMask.LocalClientPID)
        attributes, geometry, origin, owner, pid, state, name, old_name, wm_class = replies(
            self.core.GetWindowAttributes(window_id),
            self.core.GetGeometry(window_id),
            self.core.TranslateCoordinates(window_id, self.root, 0, 0),
            self._res.QueryClientIds(1, [wanted]),
            self._property(window_id, "_NET_WM_PID"),
            self._property(window_id, "WM_STATE"),
            self._property(window_id, "_NET_WM_NAME"),
            self._property(window_id, "WM_NAME"),
            self._property(window_id, "WM_CLASS"),
        )
        iconic = self._words(state)[:1] == [_ICONIC_STATE]
        viewable = attributes.map_state == xcffib.xproto.MapState.Viewable
        owners = [int(value) for client in owner.ids for value in client.value]
        classes = _text(wm_class).rstrip("\0").split("\0")
        return WindowState(
            window=WindowRef(
                native_id=window_id,
                pid=next(iter([*owners, *self._words(pid)]), 0),
                title=_text(name) or _text(old_name),
                wm_class=classes[-1],
                rect=Rect(origin.dst_x, origin.dst_y, geometry.width, geometry.height),
            ),
            health=WindowHealth.VISIBLE if viewable and not iconic else WindowHealth.MINIMISED,
            depth=int(geometry.depth),
            border=int(geometry.border_width),
            visual=int(attributes.visual),
        )

    def _property(self, window_id: int, name: str) -> Any:
        return self.core.GetProperty(
            False, window_id, self.atom(name), xcffib.xproto.GetPropertyType.Any, 0, 16_384
        )

    @staticmethod
    def _words(reply: Any) -> list[int]:
        return [int(word) for word in reply.value.to_atoms()] if reply.format == 32 else []

    def _managed(self) -> bool:
        """Return whether a window manager runs (a dead one leaves its list of windows behind)."""
        try:
            check = self._words(self._property(self.root, "_NET_SUPPORTING_WM_CHECK").reply())
            return (
                bool(check)
                and self._words(self._property(check[0], "_NET_SUPPORTING_WM_CHECK").reply()) == check
            )
        except xcffib.Error:
            return False

    def _mapped_ids(self, *, least_px: int) -> list[int]:
        """List the mapped windows directly below the root that have at least this area."""
        mapped_ids: list[int] = []
        for child in self.core.QueryTree(self.root).reply().children:
            try:
                attributes, geometry = replies(
                    self.core.GetWindowAttributes(child), self.core.GetGeometry(child)
                )
            except xcffib.Error:
                continue
            mapped = attributes.map_state == xcffib.xproto.MapState.Viewable
            drawn = attributes._class == xcffib.xproto.WindowClass.InputOutput
            if mapped and drawn and geometry.width * geometry.height >= least_px:
                mapped_ids.append(int(child))
        return mapped_ids

    def _client_inside(self, window_id: int) -> int:
        """Return the managed window inside an old window manager's frame, or the window itself."""
        try:
            inner = self.core.QueryTree(window_id).reply().children
            for child in (window_id, *inner):
                if self._words(self._property(int(child), "WM_STATE").reply()):
                    return int(child)
        except xcffib.Error:
            pass
        return window_id

    def _descend(self, top: int, clients: set[int]) -> int | None:
        level = [top]
        while level:
            for window in reversed(level):
                if window in clients:
                    return window
            below: list[int] = []
            for window in level:
                with contextlib.suppress(xcffib.Error):
                    below += [int(child) for child in self.core.QueryTree(window).reply().children]
            level = below
        return None


def _text(reply: Any) -> str:
    if reply.format != 8:
        return ""
    raw: bytes = reply.value.buf()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
