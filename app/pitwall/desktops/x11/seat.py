"""The keyboard and pointer that the broker presses with: the person's, or a pair of the agent's own."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import struct
from functools import partial

import xcffib
import xcffib.xinput
import xcffib.xtest

from pitwall.core.errors import PitwallError
from pitwall.desktops.linux_processes import born
from pitwall.desktops.x11.connection import PreparedRequest
from pitwall.desktops.x11.device_pairs import VIRTUAL_CORE_POINTER, add_pair, list_devices, remove_pairs
from pitwall.desktops.x11.display import (
    AGENT,
    BUTTON_RELEASE,
    KEY_PRESS,
    KEY_RELEASE,
    MOTION,
    RELATIVE,
    XTEST_KEYBOARD,
    XTEST_POINTER,
    Display,
)
from pitwall.desktops.x11.layout_copy import copy_layout
from pitwall.desktops.x11.xkb import CORE_KEYBOARD

_FAKE_INPUT, _QUERY_POINTER, _GET_INPUT_FOCUS = 2, 38, 43
_XI_QUERY_POINTER, _XI_GET_FOCUS = 40, 50
_FAKE = "BB2xII8xhh7xB"
_VALUATORS = "BBHHBB6i"
_FOCUS_REPLY = struct.Struct("=8xI")
_POINTER_REPLY = struct.Struct("=16xhh4xH")
_XI_POINTER_REPLY = struct.Struct("=16xii12xIII4xBBB")
"""The place, then base, latched and locked modifiers and groups; the server leaves their sums empty."""
_FIXED_POINT = 16
_GROUP_SHIFT, _GROUPS = 13, 3
"""Lowest bit of the keyboard layout's group in a state mask."""
_MORE_EVENTS = 0x80
"""Set in FakeInput's device: the values of its axes follow as a second event."""
_VIRTUAL_CORE_KEYBOARD = 3
_SYNCHRONOUS, _ASYNCHRONOUS = 0, 1
_KEY_CLASS, _BUTTON_CLASS = 0, 1
_LEFT_PTR = 68
_COLOUR = (0xFFFF, 0x9000, 0x0000)
"""Red, green and blue of the agent's pointer."""
_NOW, _NOBODY = 0, 0


class NoSeat(PitwallError):
    """The agent cannot have a keyboard and pointer of its own here."""


class SharedSeat:
    """The person's keyboard and pointer; the agent presses by the core XTEST devices.

    Attributes:
        own: the pair is the agent's alone.
        sources: devices that only the broker presses with.
        keyboard: the master keyboard whose focus counts. pointer: the master pointer.
    """

    own = False
    sources: frozenset[int] = frozenset()
    keyboard = _VIRTUAL_CORE_KEYBOARD
    pointer = VIRTUAL_CORE_POINTER

    def __init__(self, display: Display) -> None:
        self._display = display
        self.xtest_pointer, self.xtest_keyboard = XTEST_POINTER, XTEST_KEYBOARD
        prepare = partial(PreparedRequest, display.connection)
        self._fake = prepare(_FAKE_INPUT, _FAKE, extension=xcffib.xtest.key)
        self._ask_focus = prepare(_GET_INPUT_FOCUS, answered=True)
        self._ask_pointer = prepare(_QUERY_POINTER, "I", answered=True)
        self._of_keyboard: tuple[int, ...] = ()
        self._of_pointer: tuple[int, ...] = (display.root,)
        self._open_slaves()

    def fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        """Send an XTEST event, unflushed.

        A motion goes to a place on the root; with the detail `RELATIVE` it goes so far from where the pointer
        is, and the server accelerates neither.
        """
        root = self._display.root if kind == MOTION and detail != RELATIVE else 0
        self._fake.send(kind, detail, 0, root, x, y, 0)

    def warp(self, x: int, y: int) -> None:
        """Put this pointer to a place on the root, unflushed; no device moves, so no game's view turns."""
        root, place = self._display.root, (x << _FIXED_POINT, y << _FIXED_POINT)
        self._display.xinput.XIWarpPointer(0, root, 0, 0, 0, 0, *place, self.pointer)

    def aim(self, window: int) -> bool:
        """Return False: the person's focus is the window manager's business."""
        del window
        return False

    def look(self) -> tuple[int, int]:
        """Return the focus window, and the mask of the modifiers and buttons that are down."""
        focus, pointer = self._ask_focus.send(*self._of_keyboard), self._ask_pointer.send(*self._of_pointer)
        (window,) = _FOCUS_REPLY.unpack_from(self._ask_focus.answer(focus))
        return window, self._pointer_answer(pointer)[2]

    def focus(self) -> int:
        """Return the window that has this keyboard's focus."""
        number = self._ask_focus.send(*self._of_keyboard)
        return int(_FOCUS_REPLY.unpack_from(self._ask_focus.answer(number))[0])

    def place(self) -> tuple[int, int]:
        """Return where this pointer is on the root."""
        x, y, _ = self._pointer_answer(self._ask_pointer.send(*self._of_pointer))
        return x, y

    def held(self) -> tuple[list[int], list[int]]:
        """Return keycodes and buttons that are down on the devices that `fake` presses with."""
        keys = _down_on(self._display, self.xtest_keyboard, _KEY_CLASS)
        return keys, _down_on(self._display, self.xtest_pointer, _BUTTON_CLASS)

    def copy_keyboard(self) -> None:
        """Do nothing: the layout is the person's."""

    def remove(self) -> None:
        """Do nothing: the person's devices stay."""

    def _pointer_answer(self, number: int) -> tuple[int, int, int]:
        """Return the pointer's x and y on the root, and the mask of what is down."""
        x, y, mask = _POINTER_REPLY.unpack_from(self._ask_pointer.answer(number))
        return x, y, mask

    def _open_slaves(self) -> None:
        for device in (self.xtest_pointer, self.xtest_keyboard):
            self._display.xinput.OpenDevice(device).reply()


