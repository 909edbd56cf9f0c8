"""A person plays: nothing of ours is sent, nobody takes over, and what they press in the game is told."""

from __future__ import annotations

import subprocess

from tests.broker.test_injection import refusals

from pitwall.core import injection
from pitwall.core.actions import Refusal
from workshop.fixtures.broker_rig import BrokerRig


def _acted(rig: BrokerRig) -> list[tuple[str, str]]:
    said = rig.all_said(injection.PersonActed)
    return [(one.event.kind, one.event.key or one.event.button) for one in said]


def _xdotool(*words: str) -> None:
    subprocess.run(["timeout", "30", "xdotool", *words], check=True)


def test_what_a_person_presses_is_told_and_nothing_is_sent(rig: BrokerRig) -> None:
    rig.arm(person=True)
    assert refusals(rig.press("w")) == [Refusal.DISARMED]
    rig.hands.key("a", down=True)
    rig.hands.key("a", down=False)
    rig.until(lambda: ("key_up", "a") in _acted(rig))
    _xdotool("key", "d")
    rig.until(lambda: ("key_up", "d") in _acted(rig))
    _xdotool("mousemove", "--window", str(rig.target.native_id), "40", "30")
    rig.hands.button(1, down=True)
    rig.hands.button(1, down=False)
    rig.until(lambda: ("mouse_down", "left") in _acted(rig))
    presses = [("key_down", "a"), ("key_up", "a"), ("key_down", "d"), ("key_up", "d"), ("mouse_down", "left")]
    assert _acted(rig) == presses
    click = rig.all_said(injection.PersonActed)[-1].event
    assert (click.x, click.y) == (40, 30)
    assert not rig.all_said(injection.Latched)
    assert not rig.events("key_down", "w")


def test_the_stop_key_still_stops_and_then_nothing_is_told(rig: BrokerRig) -> None:
    rig.arm(person=True)
    rig.hands.key("Pause", down=True)
    rig.hands.key("Pause", down=False)
    rig.latched()
    rig.hands.key("a", down=True)
    rig.hands.key("a", down=False)
    rig.pump_for(0.3)
    assert _acted(rig) == []
