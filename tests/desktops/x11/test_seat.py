"""The agent's own seat loses no click of the person's."""

from __future__ import annotations

import time

import pytest

from pitwall.desktops.x11.display import Display
from pitwall.desktops.x11.seat import OwnSeat
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen


def test_a_click_made_while_the_persons_pointer_is_frozen_arrives(screen: str) -> None:
    """Each press of the agent's freezes it for a moment, to see whether the game has grabbed it."""
    assert screen
    window, person, display = KeyWindow("person's window"), SimulatedPerson(), Display()
    seat = OwnSeat(display)
    try:
        person.place_pointer_in(window.window_id, 50, 50)
        for _ in range(5):
            assert seat.freeze_persons_pointer()
            person.button(1, down=True)
            person.button(1, down=False)
            seat.let_persons_pointer_go()
            clicks, until_s = 0, time.monotonic() + 5.0
            while time.monotonic() < until_s and not clicks:
                clicks = sum(event.kind == "mouse_down" for event in window.events(0.1))
            assert clicks == 1
    finally:
        seat.remove()
        display.close()
        person.close()
        window.close()
