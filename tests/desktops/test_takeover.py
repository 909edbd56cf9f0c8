"""Telling own input from a hand's, and a hand's from a nudge."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.desktops.takeover import JITTER_PX, Expected, Takeover


def test_each_own_event_is_counted_once() -> None:
    expected = Expected()
    expected.expect("key", 25, 0)
    expected.expect("key", 25, 1)
    assert expected.is_own("key", 25, 2)
    assert not expected.is_own("button", 25, 2)
    assert expected.is_own("key", 25, 3)
    assert not expected.is_own("key", 25, 4)


def test_what_was_never_reported_is_forgotten() -> None:
    expected = Expected()
    expected.expect("key", 25, 0)
    assert not expected.is_own("key", 25, 3 * NS_PER_S)


@given(st.lists(st.sampled_from(["own", "foreign"])))
def test_as_many_foreign_as_there_were(events: list[str]) -> None:
    expected = Expected()
    for _ in range(events.count("own")):
        expected.expect("key", 9, 0)
    own = [expected.is_own("key", 9, 1) for _ in events]
    assert own.count(False) == events.count("foreign")


def test_jitter_is_no_takeover_and_a_movement_is() -> None:
    takeover = Takeover()
    assert not takeover.moved(JITTER_PX - 1, NS_PER_S)
    assert not takeover.moved(JITTER_PX - 1, 2 * NS_PER_S)
    assert takeover.moved(2, 2 * NS_PER_S + 10 * NS_PER_MS)


def test_a_modifier_waits_for_its_hotkey() -> None:
    takeover = Takeover()
    takeover.modifier_pressed("Shift", 0)
    takeover.hotkey()
    assert takeover.modifier_meant(9 * NS_PER_S) is None
    takeover.modifier_pressed("Shift", 0)
    takeover.modifier_released("Shift")
    assert takeover.next_deadline_ns() is None
    takeover.modifier_pressed("Shift", 0)
    due = takeover.next_deadline_ns()
    assert due is not None
    assert takeover.modifier_meant(due - 1) is None
    assert takeover.modifier_meant(due) == "Shift"
    assert takeover.modifier_meant(due) is None
