"""The operator's keys on sway: bindings of sway that do nothing but send an event."""

from __future__ import annotations

import itertools
import re
from typing import Any, get_args

from pitwall.core.injection import BrokerFault, Configure, HotkeyName, Obstacle
from pitwall.core.keys import parse_chord
from pitwall.desktops.input_backend import no_stop_key
from pitwall_desktops.sway.ipc import Sway
from pitwall_desktops.sway.keycodes import SWAY_MODIFIERS, sway_symbol

_MARK = "pitwall-"
_EVERYWHERE = ("stop", "pause")
"""Bound whichever window has the focus; other programs need the others: bound while the game has it."""
_LOCKS = ("", "Lock", "Mod2", "Lock+Mod2")
"""Caps Lock and Num Lock are modifiers to sway."""


class Hotkeys:
    """Binds the operator's keys, and reads sway's events about them."""

    def __init__(self, sway: Sway) -> None:
        self._sway = sway
        self._texts: dict[HotkeyName, str] = {}
        self._bound: dict[str, HotkeyName] = {}
        self.obstacle: Obstacle | None = None

    def listen(self, order: Configure) -> list[BrokerFault]:
        """Take the hotkeys of an order; return notes for the operator."""
        self.let_go()
        wanted = [name for name in order.listened if name != "overlay"]  # there is none on sway
        self._texts = {name: getattr(order.hotkeys, name) for name in wanted}
        taken = [name for name in self._texts if self._is_taken(self._texts[name])]
        self.obstacle = None
        if "stop" in taken:
            what = f"sway's configuration binds {self._texts['stop']}, which is to stop the agent."
            self.obstacle = no_stop_key(what, order, lambda key: not self._is_taken(key))
        faults = [
            BrokerFault(
                what=f"sway's configuration binds {self._texts[name]}, the key for {name}: sway keeps it.",
                fix=f"Choose another key in Settings (hotkeys.{name}).",
            )
            for name in taken
            if name != "stop"
        ]
        for name in taken:
            del self._texts[name]
        self._bind([name for name in self._texts if name in _EVERYWHERE])
        return faults

    def follow_focus(self, on_game: bool) -> None:
        """Bind the keys that belong to the game's window while it has the focus, and let them go after."""
        near = [name for name in self._texts if name not in _EVERYWHERE]
        if on_game:
            self._bind(near)
        else:
            self._unbind([chord for chord, name in self._bound.items() if name in near])

    def let_go(self) -> None:
        """Give every key back."""
        self._unbind(list(self._bound))

    @property
    def chords(self) -> tuple[str, ...]:
        """Return the hotkeys in force; sway hides all of them from the game."""
        return tuple(text for text in self._texts.values())

    def heard(self, event: dict[str, Any]) -> tuple[HotkeyName, str] | None:
        """Return the hotkey that a binding's event is about and its text; None for other bindings."""
        command = str((event.get("binding") or {}).get("command", ""))
        for name in get_args(HotkeyName):
            if command == f"nop {_MARK}{name}":
                return name, self._texts.get(name, name)
        return None

    # ---- inside

    def _chords(self, name: HotkeyName) -> list[str]:
        """List sway's names of a hotkey; the stop key is bound under any modifiers."""
        modifiers, key = parse_chord(self._texts[name])
        wanted = {SWAY_MODIFIERS[modifier] for modifier in modifiers}
        more = (
            [modifier for modifier in SWAY_MODIFIERS.values() if modifier not in wanted]
            if name == "stop"
            else []
        )
        subsets = itertools.chain.from_iterable(itertools.combinations(more, n) for n in range(len(more) + 1))
        return [
            "+".join(filter(None, (*sorted(wanted), *subset, lock, sway_symbol(key))))
            for subset in subsets
            for lock in _LOCKS
        ]

    def _bind(self, names: list[HotkeyName]) -> None:
        chords = {chord: name for name in names for chord in self._chords(name) if chord not in self._bound}
        flags = "--no-warn --inhibited --no-repeat"
        self._run([f"bindsym {flags} {chord} nop {_MARK}{name}" for chord, name in chords.items()])
        self._bound |= chords

    def _unbind(self, chords: list[str]) -> None:
        self._run([f"unbindsym --inhibited {chord}" for chord in chords])
        for chord in chords:
            del self._bound[chord]

    def _run(self, commands: list[str]) -> None:
        if commands:
            self._sway.run("; ".join(commands))

    def _is_taken(self, text: str) -> bool:
        """Return whether sway's configuration binds this key with the same modifiers."""
        modifiers, key = parse_chord(text)
        wanted = {SWAY_MODIFIERS[modifier].lower() for modifier in modifiers} | {sway_symbol(key).lower()}
        lines = re.findall(r"^\s*bind(?:sym|code)((?:\s+--\S+)*)\s+(\S+)", self._sway.config(), re.MULTILINE)
        return any({part.lower() for part in chord.split("+")} == wanted for _, chord in lines)
