"""Owns one connection to the X server, and reads its events whole (xcffib garbles some XInput2 ones)."""

from __future__ import annotations

import functools
import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, ParamSpec, TypeVar

import xcffib
import xcffib.xinput
import xcffib.xkb
import xcffib.xproto
import xcffib.xtest
from xcffib import lib, xproto

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import DisplayError
from pitwall.desktops.x11.connection import Connection, PreparedRequest
from pitwall.desktops.x11.xkb import read_change

KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION = 2, 3, 4, 5, 6
"""Core event types, as XTEST takes them."""
RELATIVE = 1
"""Detail of a motion that XTEST counts from where the pointer is."""
XTEST_POINTER, XTEST_KEYBOARD = 4, 5
"""The core XTEST devices have these ids on every server (dix/devices.c makes them first)."""
_GENERIC_EVENT = 35
_XI_KEY_PRESS, _XI_FOCUS_IN, _XI_FOCUS_OUT = 2, 9, 10
_XI_HIERARCHY, _XI_RAW_KEY_PRESS, _XI_RAW_KEY_RELEASE = 11, 13, 14
_XI_RAW_BUTTON_PRESS, _XI_RAW_BUTTON_RELEASE, _XI_RAW_MOTION = 15, 16, 17
_XI_RAW_TOUCH_BEGIN, _XI_RAW_TOUCH_END = 22, 24
_RAW_KINDS = {
    _XI_RAW_KEY_PRESS: "key_press",
    _XI_RAW_KEY_RELEASE: "key_release",
    _XI_RAW_BUTTON_PRESS: "button_press",
    _XI_RAW_BUTTON_RELEASE: "button_release",
    _XI_RAW_MOTION: "motion",
    _XI_RAW_TOUCH_BEGIN: "touch",
    _XI_RAW_TOUCH_END: "touch_end",
}
_XI_ALL_DEVICES, _XI_ALL_MASTERS = 0, 1
_XI_KEY_REPEAT = 1 << 16
_RAW = struct.Struct("=BBHIHHIIHHI4x")
_FIXED_POINT = struct.Struct("=iI")
_GRAB_SERVER, _UNGRAB_SERVER = 36, 37
_INFERIOR = 2
"""A focus event's detail: the focus moved between a window and its own children."""

_CLOCK_BITS, _LATEST_MS = 0xFFFFFFFF, 1_000

P = ParamSpec("P")
T = TypeVar("T")
Axes = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class RawInput:
    """An XInput2 raw event: what a device did, before focus and grabs.

    Attributes:
        kind: key_press, key_release, button_press, button_release, motion, touch, touch_end.
        detail: keycode or button.
        axes: raw values of the first two axes; None if the event lacks them.
        time_ms: of the server's clock, 32 bits.
    """

    kind: str
    detail: int
    source: int
    repeat: bool
    axes: Axes
    time_ms: int = 0

    def happened_ns(self, now_ns: int) -> int:
        """Return when it happened by our monotonic clock, which a local server's is; `now_ns` where it
        is another."""
        now_ms = now_ns // NS_PER_MS
        late_ms = (now_ms - self.time_ms) & _CLOCK_BITS
        return (now_ms - late_ms) * NS_PER_MS if late_ms < _LATEST_MS else now_ns


@dataclass(frozen=True, slots=True)
class DevicesChanged:
    """An input device came or went."""


@dataclass(frozen=True, slots=True)
class SeatFocusMoved:
    """A master keyboard's focus came to a window or left it.

    Attributes:
        keyboard: the master keyboard.
        lost: the focus left the window and everything in it.
    """

    keyboard: int
    lost: bool


@dataclass(frozen=True, slots=True)
class HeldKey:
    """A key of the person's waits in the server for us to let it go."""

    time_ms: int


class _Connection(Connection):
    """Reads generic events by their bytes; xcffib counts the axes of a raw event wrongly.

    XKB has one number for all its events, which xcffib cannot tell apart.
    """

    def __init__(self) -> None:
        super().__init__()
        data = lib.xcb_get_extension_data(self._conn, xcffib.xkb.key.c_key)
        self._xkb_event = data.first_event if data.present else None

    def hoist_event(self, event: Any) -> Any:
        if event.response_type & 0x7F == self._xkb_event:
            return read_change(bytes(xcffib.ffi.buffer(event, 32)))
        if event.response_type & 0x7F != _GENERIC_EVENT:
            return super().hoist_event(event)
        head = bytes(xcffib.ffi.buffer(event, _RAW.size))
        length = struct.unpack_from("=I", head, 4)[0]
        # libxcb puts four bytes of its own (the full sequence number) after the first 32.
        body = bytes(xcffib.ffi.buffer(event, _RAW.size + 4 + 4 * length))[_RAW.size + 4 :]
        return _generic(head, body)


