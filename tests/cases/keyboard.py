"""The keyboard and mouse of a test's screen, as people change them: layouts, lost keys, swapped buttons."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import xcffib
import xcffib.xkb
from xcffib import xproto

from pitwall.core.injection import Obstacle, Ready
from workshop.fixtures.broker_rig import BrokerRig

_BUTTONS = 10
_CORE_KEYBOARD = 0x100
_NO_SYMBOL = 0
both_seats = pytest.mark.parametrize("rig", [False, True], ids=["persons-devices", "own-seat"], indirect=True)
"""Run a test with the person's devices, and with a keyboard and pointer of the agent's own."""
own_seat = pytest.mark.parametrize("rig", [True], ids=["own-seat"], indirect=True)


class Keyboard:
    """Changes one X server's keyboard and pointer by its own requests and by setxkbmap."""

    def __init__(self, display: str) -> None:
        self._display = display
        self._connection = xcffib.Connection(display=display)
        self._xkb = self._connection(xcffib.xkb.key)
        self._xkb.UseExtension(1, 0).reply()

    def layout(self, layout: str, *, variant: str = "", option: str = "", group: int = 0) -> None:
        """Put a layout in force, as a person does with setxkbmap, and one of its groups."""
        words = [
            "setxkbmap",
            "-display",
            self._display,
            "-layout",
            layout,
            "-variant",
            variant,
            "-option",
            "",
        ]
        subprocess.run([*words, *(["-option", option] if option else [])], check=True, timeout=60)
        self.group(group)

    def group(self, group: int) -> None:
        """Put one group of the layout in force, as a hotkey of the layout does."""
        self._xkb.LatchLockState(_CORE_KEYBOARD, 0, 0, 1, group, 0, 0, 0, 0)
        self.sync()

    def drop_key(self, code: int) -> None:
        """Take a key's symbols away, as `xmodmap -e "keycode CODE ="` does."""
        self._connection.core.ChangeKeyboardMappingChecked(1, code, 1, [_NO_SYMBOL]).check()

    def buttons(self, *order: int) -> None:
        """Map the pointer's first buttons, as `xmodmap -e "pointer = 3 2 1"` does."""
        whole = [*order, *range(len(order) + 1, _BUTTONS + 1)]
        self._connection.core.SetPointerMapping(len(whole), whole).reply()

    def lock(self, mask: int, *, on: bool = True) -> None:
        """Lock or unlock modifiers (Caps Lock: 2, Num Lock: 16)."""
        self._xkb.LatchLockState(_CORE_KEYBOARD, mask, mask if on else 0, 0, 0, 0, 0, 0, 0)
        self.sync()

    def grab(self, code: int) -> None:
        """Take a key for another program, under any modifiers."""
        root = self._connection.get_setup().roots[0].root
        mode = xproto.GrabMode.Async
        self._connection.core.GrabKeyChecked(False, root, xproto.ModMask.Any, code, mode, mode).check()

    def sync(self) -> None:
        """Wait until the server has taken everything in."""
        self._connection.core.GetInputFocus().reply()

    def restore(self) -> None:
        """Bring back an American keyboard and a right-handed mouse, and let every key go."""
        root = self._connection.get_setup().roots[0].root
        self._connection.core.UngrabKey(0, root, xproto.ModMask.Any)
        self.lock(0xFF, on=False)
        self.buttons()
        self.layout("us")
        self._connection.disconnect()


def obstacle_of(rig: BrokerRig, **order: Any) -> Obstacle:
    """Configure the brokers, and return the obstacle that they answer with."""
    rig.messages = [message for message in rig.messages if not isinstance(message, Ready) or message.standby]
    rig.configure(**order)
    return rig.until(lambda: next((ready.obstacle for ready in rig.all_said(Ready) if ready.obstacle), None))
