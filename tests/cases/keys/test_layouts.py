"""Keys on the layouts that people have: pressed by letter or by place, and recorded as the same keys."""

from __future__ import annotations

import string
from dataclasses import dataclass

import pytest
from tests.cases.keyboard import Keyboard, both_seats, own_seat

from pitwall.core.actions import Refusal
from pitwall.core.injection import PersonActed
from workshop.fixtures.broker_rig import BrokerRig

pytestmark = pytest.mark.screen

_SCANCODES = {
    **{letter: 4 + number for number, letter in enumerate(string.ascii_lowercase)},
    **{digit: 30 + number for number, digit in enumerate("1234567890")},
    "ArrowLeft": 80,
    "Space": 44,
    "Control": 224,
}
"""SDL's numbers of the places that keys have on a US keyboard."""
_GAME = (*string.ascii_lowercase, *string.digits, "ArrowLeft", "Space")


@dataclass(frozen=True)
class Layout:
    layout: str
    variant: str = ""
    option: str = ""
    group: int = 0
    types: str = ""
    """Letters that another key types than on a US keyboard, with its place: "a:q"."""
    by_place: str = ""
    """Keys that no key types alone: pressed at their place."""

    def __str__(self) -> str:
        return f"{self.layout}-{self.variant}-{self.group}"


_FRENCH = "a:q q:a z:w w:z m:;"
_DVORAK = "s:; o:s e:d u:f i:g d:h h:j t:k n:l q:x j:c k:v x:b b:n w:, v:. z:/ p:r y:t f:y g:u c:i r:o l:p"
LAYOUTS = (
    Layout("us"),
    Layout("fr", types=_FRENCH, by_place=string.digits),
    Layout("be", types=_FRENCH, by_place=string.digits),
    Layout("de", types="y:z z:y"),
    Layout("us", "dvorak", types=_DVORAK),
    Layout("ru", by_place=string.ascii_lowercase),
    Layout("gr", by_place=string.ascii_lowercase),
    Layout("ua", by_place=string.ascii_lowercase),
    Layout("us,fr"),
    Layout("us,fr", group=1, types=_FRENCH, by_place=string.digits),
    Layout("fr,us", group=1),
    Layout("us,ru", group=1, by_place=string.ascii_lowercase),
    Layout("us,de,ru,gr", group=3, by_place=string.ascii_lowercase),
    Layout("us", "altgr-intl"),
    Layout("us", "intl"),
    Layout("us", option="ctrl:swapcaps"),
)


def _places(layout: Layout) -> dict[str, str]:
    return dict(pair.split(":") for pair in layout.types.split())


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_each_key_is_pressed_where_the_layout_in_force_has_it(
    layout: Layout, keyboard: Keyboard, rig: BrokerRig
) -> None:
    _press_each(layout, keyboard, rig)


_COPIED = ("fr--0", "us-dvorak-0", "ru--0", "us,fr--1", "us,de,ru,gr--3")


@own_seat
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if str(layout) in _COPIED], ids=str)
def test_the_agents_own_keyboard_presses_each_key_where_the_persons_layout_has_it(
    layout: Layout, keyboard: Keyboard, rig: BrokerRig
) -> None:
    _press_each(layout, keyboard, rig)


def _press_each(layout: Layout, keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.layout(layout.layout, variant=layout.variant, option=layout.option, group=layout.group)
    rig.arm(keys=_GAME)
    places = _places(layout)
    scancodes = {**_SCANCODES, ";": 51, ",": 54, ".": 55, "/": 56}
    for key in _GAME:
        rig.seen.clear()
        _press(rig, key)
        (down,) = rig.events("key_down")
        assert down.scancode == scancodes[places.get(key, key)], key
        if key in string.ascii_lowercase + string.digits and key not in layout.by_place:
            assert down.typed == key
    assert rig.hands.keys_down() == ()


def _press(rig: BrokerRig, key: str) -> None:
    """Tap a key and wait until the window has seen it: SDL reads the layout as it is when it sees a press."""
    ups = len(rig.events("key_up"))
    _hold(rig, key)
    rig.release(key)
    rig.until(lambda: len(rig.events("key_up")) > ups)


def _hold(rig: BrokerRig, key: str) -> None:
    """Press a key as soon as the rate cap lets it pass, and wait until the window has seen it."""

    def passed() -> bool:
        refused = rig.press(key).events[0].refused
        assert refused in (None, Refusal.RATE), f"{key}: {refused}"
        return refused is None

    downs = len(rig.events("key_down"))
    rig.until(passed)
    rig.until(lambda: len(rig.events("key_down")) > downs)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_person_s_keys_are_recorded_as_the_agent_presses_them(
    layout: Layout, keyboard: Keyboard, rig: BrokerRig
) -> None:
    keyboard.layout(layout.layout, variant=layout.variant, option=layout.option, group=layout.group)
    rig.arm(keys=_GAME, person=True)
    places = _places(layout)
    for key in _GAME:
        rig.forget()
        code = _KEYCODES[places.get(key, key)]
        for down in (True, False):
            rig.hands.keycode(code, down=down)
        rig.until(lambda: len(rig.all_said(PersonActed)) == 2)
        recorded = [(acted.event.kind, acted.event.key) for acted in rig.all_said(PersonActed)]
        assert recorded == [("key_down", key), ("key_up", key)]


_ROWS = {10: "1234567890", 24: "qwertyuiop", 38: "asdfghjkl;", 52: "zxcvbnm,./"}
_KEYCODES = {
    **{key: first + number for first, row in _ROWS.items() for number, key in enumerate(row)},
    "ArrowLeft": 113,
    "Space": 65,
}
"""The places of the keys on a US keyboard, by the kernel's numbers (plus 8, as X has them)."""


@both_seats
def test_a_switch_in_mid_run_presses_no_wrong_key(keyboard: Keyboard, rig: BrokerRig) -> None:
    rig.arm(keys=("a", "s", "q"))
    for turn in range(12):
        keyboard.layout("us", variant="dvorak" if turn % 2 else "")
        for key in ("a", "s", "q"):
            _press(rig, key)
    assert [event.typed for event in rig.events("key_down")] == ["a", "s", "q"] * 12
    assert rig.hands.keys_down() == ()


@both_seats
def test_a_group_switched_by_hotkey_presses_no_wrong_key(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.layout("us,fr")
    rig.arm(keys=("a", "q", "m"))
    for turn in range(12):
        keyboard.group(turn % 2)
        for key in ("a", "q", "m"):
            _press(rig, key)
    assert [event.typed for event in rig.events("key_down")] == ["a", "q", "m"] * 12


@both_seats
def test_a_key_held_through_a_switch_comes_up(keyboard: Keyboard, rig: BrokerRig) -> None:
    rig.arm(keys=("a", "q"))
    _hold(rig, "q")
    keyboard.layout("fr")
    rig.release("q")
    rig.until(lambda: rig.hands.keys_down() == ())


@both_seats
def test_swapped_caps_lock_and_control_press_control(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.layout("us", option="ctrl:swapcaps")
    rig.arm(keys=("Control",))
    _press(rig, "Control")
    rig.until(lambda: rig.events("key_down", "left ctrl"))
