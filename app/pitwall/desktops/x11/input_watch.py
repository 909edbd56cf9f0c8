"""Judges raw input events: the operator's hotkeys at any time, and human input in the game."""

from __future__ import annotations

import math
from dataclasses import replace

from pitwall.core.actions import Button, InputEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.keys import MODIFIERS
from pitwall.desktops.input_backend import UNKNOWN_KEY, Heard, HumanInput
from pitwall.desktops.takeover import Expected, Kind, Takeover
from pitwall.desktops.x11.display import Devices, Display, InputOrigin, RawInput
from pitwall.desktops.x11.focus import Focus
from pitwall.desktops.x11.hotkeys import Hotkeys, modifiers_of
from pitwall.desktops.x11.keymap import Keymap
from pitwall.desktops.x11.persons_focus import PersonsFocus
from pitwall.desktops.x11.pointer_map import BUTTONS, PointerMap
from pitwall.desktops.x11.travel import Travel

_FIRST_WHEEL_BUTTON, _LAST_WHEEL_BUTTON = 4, 7
_NOTCHES = {4: (0, -1), 5: (0, 1), 6: (-1, 0), 7: (1, 0)}
"""The wheel's buttons as notches right and down."""
_BUTTONS: dict[int, Button] = {number: button for button, number in BUTTONS.items()}
_POINTER_EVERY_NS = 8 * NS_PER_MS
"""Least interval between two looks at a playing person's pointer; it is looked at once more at rest."""
_OWN_GRAB_NS = 50 * NS_PER_MS
"""Our own grab of a hotkey shows within this time of its press."""


