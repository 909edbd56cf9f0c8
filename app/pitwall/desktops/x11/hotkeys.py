"""The operator's keys: heard as raw input in any case, and hidden from the game by grabs."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import xcffib
from xcffib import xproto

from pitwall.core.injection import BrokerFault, Configure
from pitwall.desktops.input_backend import Chord, HotkeyHeard, chords_of
from pitwall.desktops.x11.display import Display
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
_GROUP_SHIFT = 13
"""XKB puts the group above the bits of modifiers and buttons."""


@cache
def modifiers_of(mask: int) -> frozenset[str]:
    """Return the modifiers that are down (or latched) in a state mask."""
    return frozenset(name for name, bit in MODIFIER_MASKS.items() if mask & bit)


def group_of(mask: int) -> int:
    """Return the keyboard layout's group in force, by a state mask."""
    return mask >> _GROUP_SHIFT & 3


class Hotkeys:
    """The chords in force.

    Attributes:
        leading: modifiers that some chord begins with.
    """

    def __init__(self, display: Display, keymap: Keymap) -> None:
        self._display = display
        self._keymap = keymap
        self._chords: list[tuple[Chord, tuple[int, ...]]] = []
        self.leading: frozenset[str] = frozenset()

    def listen(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        """Take an order's chords in force, in the layout as it is now.

        Returns:
            The chords that could be hidden from the game, and notes for the operator.
        """
        self._display.core.UngrabKey(xproto.Grab.Any, self._display.root, xproto.ModMask.Any)
        self._chords, hidden, faults = [], [], []
        for chord in chords_of(order):
            codes = self._keymap.codes_of(chord.key)
            self._chords.append((chord, codes))
            if not codes:
                sentence = f"this keyboard layout has no key {chord.key} for {chord.name}."
                faults.append(BrokerFault(what=sentence))
            elif chord.name == "start":
                continue  # heard, but not hidden: other programs use this key too
            elif self._grab(chord, codes):
                hidden.append(chord.text)
            else:
                faults.append(
                    BrokerFault(
                        what=f"{chord.text} ({chord.name}) is another program's too: it works, but the game "
                        "may see it.",
                        fix="Choose another key in the settings, or end the other program.",
                    )
                )
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
