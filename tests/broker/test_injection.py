"""What reaches a real SDL window through a real broker, and what does not."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace

import pytest

from pitwall.core.actions import InputEvent, Refusal
from pitwall.core.clock import now_ns
from pitwall.core.geometry import WindowRef
from pitwall.core.injection import (
    BrokerFault,
    FocusChanged,
    FocusHolder,
    Held,
    InputLimits,
    Latched,
    Ready,
    Receipt,
)
from workshop.fixtures.broker_rig import PATIENT, BrokerRig
from workshop.fixtures.key_window import KeyWindow

pytestmark = pytest.mark.screen
FAST = replace(PATIENT, actions_per_second=50)


def refusals(receipt: Receipt) -> list[Refusal | None]:
    return [sent.refused for sent in receipt.events]


def test_presses_and_releases_reach_the_game(rig: BrokerRig) -> None:
    rig.arm()
    before_ns = now_ns()
    receipt = rig.press("w", "Shift")
    assert refusals(receipt) == [None, None]
    assert all(sent.sent_ns is not None and before_ns < sent.sent_ns < now_ns() for sent in receipt.events)
    rig.until(lambda: rig.events("key_down", "w") and rig.events("key_down", "left shift"))
    assert set(rig.hands.keys_down()) == {"w", "Shift"}
    rig.until(lambda: rig.link.held == ("w", "Shift"))
    rig.release("w", "Shift")
    rig.until(lambda: rig.events("key_up", "w") and rig.events("key_up", "left shift"))
    rig.until(lambda: rig.last_said(Held).keys == ())
    assert rig.hands.keys_down() == ()


def test_a_second_press_of_a_held_key_is_not_sent_again(rig: BrokerRig) -> None:
    rig.arm()
    first = rig.press("w").events[0]
    again = rig.press("w").events[0]
    assert again.refused is None
    assert first.sent_ns is not None and again.sent_ns is not None
    assert again.sent_ns <= first.sent_ns


def test_clicks_land_where_they_were_aimed(rig: BrokerRig) -> None:
    rig.arm()
    press = (InputEvent(kind="mouse_down", x=20, y=30), InputEvent(kind="mouse_move", x=40, y=35))
    assert refusals(rig.inject(*press)) == [None] * 2
    rig.until(lambda: (40, 35) in [event.pos for event in rig.events("mouse_move")])
    assert rig.hands.buttons_down() == 1
    drop = (InputEvent(kind="mouse_up", x=60, y=45), InputEvent(kind="scroll", dy=2))
    assert refusals(rig.inject(*drop)) == [None] * 2
    rig.until(lambda: rig.events("mouse_up") and len(rig.events("wheel")) == 2)
    assert rig.events("mouse_down")[0].pos == (20, 30)
    assert rig.events("mouse_up")[0].pos == (60, 45)
    assert rig.hands.buttons_down() == 0
    outside = (InputEvent(kind="mouse_down", x=-5, y=30), InputEvent(kind="mouse_move", x=900, y=700))
    assert refusals(rig.inject(*outside)) == [Refusal.POINTER] * 2
    assert not rig.all_said(Latched), "own mouse events were taken for a human's"


def test_a_click_on_a_window_above_the_game_is_refused(rig: BrokerRig, other: KeyWindow) -> None:
    rig.arm()
    for window in (rig.window, other):  # the second comes to lie above the first
        rig.hands.place_window(window.window_id, 300, 300)
    click = InputEvent(kind="mouse_down", x=100, y=100)
    rig.until(lambda: refusals(rig.inject(click, InputEvent(kind="mouse_up"))) == [Refusal.POINTER, None])
    assert not [event for event in other.events() if event.kind == "mouse_down"]


def test_focus_loss_brings_keys_up_and_waits_for_the_focus(rig: BrokerRig, other: KeyWindow) -> None:
    rig.arm()
    rig.press("w")
    rig.until(lambda: rig.hands.keys_down() == ("w",))
    rig.hands.steal_focus(other.window_id)
    rig.until(lambda: rig.last_said(FocusChanged).holder is FocusHolder.OTHER)
    rig.until(lambda: rig.hands.keys_down() == ())
    assert refusals(rig.press("a")) == [Refusal.FOCUS]
    assert not rig.all_said(Latched)
    rig.focus_game()
    assert refusals(rig.press("a")) == [None]


def test_the_console_is_told_from_other_windows(rig: BrokerRig, other: KeyWindow) -> None:
    rig.arm(console_pids=(other.pid,))
    rig.hands.steal_focus(other.window_id)
    rig.until(lambda: rig.last_said(FocusChanged).holder is FocusHolder.CONSOLE)


def test_no_press_slips_into_a_window_that_just_took_the_focus(rig: BrokerRig, other: KeyWindow) -> None:
    rig.arm(FAST)
    late: list[Refusal | None] = []
    for _ in range(15):
        rig.focus_game()
        rig.pump_for(0.04)  # the window manager has done with it
        rig.link.inject((InputEvent(kind="key_down", key="w"),))
        rig.hands.steal_focus(other.window_id)
        late += refusals(rig.press("a"))  # sent before the broker was told of the steal
        rig.release("w", "a")
    rig.pump_for(0.1)
    assert late == [Refusal.FOCUS] * 15
    assert not [event for event in other.events() if event.kind == "key_down"]


def test_a_foreign_keyboard_grab_counts_as_focus_loss(rig: BrokerRig) -> None:
    display = pytest.importorskip(
        "pitwall.desktops.x11.display", reason="grabs are X11's", exc_type=ImportError
    )
    rig.arm()
    rig.press("w")
    grabber = display.Display()
    try:
        grabber.core.GrabKeyboard(False, grabber.root, 0, 1, 1).reply()
        late = rig.inject(InputEvent(kind="key_down", key="a"))
        assert refusals(late) == [Refusal.FOCUS]
        rig.until(lambda: rig.hands.keys_down() == ())
        grabber.core.UngrabKeyboard(0)
        grabber.flush()
        rig.until(lambda: rig.last_said(FocusChanged).holder is FocusHolder.GAME)
        assert refusals(rig.press("a")) == [None]
    finally:
        grabber.close()


def test_keys_outside_the_controls_and_forbidden_ones(rig: BrokerRig) -> None:
    rig.arm(keys=("w", "Alt", "F4", "Control", "Meta", "Pause"), mouse=False)
    assert refusals(rig.press("q")) == [Refusal.NOT_ALLOWED]
    assert refusals(rig.inject(InputEvent(kind="mouse_down", x=5, y=5))) == [Refusal.NOT_ALLOWED]
    assert refusals(rig.press("Alt", "F4", "Control", "w")) == [
        None,
        Refusal.FORBIDDEN,
        None,
        Refusal.FORBIDDEN,
    ]
    assert refusals(rig.press("Meta", "Pause")) == [Refusal.FORBIDDEN] * 2
    assert not rig.events("key_down", "f4")


def test_a_key_that_the_layout_lacks_is_named_and_nothing_is_played(rig: BrokerRig) -> None:
    rig.arm(keys=("w", "NoSuchKey"))
    assert refusals(rig.press("NoSuchKey", "w")) == [Refusal.UNKNOWN_KEY, Refusal.LATCHED]
    reports = [ready.obstacle for ready in rig.all_said(Ready) if ready.obstacle is not None]
    assert "NoSuchKey" in reports[-1].what


def test_rate_cap_stale_look_and_disarming(rig: BrokerRig) -> None:
    rig.pump_for(1.0)  # presses of the test before count for a second
    rig.arm(InputLimits(actions_per_second=4, observation_age_ms=100, heartbeat_ms=5_000))
    taps = [event for key in "wasdq" for event in _tap(key)]
    assert refusals(rig.inject(*taps)) == [None] * 8 + [Refusal.RATE, None]
    rig.pump_for(1.1)
    assert refusals(rig.press("w", observed_ns=now_ns() - 150_000_000)) == [Refusal.STALE]
    assert refusals(rig.press("w", observed_ns=now_ns())) == [None]
    rig.link.disarm()
    assert refusals(rig.press("a")) == [Refusal.DISARMED]
    assert rig.hands.keys_down() == ()


def test_the_longest_hold_ends_by_itself(rig: BrokerRig) -> None:
    rig.arm(InputLimits(hold_ms=120, heartbeat_ms=5_000))
    rig.press("w")
    rig.until(lambda: rig.events("key_up", "w"))
    assert rig.hands.keys_down() == ()
    rig.until(lambda: rig.link.held == ())
    assert not rig.all_said(Latched)


def test_a_window_that_is_gone(mortal_rig: BrokerRig) -> None:
    rig = mortal_rig
    rig.arm()
    rig.press("w")
    rig.window.close()
    rig.until(lambda: rig.last_said(FocusChanged).holder is FocusHolder.OTHER)
    assert refusals(rig.press("a")) == [Refusal.WINDOW_GONE]
    assert rig.hands.keys_down() == ()
    gone = WindowRef(native_id=0x7FFFFF, pid=0, title="", wm_class="", rect=rig.target.rect)
    rig.configure(target=gone)
    assert refusals(rig.press("a")) == [Refusal.WINDOW_GONE]
    gone_words = [fault.what for fault in rig.all_said(BrokerFault) if "exist" in fault.what]
    assert gone_words == [], "the engine reports a window that is gone"


def test_many_own_events_are_never_taken_for_a_human(rig: BrokerRig) -> None:
    rig.arm(FAST)
    for turn in range(20):
        rig.inject(*_tap("wasd"[turn % 4]), InputEvent(kind="mouse_move", x=10 + turn * 8, y=50))
        time.sleep(0.02)
    rig.pump_for(0.2)
    assert len(rig.events("key_up")) == 20
    assert not rig.all_said(Latched)


def test_without_a_window_manager_the_game_gets_the_focus_all_the_same(
    bare_screen: subprocess.Popen[bytes],
) -> None:
    assert bare_screen.poll() is None
    rig = BrokerRig()
    try:
        rig.hands.steal_focus(1)  # PointerRoot: what a server begins with
        rig.arm()
        assert rig.hands.focus() == rig.window.window_id
        assert refusals(rig.press("w")) == [None]
        rig.until(lambda: rig.events("key_down", "w"))
    finally:
        rig.close()


def _tap(key: str) -> tuple[InputEvent, InputEvent]:
    return InputEvent(kind="key_down", key=key), InputEvent(kind="key_up", key=key)
