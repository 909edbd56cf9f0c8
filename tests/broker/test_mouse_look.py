"""Relative motion through the broker: every look arrives exactly, in games that hold the pointer."""

from __future__ import annotations

import contextlib
import random
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pitwall.core.actions import InputEvent, Refusal
from workshop.benchmarks.input.mouse_look import lock, looked
from workshop.fixtures.broker_rig import PATIENT, BrokerRig
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.look_maze import look_maze
from workshop.fixtures.processes import freeze, resume

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
        rig.arm(replace(PATIENT, own_seat=own_seat))
        look = InputEvent(kind="mouse_look", dx=5, dy=0)
        rig.until(lambda: rig.inject(look).events[0].refused is None)
        rig.pump_for(0.3)
        chance = random.Random(1)
        for _ in range(20):
            asked = chance.randint(-60, 60), chance.randint(-20, 20)
            assert looked(rig, *asked) == asked
        rig.link.disarm()
        assert rig.inject(look).events[0].refused is Refusal.DISARMED
        rig.arm(replace(PATIENT, own_seat=own_seat), mouse=False)
        assert rig.inject(look).events[0].refused is Refusal.NOT_ALLOWED
    finally:
        rig.close()


def test_a_hundred_looks_arrive_in_a_page_that_locks_the_pointer(screen: str) -> None:
    """It puts the pointer back into the middle at times, and some of these late."""
    assert screen
    rig = BrokerRig(window=look_maze())
    try:
        rig.arm(replace(PATIENT, own_seat=True))
        lock(rig, hint_s=0.3)  # the hint is at the top, and these looks stay below
        chance = random.Random(1)
        looks = [(chance.randint(-25, 25), chance.randint(-10, 10)) for _ in range(100)]
        assert [looked(rig, *asked) for asked in looks] == looks
        with _halting(rig.window.pid):
            looks = [(far * side, 0) for far in (180, 260, 340, 400) for side in (1, -1)]
            assert [looked(rig, *asked) for asked in looks] == looks
    finally:
        rig.close()


@contextlib.contextmanager
def _halting(process: int) -> Iterator[None]:
    """Let a program stand still again and again, as on a busy machine."""
    over = threading.Event()

    def halt() -> None:
        while not over.wait(0.05):
            freeze(process)
            over.wait(0.12)
            resume(process)

    thread = threading.Thread(target=halt)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
