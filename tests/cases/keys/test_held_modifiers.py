"""Modifiers that somebody else holds, Caps Lock and Num Lock: no press of the agent means another key."""

from __future__ import annotations

from functools import partial

import pytest
from tests.cases.keyboard import Keyboard, both_seats, own_seat

from pitwall.core.actions import Refusal
from pitwall.core.injection import BrokerFault, ModifiersHeld
from workshop.fixtures.broker_rig import BrokerRig

pytestmark = pytest.mark.screen

_CAPS_LOCK, _NUM_LOCK = 2, 16


@pytest.mark.parametrize("modifier", ["Control", "Shift", "Alt", "Meta"])
def test_no_press_passes_while_somebody_else_holds_a_modifier(rig: BrokerRig, modifier: str) -> None:
    rig.hands.key(modifier, down=True)
    rig.arm()
    rig.until(lambda: any(held.modifiers == (modifier,) for held in rig.all_said(ModifiersHeld)))
    assert rig.press("w").events[0].refused in (Refusal.MODIFIER, Refusal.FORBIDDEN)
    rig.hands.key(modifier, down=False)
    rig.until(lambda: rig.last_said(ModifiersHeld).modifiers == ())
    assert rig.press("w").events[0].refused is None
    rig.until(lambda: rig.events("key_down", "w"))
    assert len(rig.events("key_down", "w")) == 1


@both_seats
def test_the_agent_s_own_modifiers_do_not_hold_it_back(rig: BrokerRig) -> None:
    rig.arm()
    assert [sent.refused for sent in rig.press("Shift", "w").events] == [None, None]
    rig.release("Shift")
    assert rig.press("d").events[0].refused is None
    rig.release("w", "d")
    rig.pump_for(0.2)
    assert not rig.all_said(ModifiersHeld)


def test_locks_that_a_person_left_on_are_reported_and_hold_nothing_back(
    keyboard: Keyboard, rig: BrokerRig
) -> None:
    keyboard.lock(_CAPS_LOCK | _NUM_LOCK)
    rig.arm()
    rig.until(lambda: any("Caps Lock is on" in fault.what for fault in rig.all_said(BrokerFault)))
    assert rig.press("w").events[0].refused is None
    rig.until(lambda: rig.events("key_down", "w"))


@own_seat
def test_a_persons_caps_lock_is_off_on_the_agents_own_keyboard(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.lock(_CAPS_LOCK)
    rig.arm()
    rig.press("w")
    rig.until(lambda: rig.events("key_down", "w"))
    assert [event.typed for event in rig.events("key_down")] == ["w"]
    assert not rig.all_said(BrokerFault)


@both_seats
def test_typed_letters_are_small_with_caps_lock_on(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.lock(_CAPS_LOCK)
    rig.arm(keys=("w", "1"), keys_mean="letter")
    for key in ("w", "1"):
        rig.press(key)
        rig.until(partial(rig.events, "key_down", key))
        rig.release(key)
    typed = [event.typed for event in rig.events("key_down") if event.typed]
    assert typed == ["w", "1"]
    rig.until(lambda: rig.hands.keys_down() == ())


@own_seat
def test_a_modifier_that_a_person_holds_elsewhere_does_not_hold_the_agents_own_keyboard_back(
    rig: BrokerRig,
) -> None:
    rig.arm()
    rig.hands.key("Shift", down=True)
    rig.pump_for(0.1)
    assert rig.press("w").events[0].refused is None
    rig.hands.key("Shift", down=False)
    rig.until(lambda: rig.events("key_down", "w"))
    assert not any(held.modifiers for held in rig.all_said(ModifiersHeld))
