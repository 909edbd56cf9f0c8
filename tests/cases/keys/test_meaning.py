"""Keys as letters and keys as places: what a game reads decides, and what cannot be pressed stops the run."""

from __future__ import annotations

import string
from functools import partial

import pytest
from tests.cases.keyboard import Keyboard, both_seats, obstacle_of, own_seat

from pitwall.core.actions import InputEvent, Refusal
from pitwall.core.injection import Latched, StopCause
from pitwall.desktops.x11.pointer_map import BUTTONS
from workshop.fixtures.broker_rig import BrokerRig

pytestmark = pytest.mark.screen

_TYPED = (*string.ascii_lowercase, *string.digits, "-", "=", "[", "]", ";", "'", ",", ".", "/", "\\")


@pytest.mark.parametrize("layout", ["fr", "de", "dvorak", "us", "intl"])
def test_letters_and_signs_are_typed_with_the_modifiers_that_the_layout_asks_for(
    keyboard: Keyboard, rig: BrokerRig, layout: str
) -> None:
    _type_each(keyboard, rig, layout)


@own_seat
@pytest.mark.parametrize("layout", ["fr", "de", "intl"])
def test_the_agents_own_keyboard_types_them_with_these_modifiers(
    keyboard: Keyboard, rig: BrokerRig, layout: str
) -> None:
    _type_each(keyboard, rig, layout)


def _type_each(keyboard: Keyboard, rig: BrokerRig, layout: str) -> None:
    variant = layout if layout in ("dvorak", "intl") else ""
    keyboard.layout("us" if variant else layout, variant=variant)
    rig.arm(keys=_TYPED, keys_mean="letter")
    for key in _TYPED:
        _type(rig, key)
    assert _typed(rig) == list(_TYPED)
    rig.until(lambda: rig.hands.keys_down() == ())


def _passes(rig: BrokerRig, event: InputEvent) -> bool:
    """Inject an event; the rate cap may refuse it at first."""
    return rig.inject(event).events[0].refused is None


def _more_than(rig: BrokerRig, kind: str, count: int) -> bool:
    return len(rig.events(kind)) > count


def _type(rig: BrokerRig, key: str) -> None:
    before = len(_typed(rig))
    rig.until(lambda: rig.press(key).events[0].refused is not Refusal.RATE)
    rig.until(lambda: len(_typed(rig)) > before)
    rig.release(key)


def _typed(rig: BrokerRig) -> list[str]:
    return [event.typed for event in rig.events("key_down") if event.typed]


def test_a_place_is_pressed_whatever_the_layout_types_there(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.layout("fr")
    rig.arm(keys=("w", "a", "s", "d"), keys_mean="place")
    for key, scancode in (("w", 26), ("a", 4), ("s", 22), ("d", 7)):
        ups = len(rig.events("key_up"))
        rig.until(partial(_passes, rig, InputEvent(kind="key_down", key=key)))
        rig.release(key)
        rig.until(partial(_more_than, rig, "key_up", ups))
        assert rig.events("key_down")[-1].scancode == scancode


def test_a_letter_that_the_layout_cannot_type_stops_every_run(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.layout("ru")
    obstacle = obstacle_of(rig, keys=("a", "Space"), keys_mean="letter")
    assert obstacle.what == "the keyboard layout Russian cannot press a, which this game uses."
    assert "setxkbmap" not in obstacle.fix and "layout" not in obstacle.fix
    rig.link.rearm()
    assert rig.latched().cause is StopCause.UNSAFE
    assert rig.press("Space").events[0].refused is Refusal.LATCHED


@both_seats
def test_a_layout_that_loses_a_letter_in_mid_run_stops_it(keyboard: Keyboard, rig: BrokerRig) -> None:
    rig.arm(keys=("a",), keys_mean="letter")
    rig.until(partial(_passes, rig, InputEvent(kind="key_down", key="a")))
    rig.until(lambda: rig.events("key_down", "a"))
    keyboard.layout("ru")
    latched = rig.until(lambda: next(iter(rig.all_said(Latched)), None))
    assert latched.cause is StopCause.UNSAFE and latched.released == ("a",)
    assert rig.hands.keys_down() == ()


def test_a_key_that_no_keyboard_here_has_stops_every_run(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.drop_key(113)
    obstacle = obstacle_of(rig, keys=("ArrowLeft", "Space"))
    assert "ArrowLeft" in obstacle.what and "plugin.toml" in obstacle.fix


@both_seats
def test_left_handed_clicks_arrive_as_the_button_that_was_meant(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.buttons(3, 2, 1, 5, 4)
    rig.arm()
    _type(rig, "w")
    rig.pump_for(0.05)  # SDL drops a click within 10 ms of reading that it has the focus
    for button, number in BUTTONS.items():
        rig.until(partial(_passes, rig, InputEvent(kind="mouse_down", button=button, x=20, y=30)))
        rig.inject(InputEvent(kind="mouse_up", button=button, x=20, y=30))
        rig.until(partial(_more_than, rig, "mouse_up", number - 1))
    assert [event.button for event in rig.events("mouse_down")] == [1, 2, 3]
    rig.until(partial(_passes, rig, InputEvent(kind="scroll", dy=1)))
    rig.until(lambda: rig.events("wheel"))
    assert rig.hands.buttons_down() == 0
