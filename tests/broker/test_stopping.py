"""The operator always wins: stop keys, the stop line, takeovers, and an engine that falls silent."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

import pytest

from pitwall.core.actions import InputEvent, Refusal
from pitwall.core.injection import (
    BrokerFault,
    FocusChanged,
    FocusHolder,
    HotkeyChords,
    HotkeyPressed,
    InputLimits,
    Latched,
    Ready,
    StopCause,
)
from workshop.fixtures.broker_rig import PATIENT, BrokerRig
from workshop.fixtures.key_window import KeyWindow

pytestmark = pytest.mark.screen
NO_TAKEOVER = replace(PATIENT, takeover=False)
FAST = replace(NO_TAKEOVER, actions_per_second=50)


def is_refused(rig: BrokerRig, key: str, cause: Refusal) -> bool:
    return rig.press(key).events[0].refused is cause


def until_up(rig: BrokerRig) -> None:
    """Wait for every key and button to be up, without a word from the engine."""
    deadline = time.monotonic() + 60
    while rig.hands.keys_down() or rig.hands.buttons_down():
        assert time.monotonic() < deadline, f"still down: {rig.hands.keys_down()}"
        time.sleep(0.005)


def test_the_stop_key_latches_under_any_modifiers(rig: BrokerRig) -> None:
    rig.arm(FAST)
    for modifiers in ((), ("Control",), ("Shift",), ("Alt",), ("Meta",), ("Control", "Alt", "Shift")):
        rig.inject(InputEvent(kind="key_down", key="w"), InputEvent(kind="mouse_down", x=5, y=5))
        for key in modifiers:
            rig.hands.key(key, down=True)
        rig.hands.key("ScrollLock", down=True)
        latch = rig.latched()
        for key in ("ScrollLock", *modifiers):
            rig.hands.key(key, down=False)
        until_up(rig)
        assert (latch.cause, latch.detail) == (StopCause.HOTKEY, "ScrollLock was pressed."), modifiers
        assert set(latch.released) == {"w", "MouseLeft"}
        assert latch.heard_ns <= latch.up_ns
        assert is_refused(rig, "w", Refusal.LATCHED)
        rig.link.rearm()
        rig.focus_game()
    assert rig.press("w").events[0].refused is None
    assert not rig.events("key_down", "pause"), "the game saw the stop key"


def test_the_stop_key_is_heard_under_a_foreign_grab_and_while_disarmed(rig: BrokerRig) -> None:
    display = pytest.importorskip(
        "pitwall.desktops.x11.display", reason="grabs are X11's", exc_type=ImportError
    )
    rig.arm(FAST)
    rig.link.disarm()
    grabber = display.Display()
    try:
        grabber.core.GrabKeyboard(False, grabber.root, 0, 1, 1).reply()
        rig.hands.key("ScrollLock", down=True)
        assert rig.latched().cause is StopCause.HOTKEY
    finally:
        grabber.close()


def test_a_stop_that_the_engine_has_not_heard_of_is_never_cleared(rig: BrokerRig) -> None:
    rig.arm()
    rig.hands.key("ScrollLock", down=True)
    time.sleep(0.3)  # the broker has latched; the engine has not looked
    rig.link.rearm()
    assert is_refused(rig, "w", Refusal.LATCHED)
    rig.link.rearm()
    rig.focus_game()
    assert rig.press("w").events[0].refused is None


def test_other_hotkeys_are_told_hidden_and_no_takeover(rig: BrokerRig) -> None:
    rig.arm(hotkeys=HotkeyChords(overlay="Shift+F1"))
    assert ("ScrollLock", "Pause", "Shift+F1", "Shift+F3") in [ready.hotkeys for ready in rig.all_said(Ready)]
    for key, is_down in (("Shift", True), ("F1", True), ("F1", False), ("Shift", False)):
        rig.hands.key(key, down=is_down)
    rig.until(lambda: rig.all_said(HotkeyPressed))
    rig.hands.key("Pause", down=True)
    rig.hands.key("Pause", down=False)
    rig.until(lambda: len(rig.all_said(HotkeyPressed)) == 2)
    assert [hotkey.name for hotkey in rig.all_said(HotkeyPressed)] == ["overlay", "pause"]
    assert rig.press("w").events[0].refused is None
    rig.until(lambda: rig.events("key_down", "w"))
    assert not rig.events("key_down", "f1")
    assert not rig.events("key_down", "scroll lock")
    assert not rig.all_said(Latched)
    assert all(change.holder is FocusHolder.GAME for change in rig.all_said(FocusChanged)[-1:])


def test_a_chord_taken_by_another_program_is_still_heard(rig: BrokerRig) -> None:
    display = pytest.importorskip(
        "pitwall.desktops.x11.display", reason="grabs are X11's", exc_type=ImportError
    )
    keymap = pytest.importorskip("pitwall.desktops.x11.keymap")
    grabber = display.Display()
    try:
        f12 = keymap.Keymap(grabber).code("F12")
        grabber.core.GrabKeyChecked(False, grabber.root, 0x8000, f12, 1, 1).check()
        rig.arm(FAST, hotkeys=HotkeyChords(pause="F12"))
        assert ("ScrollLock", "Shift+F1", "Shift+F3") in [ready.hotkeys for ready in rig.all_said(Ready)]
        assert any("F12" in fault.what for fault in rig.all_said(BrokerFault))
        rig.hands.key("F12", down=True)
        rig.until(lambda: [hotkey.name for hotkey in rig.all_said(HotkeyPressed)] == ["pause"])
        assert rig.hands.keys_down() == ("F12",)
    finally:
        grabber.close()


# ---- takeover


def test_a_key_of_the_operator_is_a_takeover(rig: BrokerRig) -> None:
    rig.arm()
    rig.press("w")
    rig.hands.key("d", down=True)
    latch = rig.latched()
    assert (latch.cause, latch.detail) == (StopCause.TAKEOVER, "You pressed d in the game.")
    assert rig.hands.keys_down() == ("d",), "the operator's own key must stay down"


def test_a_key_from_another_program_is_a_takeover(rig: BrokerRig) -> None:
    rig.arm()
    rig.press("w")
    rig.hands.press_by_program("f")
    latch = rig.latched()
    assert (latch.cause, latch.detail) == (StopCause.TAKEOVER, "Another program pressed f in the game.")
    until_up(rig)


def test_the_same_key_from_another_program_is_told_from_ours(rig: BrokerRig) -> None:
    rig.arm()
    rig.press("w")
    rig.release("w")
    rig.hands.press_by_program("w")
    assert rig.latched().cause is StopCause.TAKEOVER


def test_the_keys_of_another_side_are_no_takeover_whoever_presses_them(rig: BrokerRig) -> None:
    rig.arm(others_keys=("f", "g"))
    rig.press("w")
    rig.hands.press_by_program("f")
    rig.hands.key("g", down=True)
    rig.hands.key("g", down=False)
    rig.hands.key("d", down=True)
    assert rig.latched().detail == "You pressed d in the game.", "the first key that is nobody else's"


def test_a_key_typed_elsewhere_is_none(rig: BrokerRig, other: KeyWindow) -> None:
    rig.arm()
    rig.hands.steal_focus(other.window_id)
    rig.until(lambda: rig.last_said(FocusChanged).holder is FocusHolder.OTHER)
    rig.hands.key("d", down=True)
    rig.hands.key("d", down=False)
    rig.focus_game()
    rig.pump_for(0.1)
    assert not rig.all_said(Latched)


def test_moving_the_mouse_over_the_game_is_a_takeover_and_a_nudge_is_not(rig: BrokerRig) -> None:
    rig.arm()
    rig.hands.place_pointer(2, 2)
    rig.hands.move(30, 0)
    rig.pump_for(0.1)
    assert not rig.all_said(Latched), "the pointer was not over the game"
    rig.inject(InputEvent(kind="mouse_move", x=100, y=100))
    rig.hands.move(1, 1)
    rig.pump_for(0.1)
    assert not rig.all_said(Latched), "a nudge"
    rig.hands.move(6, 4)
    latch = rig.latched()
    assert (latch.cause, latch.detail) == (StopCause.TAKEOVER, "You moved the mouse over the game.")
    rig.link.rearm()
    rig.pump_for(0.1)
    assert not rig.all_said(Latched), "an old movement was held against the operator"


def test_a_click_in_the_game_is_a_takeover(rig: BrokerRig) -> None:
    rig.arm()
    rig.inject(InputEvent(kind="mouse_move", x=100, y=100))
    rig.hands.button(1, down=True)
    assert rig.latched().detail == "You clicked in the game."


def test_takeover_can_be_switched_off(rig: BrokerRig) -> None:
    rig.arm(NO_TAKEOVER)
    rig.hands.key("d", down=True)
    rig.hands.key("d", down=False)
    rig.pump_for(0.2)
    assert not rig.all_said(Latched)
    assert rig.press("w").events[0].refused is None


# ---- silence, and the stop line


def test_a_silent_engine_counts_as_hung(rig: BrokerRig) -> None:
    rig.arm(InputLimits())
    rig.press("w")
    until_up(rig)  # nobody beats meanwhile
    latch = rig.latched()
    assert latch.cause is StopCause.ENGINE_HUNG
    assert latch.released == ("w",)
    rig.pump_for(0.3)
    assert is_refused(rig, "w", Refusal.LATCHED), "only a rearm ends a latch"


def test_a_person_takes_over_from_an_engine_that_was_silent(rig: BrokerRig) -> None:
    rig.arm(InputLimits())
    rig.press("w")
    until_up(rig)
    assert rig.latched().cause is StopCause.ENGINE_HUNG
    rig.link.disarm()  # as the engine does, until it plays on by itself
    rig.pump_for(0.1)
    rig.hands.key("d", down=True)
    rig.hands.key("d", down=False)
    latch = rig.latched()
    assert (latch.cause, latch.detail) == (StopCause.TAKEOVER, "You pressed d in the game.")


def test_an_engine_that_beats_is_not_hung(rig: BrokerRig) -> None:
    rig.arm(InputLimits(heartbeat_ms=1_000, hold_ms=30_000))
    rig.press("w")
    rig.pump_for(2.0)
    assert rig.hands.keys_down() == ("w",)
    assert not rig.all_said(Latched)


def test_a_byte_on_the_stop_line_needs_no_engine(lined_rig: tuple[BrokerRig, socket.socket]) -> None:
    rig, console = lined_rig
    rig.arm()
    rig.press("w")
    console.send(b"!")
    until_up(rig)
    assert rig.latched().cause is StopCause.CONSOLE
    rig.link.rearm()
    rig.focus_game()
    assert rig.press("w").events[0].refused is None


def test_the_end_of_the_stop_line_latches_for_good(lined_rig: tuple[BrokerRig, socket.socket]) -> None:
    rig, console = lined_rig
    rig.arm()
    rig.press("w")
    console.close()
    until_up(rig)
    assert rig.latched().cause is StopCause.CONSOLE_GONE
    rig.link.rearm()
    assert rig.latched().cause is StopCause.CONSOLE_GONE
    assert is_refused(rig, "w", Refusal.LATCHED)


def test_the_engine_can_latch_too(rig: BrokerRig) -> None:
    rig.arm()
    rig.press("w")
    rig.link.latch(StopCause.CONSOLE)
    assert rig.latched().cause is StopCause.CONSOLE
    until_up(rig)