class OwnSeat(SharedSeat):
    """A pair of master devices that the server keeps until `remove`, also when this process dies.

    The keyboard has a focus of its own, a copy of the person's layout, and the pointer its own place and
    colour. They are named after this process; `clear_seats` removes those of dead processes.

    Attributes:
        window: it was aimed at this window last.

    Raises:
        NoSeat: the server makes no such devices.
    """

    own = True

    def __init__(self, display: Display) -> None:
        try:
            self._name = _free_name(display)
            add_pair(display, self._name)
            ids = list_devices(display)
            self.pointer, self.keyboard = ids[f"{self._name} pointer"], ids[f"{self._name} keyboard"]
            self.xtest_pointer = ids[f"{self._name} XTEST pointer"]
            self.xtest_keyboard = ids[f"{self._name} XTEST keyboard"]
        except (xcffib.Error, KeyError) as error:
            raise NoSeat(
                f"this X server gives the agent no keyboard and pointer of its own: {error!r}."
            ) from error
        self._display = display
        self.sources = frozenset((self.xtest_pointer, self.xtest_keyboard))
        self._first_event = _first_event(display)
        prepare = partial(PreparedRequest, display.connection)
        self._fake = prepare(_FAKE_INPUT, _FAKE, extension=xcffib.xtest.key)
        self._fake_motion = prepare(_FAKE_INPUT, _FAKE + _VALUATORS, extension=xcffib.xtest.key)
        self._ask_focus = prepare(_XI_GET_FOCUS, "H2x", extension=xcffib.xinput.key, answered=True)
        self._ask_pointer = prepare(_XI_QUERY_POINTER, "IH2x", extension=xcffib.xinput.key, answered=True)
        self._of_keyboard, self._of_pointer = (self.keyboard,), (display.root, self.pointer)
        self._cursor = self._make_cursor()
        self.window = display.root
        self._open_slaves()
        try:
            self.copy_keyboard()
        except NoSeat:
            self.remove()
            raise

    def fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        first, event, pointer = self._first_event, self._first_event + kind - 1, self.xtest_pointer
        if kind == MOTION:  # a second event carries the place, or the distance
            axes = (first, pointer, 0, 0, 2, 0, x, y, 0, 0, 0, 0)
            self._fake_motion.send(event, detail, 0, 0, 0, 0, pointer | _MORE_EVENTS, *axes)
        else:
            device = self.xtest_keyboard if kind in (KEY_PRESS, KEY_RELEASE) else pointer
            self._fake.send(event, detail, 0, 0, 0, 0, device)

    def aim(self, window: int) -> bool:
        """Give this keyboard's focus to a window, and the window's own grabs and warps this pointer.

        SDL grabs the pointer as a button goes down in it, and many games as play begins. A grab of the
        person's pointer would hold it in the game, and keep from the game what the agent's does.

        Returns:
            False where the window cannot have a focus now, because it is not shown or gone.
        """
        xinput = self._display.xinput
        try:
            xinput.XISetClientPointerChecked(window, self.pointer).check()
            xinput.XISetFocusChecked(window, _NOW, self.keyboard).check()
            xinput.XIChangeCursorChecked(window, self._cursor, self.pointer).check()
        except xcffib.Error:
            return False
        self.window = window
        return True

    def renew_focus(self) -> None:
        """Take this keyboard's focus from its window and give it back, unflushed."""
        for window in (_NOBODY, self.window):
            self._display.xinput.XISetFocus(window, _NOW, self.keyboard)

    def freeze_persons_pointer(self) -> bool:
        """Take the person's pointer for ourselves until `let_persons_pointer_go`.

        What it does meanwhile waits in the server. A grab that does not freeze would swallow a click of the
        person's in another window, however short it is.

        Returns:
            False where another program has grabbed it.
        """
        grab = self._display.xinput.XIGrabDevice(
            self._display.root, _NOW, 0, VIRTUAL_CORE_POINTER, _SYNCHRONOUS, _ASYNCHRONOUS, True, 0, []
        )
        return int(grab.reply().status) == 0

    def let_persons_pointer_go(self) -> None:
        """End that grab; what waited reaches the windows."""
        self._display.xinput.XIUngrabDevice(_NOW, VIRTUAL_CORE_POINTER)
        self._display.flush()

    def copy_keyboard(self) -> None:
        """Give the keyboard the person's layout and the layout's group in force.

        Raises:
            NoSeat: the server refuses it.
        """
        try:  # the master has a layout of its own until its first key, without the group to be locked
            for device in (self.xtest_keyboard, self.keyboard):
                copy_layout(self._display, _VIRTUAL_CORE_KEYBOARD, device)
        except xcffib.Error as error:
            raise NoSeat(f"the agent's keyboard cannot take the layout of yours: {error!r}.") from error
        group = self._display.xkb.GetState(CORE_KEYBOARD).reply().group
        for device in (self.xtest_keyboard, self.keyboard):
            self._display.xkb.LatchLockState(device, 0, 0, True, group, 0, False, 0)

    def remove(self) -> None:
        """Remove the pair, and what an earlier removal of this process had to leave."""
        mine = [name for name, owner in _pairs(self._display) if owner == os.getpid()]
        remove_pairs(self._display, mine)

    def _pointer_answer(self, number: int) -> tuple[int, int, int]:
        answer = self._ask_pointer.answer(number, _XI_POINTER_REPLY.size)
        x, y, base, latched, locked, *groups = _XI_POINTER_REPLY.unpack_from(answer)
        group = sum(groups) & _GROUPS
        return x >> _FIXED_POINT, y >> _FIXED_POINT, base | latched | locked | group << _GROUP_SHIFT

    def _make_cursor(self) -> int:
        core, connection = self._display.core, self._display.connection
        font, cursor = connection.generate_id(), connection.generate_id()
        core.OpenFont(font, len("cursor"), "cursor")
        core.CreateGlyphCursor(cursor, font, font, _LEFT_PTR, _LEFT_PTR + 1, *_COLOUR, 0, 0, 0)
        core.CloseFont(font)
        return int(cursor)


