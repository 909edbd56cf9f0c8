"""A simulated person: input as from a keyboard and a mouse of their own, which XTEST cannot give.

XTEST can be told to speak for another device; the server then reports that device as the source, so
for the broker it is a hand's. Used by benchmarks and tests on virtual screens.
"""

from __future__ import annotations

import io
import struct

from xcffib import xproto

from pitwall.broker.x11.devices import Devices, Hand
from pitwall.broker.x11.display import Display
from pitwall.broker.x11.keymap import Keymap
from pitwall.core.errors import DisplayError

_XI_KEY_PRESS, _XI_KEY_RELEASE, _XI_BUTTON_PRESS, _XI_BUTTON_RELEASE, _XI_MOTION = 1, 2, 3, 4, 5
"""Offsets from XInput's first event, as XTEST's FakeInput takes them."""
_NONE = 0
_FAKE_INPUT = 2
_SLAVE_POINTER, _SLAVE_KEYBOARD = 3, 4


class Hands:
    """A person at the first keyboard and mouse of a screen, who can also see what is down.

    Raises:
        DisplayError: the screen has no keyboard or no mouse.
    """

    def __init__(self) -> None:
        self._display = Display()
        self._keymap = Keymap(self._display)
        self._first_event = self._display.core.QueryExtension(15, "XInputExtension").reply().first_event
        self._keyboard = self._device(_SLAVE_KEYBOARD)
        self._mouse = self._device(_SLAVE_POINTER)

    def key(self, name: str, *, down: bool) -> None:
        """Press or release a key by its canonical name; returns when the server has it."""
        code = self._keymap.code(name)
        if code is None:
            raise DisplayError(f"this keyboard layout has no key {name}.")
        self._fake(_XI_KEY_PRESS if down else _XI_KEY_RELEASE, code, self._keyboard)

    def button(self, number: int, *, down: bool) -> None:
        self._fake(_XI_BUTTON_PRESS if down else _XI_BUTTON_RELEASE, number, self._mouse)

    def move(self, dx: int, dy: int) -> None:
        """Move the mouse by so many pixels (before acceleration)."""
        motion = struct.pack("=BB22x7xB", self._first_event + _XI_MOTION, 1, self._mouse)
        axes = struct.pack("=BBHHBB6i", self._first_event, self._mouse, 0, 0, 2, 0, dx, dy, 0, 0, 0, 0)
        body = io.BytesIO(b"\0\0\0\0" + motion + axes)
        self._display.xtest.send_request(_FAKE_INPUT, body)
        self._sync()

    def place_pointer(self, x: int, y: int) -> None:
        """Put the pointer somewhere on the root, as a program does (no device moves)."""
        self._display.core.WarpPointer(_NONE, self._display.root, 0, 0, 0, 0, x, y)
        self._sync()

    def pointer(self) -> tuple[int, int]:
        reply = self._display.core.QueryPointer(self._display.root).reply()
        return reply.root_x, reply.root_y

    def keys_down(self) -> tuple[str, ...]:
        """Keys that the server has as down, by whoever (XQueryKeymap)."""
        state = bytes(self._display.core.QueryKeymap().reply().keys)
        codes = [code for code in range(256) if state[code // 8] >> (code % 8) & 1]
        return tuple(self._keymap.name(code) or f"keycode {code}" for code in codes)

    def buttons_down(self) -> int:
        """Mask of the buttons that are down (bit 0: left)."""
        return int(self._display.core.QueryPointer(self._display.root).reply().mask) >> 8 & 0x1F

    def focus(self) -> int:
        """The window that has the keyboard focus."""
        return int(self._display.core.GetInputFocus().reply().focus)

    def steal_focus(self, window: int) -> None:
        """Give the focus to another window, without asking the window manager."""
        self._display.core.SetInputFocus(xproto.InputFocus.Parent, window, xproto.Time.CurrentTime)
        self._sync()

    def close(self) -> None:
        self._display.close()

    def _device(self, kind: int) -> int:
        devices = Devices(self._display)
        for info in self._display.xinput.XIQueryDevice(0).reply().infos:
            if info.type == kind and devices.hand(info.deviceid) is Hand.DEVICE:
                return int(info.deviceid)
        raise DisplayError("this screen has no keyboard and mouse of its own to play a person with.")

    def _fake(self, offset: int, detail: int, device: int) -> None:
        self._display.xtest.FakeInput(self._first_event + offset, detail, 0, 0, 0, 0, device)
        self._sync()

    def _sync(self) -> None:
        self._display.core.GetInputFocus().reply()