class InputWatch:
    """Judges raw input events."""

    def __init__(
        self,
        display: Display,
        keymap: Keymap,
        pointer_map: PointerMap,
        *,
        hotkeys: Hotkeys,
        focus: Focus,
        persons: PersonsFocus,
        expected: Expected,
    ) -> None:
        self._display = display
        self._keymap = keymap
        self._pointer_map = pointer_map
        self._down: dict[tuple[int, int], str | None] = {}
        self._hotkeys = hotkeys
        self._focus = focus
        self._persons = persons
        self._expected = expected
        self._takeover = Takeover()
        self._human_modifiers: set[str] = set()
        self._own_modifiers: set[str] = set()
        self._hotkey_at_ns = -_OWN_GRAB_NS
        self._moved_by: str = ""
        self.devices = Devices(display)
        self._people = self._playing = False
        self._buttons: set[Button] = set()
        self._travel = Travel()
        self._pointer_at_ns = 0

    def look_for_people(self, look: bool, *, playing: bool = False) -> None:
        """Choose whether human input in the game is reported; forget earlier input.

        Args:
            playing: a person plays: every press, release and move is heard, modifiers too.
        """
        self._playing = playing
        self._travel.forget()
        if not look:
            self._buttons.clear()
        if look != self._people:
            self._people, self._moved_by, self._takeover = look, "", Takeover()

    def listen(self) -> None:
        """Ask the server for raw input. Modifiers that are down already count as the operator's."""
        self._display.select_raw()
        pointer = self._display.core.QueryPointer(self._display.root).reply()
        self._human_modifiers = set(modifiers_of(pointer.mask))
        self.devices.reload()

    def notice(self, event: RawInput, now_ns: int) -> Heard | None:
        origin = self.devices.origin(event.source)
        if origin is InputOrigin.SERVER or event.repeat or event.source in self.devices.of_other_agents:
            return None
        if event.kind in ("key_press", "key_release"):
            return self._key(event, origin, now_ns)
        if event.kind in ("button_release", "touch_end"):
            return self._let_go(self._as_the_game_sees(event), now_ns)
        if event.kind == "motion":
            if not self._is_own(event, origin, now_ns):
                self._motion(event, origin, now_ns)
            return None
        if self._is_own(event, origin, now_ns):
            return None
        return self._button(self._as_the_game_sees(event), origin, now_ns)

    def _as_the_game_sees(self, event: RawInput) -> RawInput:
        """Return an event of a button with the button's number as games get it."""
        if not event.kind.startswith("button"):
            return event
        return replace(event, detail=self._pointer_map.logical(event.detail, event.source))

    def may_move_focus(self, event: RawInput) -> bool:
        """Return whether a person may give another window the focus by this: a button or a touch, a key
        under Alt or Meta (window managers act as Alt comes up), or Enter where the game is minimised."""
        if event.source in self._focus.seat.sources or event.kind == "motion":
            return False
        if not event.kind.startswith("key") or self._human_modifiers & {"Alt", "Meta"}:
            return True
        entered = self._persons.game_is_away and event.kind == "key_press"
        return entered and self._keymap.name(event.detail, source=event.source) == "Enter"

    def conclude(self, now_ns: int) -> HumanInput | None:
        """Report a pointer moved over the game, or a modifier held in it; call after each burst of events."""
        if not self._people:
            return None
        if self._playing:
            return self._pointer_moved(now_ns)
        if self._moved_by:
            who, self._moved_by = self._moved_by, ""
            self._takeover.stopped_moving()
            if not self._focus.seat.own and self._focus.is_pointer_over_game():
                return HumanInput(text=f"{who} moved the mouse over the game.", at_ns=now_ns)
        modifier = self._takeover.modifier_meant(now_ns)
        if modifier is not None and self._persons.has_game():
            return HumanInput(text=f"You held {modifier} in the game.", at_ns=now_ns)
        return None

    def next_deadline_ns(self) -> int | None:
        if self._playing:
            return self._pointer_at_ns + _POINTER_EVERY_NS if self._travel.moved else None
        return self._takeover.next_deadline_ns() if self._people else None

    def is_own_grab(self, now_ns: int) -> bool:
        """Return whether a keyboard grab seen now comes from one of our hotkeys."""
        return now_ns - self._hotkey_at_ns <= _OWN_GRAB_NS

    def _key(self, event: RawInput, origin: InputOrigin, now_ns: int) -> Heard | None:
        name = self._key_name(event)
        if event.kind == "key_release":
            if name in MODIFIERS:
                self._released_modifier(name, origin)
            return self._acted(
                InputEvent(kind="key_up", key=name or UNKNOWN_KEY), "", event.happened_ns(now_ns)
            )
        own = self._is_own(event, origin, now_ns)
        if name in MODIFIERS:
            (self._own_modifiers if own else self._human_modifiers).add(name)
        if own:
            return None
        if self._hotkeys.is_key(event.detail):
            self._hotkey_at_ns = now_ns
            # Modifiers as of this event, not as of now: it may have waited in the queue.
            hotkey = self._hotkeys.match(event.detail, frozenset(self._human_modifiers), now_ns)
            if hotkey is not None:
                self._takeover.hotkey()
                return hotkey
        if not self._people or not self._persons.has_game():
            return None
        if self._playing:
            down = InputEvent(kind="key_down", key=name or UNKNOWN_KEY)
            return self._acted(down, _who(origin), event.happened_ns(now_ns))
        if name is not None and name in self._hotkeys.leading:
            self._takeover.modifier_pressed(name, now_ns)
            return None
        return HumanInput(
            text=f"{_who(origin)} pressed {name or 'a key'} in the game.",
            at_ns=now_ns,
            event=InputEvent(kind="key_down", key=name or UNKNOWN_KEY),
        )

    def _key_name(self, event: RawInput) -> str | None:
        """Return the canonical key of an event; a release is of the key that its press was."""
        place = (event.source, event.detail)
        if event.kind == "key_release" and place in self._down:
            return self._down.pop(place)
        modifiers = frozenset(self._human_modifiers | self._own_modifiers)
        name = self._keymap.name(event.detail, source=event.source, modifiers=modifiers)
        if event.kind == "key_press":
            self._down[place] = name
        return name

    def _released_modifier(self, name: str, origin: InputOrigin) -> None:
        own = origin is InputOrigin.XTEST and name in self._own_modifiers
        (self._own_modifiers if own else self._human_modifiers).discard(name)
        if not own:
            self._takeover.modifier_released(name)

    def _motion(self, event: RawInput, origin: InputOrigin, now_ns: int) -> None:
        if not self._people:
            return
        dx, dy = self.devices.moved(event)
        if self._playing:
            self._travel.add(dx, dy)
        elif self._takeover.moved(math.hypot(dx, dy), now_ns):
            self._moved_by = _who(origin)

    def _pointer_moved(self, now_ns: int) -> HumanInput | None:
        """Report where a playing person moved the pointer, and how far the device moved since."""
        if not self._travel.moved or now_ns - self._pointer_at_ns < _POINTER_EVERY_NS:
            return None
        (dx, dy), self._pointer_at_ns = self._travel.take(), now_ns
        if not self._persons.has_game() or (place := self._focus.pointer_in_game()) is None:
            return None
        moved = InputEvent(kind="mouse_move", x=place[0], y=place[1], dx=dx, dy=dy)
        return HumanInput(text="", at_ns=now_ns, event=moved)

    def _button(self, event: RawInput, origin: InputOrigin, now_ns: int) -> HumanInput | None:
        if not self._people or not self._focus.is_pointer_over_game():
            return None
        wheel = event.kind == "button_press" and _FIRST_WHEEL_BUTTON <= event.detail <= _LAST_WHEEL_BUTTON
        did = "turned the wheel over" if wheel else "touched" if event.kind == "touch" else "clicked in"
        deed = _pointer_event(event, self._focus.pointer_in_game())
        if deed.kind == "mouse_down":
            self._buttons.add(deed.button)
        if self._playing:
            now_ns = event.happened_ns(now_ns)
        return HumanInput(text=f"{_who(origin)} {did} the game.", at_ns=now_ns, event=deed)

    def _let_go(self, event: RawInput, now_ns: int) -> HumanInput | None:
        """Report that a button came up that a playing person had pressed in the game."""
        button = _BUTTONS.get(event.detail, "left")
        if button not in self._buttons or event.detail in _NOTCHES:
            return None
        self._buttons.discard(button)
        x, y = self._focus.pointer_in_game() or (None, None)
        up = InputEvent(kind="mouse_up", button=button, x=x, y=y)
        return HumanInput(text="", at_ns=event.happened_ns(now_ns), event=up)

    def _acted(self, event: InputEvent, who: str, now_ns: int) -> HumanInput | None:
        if not (self._people and self._playing) or not self._persons.has_game():
            return None
        return HumanInput(text=f"{who} pressed {event.key} in the game.", at_ns=now_ns, event=event)

    def _is_own(self, event: RawInput, origin: InputOrigin, now_ns: int) -> bool:
        if event.source in self._focus.seat.sources:
            return True
        if origin is not InputOrigin.XTEST:
            return False
        kinds: dict[str, Kind] = {"motion": "motion", "key_press": "key"}
        return self._expected.is_own(kinds.get(event.kind, "button"), event.detail, now_ns)


def _pointer_event(event: RawInput, place: tuple[int, int] | None) -> InputEvent:
    x, y = place if place is not None else (None, None)
    if event.detail in _NOTCHES:
        dx, dy = _NOTCHES[event.detail]
        return InputEvent(kind="scroll", x=x, y=y, dx=dx, dy=dy)
    return InputEvent(kind="mouse_down", button=_BUTTONS.get(event.detail, "left"), x=x, y=y)


def _who(origin: InputOrigin) -> str:
    return "You" if origin is InputOrigin.DEVICE else "Another program"