def release_seats(display: Display) -> bool:
    """Bring up what is down on the pairs whose broker is dead; return whether there are such pairs."""
    devices, left, first = list_devices(display), _left_pairs(display), _first_event(display)
    kinds = (("keyboard", _KEY_CLASS, KEY_RELEASE), ("pointer", _BUTTON_CLASS, BUTTON_RELEASE))
    for name, (device, kind, release) in itertools.product(left, kinds):
        with contextlib.suppress(xcffib.Error, KeyError):  # another broker removes it
            number = devices[f"{name} XTEST {device}"]
            display.xinput.OpenDevice(number).reply()
            for detail in _down_on(display, number, kind):
                display.xtest.FakeInput(first + release - 1, detail, 0, 0, 0, 0, number)
    display.flush()
    return bool(left)


def clear_seats(display: Display) -> bool:
    """Release and remove the pairs whose broker is dead; return whether there were any."""
    there = release_seats(display)
    with contextlib.suppress(xcffib.Error, KeyError):  # another broker removes them
        remove_pairs(display, _left_pairs(display))
    return there


def _left_pairs(display: Display) -> list[str]:
    # A zombie, which its engine may leave, counts as dead.
    return [name for name, owner in _pairs(display) if not born(owner)]


def _free_name(display: Display) -> str:
    """Return a name for a pair of this process; a removal that had to wait may have left one."""
    taken = {name for name, _ in _pairs(display)}
    name = f"{AGENT} {os.getpid()}"
    numbered = (f"{name}.{number}" for number in itertools.count(1))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def _pairs(display: Display) -> list[tuple[str, int]]:
    """List the agents' pairs by name, each with the id of its broker's process."""
    matches = (re.fullmatch(rf"({AGENT} (\d+)(\.\d+)?) pointer", name) for name in list_devices(display))
    return [(match[1], int(match[2])) for match in matches if match is not None]


def held_by_seats(display: Display) -> tuple[list[int], list[int]]:
    """Return keycodes and buttons that are down on the own seats of all brokers on this server."""
    keys: list[int] = []
    buttons: list[int] = []
    for name, device in list_devices(display).items():
        if name.startswith(AGENT) and "XTEST" in name:
            with contextlib.suppress(xcffib.Error):  # removed since
                display.xinput.OpenDevice(device).reply()
                keys += _down_on(display, device, _KEY_CLASS)
                buttons += _down_on(display, device, _BUTTON_CLASS)
    return keys, buttons


def _first_event(display: Display) -> int:
    """Return the number of XInput's first event; XTEST presses with the ones after it."""
    name = "XInputExtension"
    return int(display.core.QueryExtension(len(name), name).reply().first_event)


def _down_on(display: Display, device: int, wanted_class: int) -> list[int]:
    """List the keys or buttons that are down on one device (xcffib cannot decode the reply)."""
    cookie = display.xinput.QueryDeviceState(device)
    raw = bytes(display.connection.wait_for_reply(cookie.sequence).buf)
    at = 32
    for _ in range(raw[8]):
        kind, length = raw[at], raw[at + 1]
        if kind == wanted_class:
            return bits(raw[at + 4 : at + 36])
        at += length
    return []


def bits(state: bytes) -> list[int]:
    """Return the numbers of the bits that are set."""
    return [number for number in range(len(state) * 8) if state[number // 8] >> (number % 8) & 1]