def _generic(head: bytes, body: bytes) -> RawInput | DevicesChanged | SeatFocusMoved | HeldKey | None:
    fields = _RAW.unpack(head)
    event_type, time_ms, detail, source, mask_words, flags = fields[4], *fields[6:11]
    if event_type == _XI_HIERARCHY:
        return DevicesChanged()
    if event_type == _XI_KEY_PRESS:
        return HeldKey(time_ms)
    if event_type in (_XI_FOCUS_IN, _XI_FOCUS_OUT):
        lost = event_type == _XI_FOCUS_OUT and head[19] != _INFERIOR
        return SeatFocusMoved(keyboard=fields[5], lost=lost)
    if event_type not in _RAW_KINDS:
        return None
    axes = _axes(body, mask_words) if event_type == _XI_RAW_MOTION else (None, None)
    return RawInput(_RAW_KINDS[event_type], detail, source, bool(flags & _XI_KEY_REPEAT), axes, time_ms)


def _axes(body: bytes, mask_words: int) -> Axes:
    """Return the raw (unaccelerated) values of axes 0 and 1; in the body they come last."""
    mask = int.from_bytes(body[: 4 * mask_words], "little")
    at = 4 * mask_words + _FIXED_POINT.size * mask.bit_count()
    values: list[float | None] = [None, None]
    for axis in (0, 1):
        if mask >> axis & 1:
            whole, fraction = _FIXED_POINT.unpack_from(body, at)
            values[axis] = whole + fraction / 2**32
            at += _FIXED_POINT.size
    return values[0], values[1]


class Display:
    """The X server, as the broker needs it.

    Attributes:
        core, xtest, xinput, xkb: requests of each protocol (xcffib's own names).

    Raises:
        DisplayError: no server, or one without XTEST, XInput 2.2 or XKB. Later: the server is gone.
    """

    def __init__(self) -> None:
        try:
            self.connection = _Connection()
            self.core: Any = self.connection.core
            self.xtest: Any = self.connection(xcffib.xtest.key)
            self.xinput: Any = self.connection(xcffib.xinput.key)
            self.xkb: Any = self.connection(xcffib.xkb.key)
            self.root: int = self.connection.setup.roots[0].root
            self.xtest.GetVersion(2, 2).reply()
            version = self.xinput.XIQueryVersion(2, 2).reply()
            self.xkb.UseExtension(1, 0).reply()
        except xcffib.XcffibException as error:
            raise DisplayError(
                f"the broker cannot use the X display: {error!r}.",
                "Set DISPLAY to an X server with XTEST, XInput 2.2 and XKB.",
            ) from error
        if (version.major_version, version.minor_version) < (2, 2):
            raise DisplayError("the X server is too old: XInput 2.2 is needed.", "Update the X server.")
        prepare = partial(PreparedRequest, self.connection)
        self._grab, self._ungrab = prepare(_GRAB_SERVER), prepare(_UNGRAB_SERVER)
        self._atoms: dict[str, int] = {}

    def fileno(self) -> int:
        return int(self.connection.get_file_descriptor())

    def atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = self.core.InternAtom(False, len(name), name).reply().atom
        return self._atoms[name]

    def ignore_server_grabs(self) -> None:
        """Go on while another client grabs the server: that must not hold releases back."""
        self.xtest.GrabControl(True)

    def select_raw(self) -> None:
        """Hear raw input of every attached device, and devices coming and going."""
        raw = sum(1 << number for number in _RAW_KINDS)
        masks = [
            xcffib.xinput.EventMask.synthetic(_XI_ALL_MASTERS, 1, [raw]),
            xcffib.xinput.EventMask.synthetic(_XI_ALL_DEVICES, 1, [1 << _XI_HIERARCHY]),
        ]
        self.xinput.XISelectEventsChecked(self.root, len(masks), masks).check()

    def select(self, window: int, mask: int) -> None:
        """Hear core events of a window (errors of a window that is gone are passed over)."""
        self.core.ChangeWindowAttributes(window, xproto.CW.EventMask, [mask])

    def select_focus(self, window: int, keyboard: int, *, hear: bool = True) -> None:
        """Hear when a master keyboard's focus comes to a window or leaves it, or hear it no more."""
        events = 1 << _XI_FOCUS_IN | 1 << _XI_FOCUS_OUT if hear else 0
        mask = xcffib.xinput.EventMask.synthetic(keyboard, 1, [events])
        self.xinput.XISelectEvents(window, 1, [mask])

    def events(self) -> list[Any]:
        """Return all events since the last call, without errors of unchecked requests. Never waits."""
        try:
            return [event for event in self.connection.events() if not isinstance(event, xcffib.Error)]
        except xcffib.ConnectionException as error:
            raise gone(error) from error

    def grab(self) -> None:
        """Keep every other client waiting from the next answer on."""
        self._grab.send()

    def let_go(self) -> None:
        """Let other clients be served again; sends everything that waits."""
        self._ungrab.send()
        self.flush()

    def flush(self) -> None:
        self.connection.flush()

    def close(self) -> None:
        self.connection.disconnect()


