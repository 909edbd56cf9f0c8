"""A person plays: nothing of ours is sent, nobody takes over, and what they press in the game is told."""

from __future__ import annotations

import time

from tests.broker.test_injection import refusals

from pitwall.core import injection
from pitwall.core.actions import Refusal
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import InputLimits
from workshop.fixtures.broker_rig import BrokerRig


def _acted(rig: BrokerRig) -> list[tuple[str, str]]:
    actions = rig.all_said(injection.PersonActed)
    return [(action.event.kind, action.event.key or action.event.button) for action in actions]


def test_what_a_person_presses_is_told_and_nothing_is_sent(rig: BrokerRig) -> None:
    rig.arm(person=True)
    assert refusals(rig.press("w")) == [Refusal.DISARMED]
    rig.hands.key("a", down=True)
    rig.hands.key("a", down=False)
    rig.until(lambda: ("key_up", "a") in _acted(rig))
    rig.hands.press_by_program("d")
    rig.until(lambda: ("key_up", "d") in _acted(rig))
    assert _acted(rig) == [("key_down", "a"), ("key_up", "a"), ("key_down", "d"), ("key_up", "d")]
    assert not rig.all_said(injection.Latched)
    assert not rig.events("key_down", "w")


def test_the_pointer_is_told_with_its_place_its_way_and_when_its_button_came_up(rig: BrokerRig) -> None:
    rig.arm(person=True)
    rig.hands.place_pointer_in(rig.target.native_id, 40, 30)
    rig.pump_for(0.3)
    rig.forget()
    rig.hands.move(5, 3)
    rig.until(lambda: ("mouse_move", "left") in _acted(rig))
    moved = rig.all_said(injection.PersonActed)[-1].event
    assert (moved.dx, moved.dy) == (5, 3)
    assert moved.x is not None and moved.y is not None and moved.x > 40 and moved.y > 30
    before = now_ns()
    rig.hands.button(1, down=True)
    rig.until(lambda: ("mouse_down", "left") in _acted(rig))
    rig.hands.place_pointer(2, 2)
    rig.hands.button(1, down=False)
    rig.until(lambda: ("mouse_up", "left") in _acted(rig))
    click, let_go = (
        action for action in rig.all_said(injection.PersonActed) if action.event.kind != "mouse_move"
    )
    assert (click.event.kind, click.event.x, click.event.y) == ("mouse_down", moved.x, moved.y)
    assert let_go.event.x is None, "outside the game, where the button came up, is nobody's business"
    assert before - 10 * NS_PER_MS <= click.at_ns <= let_go.at_ns <= now_ns()


def test_a_silent_engine_stops_no_person(rig: BrokerRig) -> None:
    rig.arm(InputLimits(), person=True)
    time.sleep(1.5 * InputLimits().heartbeat_ms / 1_000)
    rig.hands.key("a", down=True)
    rig.hands.key("a", down=False)
    rig.until(lambda: ("key_up", "a") in _acted(rig))
    assert not rig.all_said(injection.Latched)


def test_the_stop_key_still_stops_and_then_nothing_is_told(rig: BrokerRig) -> None:
    rig.arm(person=True)
    rig.hands.key("ScrollLock", down=True)
    rig.hands.key("ScrollLock", down=False)
    rig.latched()
    rig.hands.key("a", down=True)
    rig.hands.key("a", down=False)
    rig.pump_for(0.3)
    assert _acted(rig) == []


def test_after_a_takeover_what_they_do_is_told_from_its_first_key_until_control_is_given_back(
    rig: BrokerRig,
) -> None:
    rig.arm(follow=True)
    rig.hands.key("a", down=True)
    rig.until(lambda: ("key_down", "a") in _acted(rig))
    assert [latch.cause for latch in rig.all_said(injection.Latched)] == [injection.StopCause.TAKEOVER]
    rig.link.disarm()
    rig.hands.key("a", down=False)
    rig.hands.key("d", down=True)
    rig.hands.key("d", down=False)
    rig.until(lambda: ("key_up", "d") in _acted(rig))
    assert _acted(rig) == [("key_down", "a"), ("key_up", "a"), ("key_down", "d"), ("key_up", "d")]
    rig.link.latch(injection.StopCause.CONSOLE)
    rig.until(lambda: len(rig.all_said(injection.Latched)) == 2)
    rig.hands.key("d", down=True)
    rig.hands.key("d", down=False)
    rig.pump_for(0.2)
    assert len(_acted(rig)) == 4, "an emergency stop ends it"
