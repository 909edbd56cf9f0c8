"""The operator's keys: heard as raw input in any case, and hidden from the game by grabs."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import xcffib
from xcffib import xproto

from pitwall.core.injection import BrokerFault, Configure, HotkeyName, Obstacle
from pitwall.desktops.input_backend import Chord, HotkeyHeard, chords_of, no_stop_key
from pitwall.desktops.x11.display import Claims, Display
from pitwall.desktops.x11.keymap import Keymap

MODIFIER_MASKS = {
    "Shift": int(xproto.ModMask.Shift),
    "Control": int(xproto.ModMask.Control),
    "Alt": int(xproto.ModMask._1),
    "AltGraph": int(xproto.ModMask._5),
    "Meta": int(xproto.ModMask._4),
}
"""Where XKB's usual maps put the modifiers."""
_LOCKS = (int(xproto.ModMask.Lock), int(xproto.ModMask._2), int(xproto.ModMask._3))
"""CapsLock, NumLock, and where ScrollLock is mapped at all."""
_CLAIM = "_PITWALL_STOP_KEY_"
"""Claim of the broker that has grabbed this stop key: another broker hears it beside this one."""
_PURPOSES: dict[HotkeyName, str] = {
    "stop": "stop the agent",
    "pause": "pause the agent",
    "start": "start the agent",
    "overlay": "show the overlay",
    "keep": "keep a picture",
    "clip": "keep a clip",
}
_GROUP_SHIFT = 13
"""XKB puts the group above the bits of modifiers and buttons."""


@cache
def modifiers_of(mask: int) -> frozenset[str]:
    """Return the modifiers that are down (or latched) in a state mask."""
    return frozenset(name for name, bit in MODIFIER_MASKS.items() if mask & bit)


def group_of(mask: int) -> int:
    """Return the keyboard layout's group in force, by a state mask."""
    return mask >> _GROUP_SHIFT & 3


def limits_of_server(display: Display) -> list[BrokerFault]:
    """Return what the operator should know of a server that does not show every key."""
    name = "XWAYLAND"
    if not display.core.QueryExtension(len(name), name).reply().present:
        return []
    return [
        BrokerFault(
            what="this is a Wayland session: the stop key is heard, and the mouse is seen, only over "
            "windows of X11 programs.",
            fix="Log in to an Xorg session to play.",
        )
    ]


class Hotkeys:
    """The chords in force.

    Attributes:
        leading: modifiers that some chord begins with.
        obstacle: why the stop key is not heard, or not ours alone; None: it is.
    """

    def __init__(self, display: Display, keymap: Keymap) -> None:
        self._display = display
        self._keymap = keymap
        self._chords: list[tuple[Chord, tuple[int, ...]]] = []
        self.leading: frozenset[str] = frozenset()
        self.obstacle: Obstacle | None = None
        self._claims = Claims(display)

    def listen(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        """Take an order's chords in force, in the layout as it is now.

        Returns:
            The chords that could be hidden from the game, and notes for the operator.
        """
        self._display.core.UngrabKey(xproto.Grab.Any, self._display.root, xproto.ModMask.Any)
        self._chords, hidden, faults = [], [], []
        self.obstacle = None
        for chord in chords_of(order):
            codes = self._keymap.codes_of(chord.key)
            self._chords.append((chord, codes))
            if not codes:
                fault = f"{self._keymap.where} has no key {chord.text}, which is to {_PURPOSES[chord.name]}."
            elif chord.name == "start":
                continue  # heard, but not hidden: other programs use this key too
            elif self._grab(chord, codes):
                hidden.append(chord.text)
                if chord.name == "stop":
                    self._claims.take(_CLAIM + chord.text)
                continue
            else:
                fault = f"{chord.text}, which is to {_PURPOSES[chord.name]}, is another program's key too."
            if chord.name == "stop" and not (codes and self._claims.is_taken_by_another(_CLAIM + chord.text)):
                self.obstacle = no_stop_key(fault, order, self._is_free)
            else:
                faults.append(BrokerFault(what=fault, fix="Choose another key: Settings, Keys."))
        self.leading = frozenset().union(*(chord.modifiers for chord, _ in self._chords))
        return tuple(hidden), faults

    def match(self, code: int, modifiers: frozenset[str], now_ns: int) -> HotkeyHeard | None:
        """Return the hotkey that a press completes; the stop key counts under any further modifiers."""
        for chord, codes in self._chords:
            if code in codes and chord.fits(modifiers):
                return HotkeyHeard(name=chord.name, text=chord.text, at_ns=now_ns)
        return None

    def is_key(self, code: int) -> bool:
        """Return whether a hotkey ends with this key."""
        return any(code in codes for _, codes in self._chords)

    def let_go(self) -> None:
        """End the grab that a hotkey's press began: further keys are the game's again."""
        self._display.core.UngrabKeyboard(xproto.Time.CurrentTime)
        self._display.flush()

    def _is_free(self, key: str) -> bool:
        """Return whether this keyboard has a key that no other program uses."""
        codes = self._keymap.codes_of(key)
        free = bool(codes) and all(self._grab_key(code, int(xproto.ModMask.Any)) for code in codes)
        for code in codes:
            self._display.core.UngrabKey(code, self._display.root, xproto.ModMask.Any)
        return free

    def _grab(self, chord: Chord, codes: tuple[int, ...]) -> bool:
        if not chord.modifiers:
            return all(self._grab_key(code, int(xproto.ModMask.Any)) for code in codes)
        base = sum(MODIFIER_MASKS[modifier] for modifier in chord.modifiers)
        masks = [base + sum(locks) for n in range(len(_LOCKS) + 1) for locks in combinations(_LOCKS, n)]
        return all([self._grab_key(code, mask) for code in codes for mask in masks])

    def _grab_key(self, code: int, modifiers: int) -> bool:
        mode = xproto.GrabMode.Async
        try:
            self._display.core.GrabKeyChecked(False, self._display.root, modifiers, code, mode, mode).check()
        except xcffib.Error:
            return False
        return True