class Claims:
    """Names that one connection has at a time (selections), until it ends."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._window = display.connection.generate_id()
        kind = xproto.WindowClass.InputOnly
        display.core.CreateWindow(0, self._window, display.root, 0, 0, 1, 1, 0, kind, 0, 0, [])

    def take(self, name: str) -> None:
        """Take a name."""
        now = xproto.Time.CurrentTime
        self._display.core.SetSelectionOwner(self._window, self._display.atom(name), now)

    def is_taken_by_another(self, name: str) -> bool:
        """Return whether another connection has the name."""
        owner = self._display.core.GetSelectionOwner(self._display.atom(name)).reply().owner
        return owner not in (0, self._window)


def gone(error: Exception) -> DisplayError:
    """Return the error for a lost X server."""
    return DisplayError(f"the X display is gone: {error}.", "Start the screen again, then the run.")


def on_server(call: Callable[P, T]) -> Callable[P, T]:
    """Make a call raise DisplayError when the server is gone."""

    @functools.wraps(call)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except xcffib.ConnectionException as error:
            raise gone(error) from error

    return guarded


_ALL_DEVICES = 0
_MASTERS = (1, 2)
_VALUATOR_CLASS = 2
_ABSOLUTE = 1
_XTEST_NAMES = ("XTEST pointer", "XTEST keyboard")
AGENT = "Pitwall agent"
"""Names of agents' own devices begin with this, and with the id of their broker's process after it."""
_OF_AGENT = re.compile(rf"{AGENT} (\d+)\b")


class InputOrigin(Enum):
    """Names the origin of input: a device, XTEST (any program's), or the server itself (pointer warps)."""

    DEVICE = "device"
    XTEST = "xtest"
    SERVER = "server"


class Devices:
    """The devices attached now; read again when one comes or goes.

    Attributes:
        of_other_agents: these press in the windows of other brokers' games alone.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self.of_other_agents: set[int] = set()
        self._origins: dict[int, InputOrigin] = {}
        self._absolute: set[int] = set()
        self._last: dict[tuple[int, int], float] = {}
        self.reload()

    def reload(self) -> None:
        self._origins.clear()
        self._absolute.clear()
        self.of_other_agents.clear()
        for info in self._display.xinput.XIQueryDevice(_ALL_DEVICES).reply().infos:
            self._origins[info.deviceid] = self._origin_of(info)
            agent = _OF_AGENT.match(info.name.to_string())
            if agent is not None and int(agent[1]) != os.getpid():
                self.of_other_agents.add(info.deviceid)
            if any(c.type == _VALUATOR_CLASS and c.mode == _ABSOLUTE for c in info.classes):
                self._absolute.add(info.deviceid)

    def origin(self, source: int) -> InputOrigin:
        """Return where a device's input comes from; an unknown device counts as a real one."""
        return self._origins.get(source, InputOrigin.DEVICE)

    def moved(self, event: RawInput) -> tuple[float, float]:
        """Return a motion right and down, in the device's units (pixels for a mouse)."""
        if event.source not in self._absolute:
            return event.axes[0] or 0.0, event.axes[1] or 0.0
        moved = [0.0, 0.0]
        for axis, value in enumerate(event.axes):
            if value is not None:
                moved[axis] = value - self._last.get((event.source, axis), value)
                self._last[event.source, axis] = value
        return moved[0], moved[1]

    @staticmethod
    def _origin_of(info: Any) -> InputOrigin:
        if info.type in _MASTERS:
            return InputOrigin.SERVER
        name = str(info.name.to_string())
        return InputOrigin.XTEST if name.endswith(_XTEST_NAMES) else InputOrigin.DEVICE
