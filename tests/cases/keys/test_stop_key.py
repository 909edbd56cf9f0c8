"""No run begins without a stop key that this keyboard has and that is ours; another key is offered."""

from __future__ import annotations

import os
import signal

import pytest
from tests.cases.keyboard import Keyboard, both_seats, obstacle_of

from pitwall.core.injection import HotkeyChords, Latched, Obstacle, Ready, StopCause
from pitwall.engine.action.broker_link import BrokerLink
from workshop.fixtures.broker_rig import BrokerRig

pytestmark = pytest.mark.screen

_SCROLL_LOCK, _F12 = 78, 96


def test_a_keyboard_without_the_stop_key_lets_no_agent_play(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.drop_key(_SCROLL_LOCK)
    obstacle = obstacle_of(rig, hotkeys=HotkeyChords(stop="ScrollLock", pause="F9"))
    assert "has no key ScrollLock, which is to stop the agent." in obstacle.what
    assert obstacle.stop_keys == ("Pause", "F12", "F11")
    assert "pitwall settings set hotkeys.stop Pause" in obstacle.fix
    rig.link.rearm()
    assert rig.latched().cause is StopCause.UNSAFE
    rig.configure(hotkeys=HotkeyChords(stop="Pause", pause="F9"))
    rig.until(lambda: rig.last_said(Ready).obstacle is None)
    rig.focus_game()
    rig.link.rearm()
    assert rig.press("w").events[0].refused is None
    rig.hands.key("Pause", down=True)
    assert rig.latched().cause is StopCause.HOTKEY
    rig.hands.key("Pause", down=False)


def test_a_stop_key_of_another_program_lets_no_agent_play(keyboard: Keyboard, rig: BrokerRig) -> None:
    keyboard.grab(_F12)
    obstacle = obstacle_of(rig, hotkeys=HotkeyChords(stop="F12"))
    assert obstacle.what == "F12, which is to stop the agent, is another program's key too."
    assert "F12" not in obstacle.stop_keys and obstacle.stop_keys


@both_seats
def test_a_stop_key_that_goes_away_in_mid_run_stops_it(keyboard: Keyboard, rig: BrokerRig) -> None:
    rig.arm()
    rig.press("w")
    rig.until(lambda: rig.events("key_down", "w"))
    keyboard.drop_key(_SCROLL_LOCK)
    latched = rig.until(lambda: next(iter(rig.all_said(Latched)), None))
    assert latched.cause is StopCause.UNSAFE and latched.released == ("w",)
    assert rig.hands.keys_down() == ()


def test_a_second_console_of_ours_may_use_the_same_stop_key(rig: BrokerRig) -> None:
    rig.arm()
    second = BrokerRig()
    try:
        second.configure()
        second.until(lambda: any(ready.configured for ready in second.all_said(Ready)))
        assert second.last_said(Ready).obstacle is None
    finally:
        second.close()


def test_a_second_broker_that_does_not_come_lets_no_agent_play(
    rig: BrokerRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rig
    second = BrokerRig()
    try:
        second.configure()
        second.until(lambda: second.link.listens)
        monkeypatch.setattr("pitwall.engine.action.broker_link._RESTART_NS", 0)
        obstacle = second.until(lambda: _obstacle_without_standby(second.link))
        assert "second broker" in obstacle.what
    finally:
        second.close()


def _obstacle_without_standby(link: BrokerLink) -> Obstacle | None:
    standby = link._standby
    if standby is not None and standby.child.process.poll() is None:
        os.kill(standby.child.pid, signal.SIGKILL)
    return link.obstacle
