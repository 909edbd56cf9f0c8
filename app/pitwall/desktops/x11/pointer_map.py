"""Which of a pointer's physical buttons gives which button to a game (left-handed mice, turned wheels)."""

from __future__ import annotations

import xcffib

from pitwall.core.actions import Button
from pitwall.desktops.x11.display import XTEST_POINTER, Display

BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3}
"""The numbers of the buttons as games see them."""
_MOST_BUTTONS = 7
"""Buttons and the wheel's four directions."""


class PointerMap:
    """The server's button mappings: a device's own, then that of the pointer that games see.

    Args:
        device: the pointer that presses.
    """

    def __init__(self, display: Display, device: int = XTEST_POINTER) -> None:
        self._display = display
        self.device = device
        self._own_master = False
        self._chains: dict[int, tuple[int, ...]] = {}

    def use(self, device: int, *, own_master: bool) -> None:
        """Press with another pointer from now on.

        Args:
            own_master: games see it as a pointer of its own, whose buttons are in their usual order.
        """
        self.device, self._own_master = device, own_master
        self.forget()

    def forget(self) -> None:
        """Read the mappings again at the next question."""
        self._chains.clear()

    def physical(self, button: int) -> int | None:
        """Return the button to press for a game to get this button; None if the mapping has none for it."""
        chain = self._chain(self.device)
        return chain.index(button) + 1 if button in chain else None

    def logical(self, detail: int, source: int) -> int:
        """Return the button that a game gets for a device's physical button; 0: none."""
        chain = self._chain(source)
        return chain[detail - 1] if 0 < detail <= len(chain) else detail

    def _chain(self, device: int) -> tuple[int, ...]:
        if self._own_master and device == self.device:
            return tuple(range(1, _MOST_BUTTONS + 1))
        if device not in self._chains:
            core = list(self._display.core.GetPointerMapping().reply().map)
            self._chains[device] = tuple(
                core[button - 1] if 0 < button <= len(core) else button for button in self._own(device)
            )
        return self._chains[device]

    def _own(self, device: int) -> list[int]:
        try:
            self._display.xinput.OpenDevice(device).reply()
            return list(self._display.xinput.GetDeviceButtonMapping(device).reply().map)
        except xcffib.Error:  # a keyboard, or unplugged since
            return []
