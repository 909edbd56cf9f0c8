"""Relative motion through the broker: every look arrives exactly, in games that hold the pointer."""

from __future__ import annotations

import random
import sys

import pytest

from pitwall.core.actions import InputEvent, Refusal
from workshop.benchmarks.input.mouse_look import lock, looked
from workshop.fixtures.broker_rig import PATIENT, BrokerRig
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.look_maze import look_maze

pytestmark = [
    pytest.mark.screen,
    pytest.mark.skipif(sys.platform == "win32", reason="measured on X11"),
]


@pytest.mark.parametrize("own_seat", [False, True])
def test_looks_arrive_exactly_and_only_while_the_game_has_the_focus(screen: str, own_seat: bool) -> None:
    assert screen
    rig = BrokerRig(window=KeyWindow("looks", looks=True))
    try:
        rig.hands.place_pointer(700, 500)
        rig.arm(PATIENT.model_copy(update={"own_seat": own_seat}))
        look = InputEvent(kind="mouse_look", dx=5, dy=0)
        rig.until(lambda: rig.inject(look).events[0].refused is None)
        rig.pump_for(0.3)
        chance = random.Random(1)
        for _ in range(20):
            asked = chance.randint(-60, 60), chance.randint(-20, 20)
            assert looked(rig, *asked) == asked
        rig.link.disarm()
        assert rig.inject(look).events[0].refused is Refusal.DISARMED
        rig.arm(PATIENT.model_copy(update={"own_seat": own_seat}), mouse=False)
        assert rig.inject(look).events[0].refused is Refusal.NOT_ALLOWED
    finally:
        rig.close()


def test_a_hundred_looks_arrive_in_a_page_that_locks_the_pointer(screen: str) -> None:
    assert screen
    rig = BrokerRig(window=look_maze())
    try:
        rig.arm()
        lock(rig, hint_s=0.3)  # the hint is at the top, and these looks stay below
        chance = random.Random(1)
        looks = [(chance.randint(-25, 25), chance.randint(-10, 10)) for _ in range(100)]
        assert [looked(rig, *asked) for asked in looks] == looks
    finally:
        rig.close()
