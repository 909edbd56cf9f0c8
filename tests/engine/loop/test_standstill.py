"""A standstill is noticed once, after presses that changed nothing."""

from __future__ import annotations

from pitwall.core.clock import NS_PER_S
from pitwall.engine.loop.standstill import Standstill


def test_presses_without_a_new_frame_are_a_standstill_once() -> None:
    standstill = Standstill()
    assert standstill.follow(5, 100, 0) == 0
    assert standstill.follow(5, 120, 11 * NS_PER_S) == 0
    assert standstill.follow(5, 120, 12 * NS_PER_S) == 12
    assert standstill.follow(5, 140, 30 * NS_PER_S) == 0
    assert standstill.follow(6, 140, 31 * NS_PER_S) == 0, "the picture moved"
    assert standstill.follow(6, 160, 44 * NS_PER_S) == 13


def test_a_still_picture_without_presses_is_no_standstill() -> None:
    standstill = Standstill()
    standstill.follow(5, 100, 0)
    assert standstill.follow(5, 109, 60 * NS_PER_S) == 0
