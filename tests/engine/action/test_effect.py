"""Delivery is not effect: what confirms an action, what does not, and when the wait is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pitwall.core.actions import Effect, InputEvent, ResolvedAction, SemanticAction, SentEvent, TimedEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import ConditionError
from pitwall.core.observations import Value
from pitwall.engine.action.effect import EffectWatch, why_no_effect
from pitwall.games.schema.profile import ProgressRules

RULES = ProgressRules(position=["x"], inventory=["ammo", "key"], tolerance={"x": 2.0})
BEFORE: dict[str, Value] = {"x": 10, "ammo": 50, "key": False, "flicker": 1.0, "status": "playing"}


def tap(expect: str = "", at_ms: tuple[float, ...] = (0,), duration_ms: float = 250) -> ResolvedAction:
    events: list[TimedEvent] = []
    for at in at_ms:
        events.append(TimedEvent(at_ms=at, event=InputEvent(kind="key_down", key="w")))
        events.append(TimedEvent(at_ms=at + 50, event=InputEvent(kind="key_up", key="w")))
    return ResolvedAction(
        action=SemanticAction(name="tap"), events=tuple(events), duration_ms=duration_ms, expect=expect
    )


def watching(resolved: ResolvedAction, *, change: float = 0.0) -> EffectWatch:
    watch = EffectWatch(effect_wait_ms=400, progress=RULES)
    assert watch.begin(resolved, values=BEFORE, change=change, now_ns=0) is None
    return watch


@pytest.mark.parametrize(
    ("after", "change", "expected"),
    [
        ({}, 0.0, None),
        ({}, 0.1, None),
        ({}, 0.12, Effect.CONFIRMED),
        ({"ammo": 49}, 0.0, Effect.CONFIRMED),
        ({"key": True}, 0.0, Effect.CONFIRMED),
        ({"status": "terminal"}, 0.0, Effect.CONFIRMED),
        ({"x": 12}, 0.0, None),
        ({"x": 12.5}, 0.0, Effect.CONFIRMED),
        ({"flicker": 9.0}, 0.0, None),
        ({"ammo": None}, 0.0, None),
    ],
)
def test_without_an_expectation_any_seen_change_confirms(
    after: dict[str, Value], change: float, expected: Effect | None
) -> None:
    watch = watching(tap(), change=0.1)
    assert watch.update({**BEFORE, **after}, change, 16 * NS_PER_MS) == expected


def test_with_an_expectation_only_that_confirms() -> None:
    watch = watching(tap(expect="ammo < 50"))
    assert watch.update({**BEFORE, "x": 99}, 0.9, 16 * NS_PER_MS) is None
    assert watch.update({**BEFORE, "ammo": 49}, 0.0, 33 * NS_PER_MS) is Effect.CONFIRMED
    assert watch.update({**BEFORE, "ammo": 49}, 0.0, 50 * NS_PER_MS) is None, "said once"


@pytest.mark.parametrize(
    ("after", "change", "expected"),
    [
        ({}, 0.0, None),
        ({"flicker": 9.0}, 0.0, Effect.CONFIRMED),
        ({}, 0.02, Effect.CONFIRMED),
        ({"status": "terminal", "flicker": 9.0}, 0.9, None),
    ],
)
def test_an_expectation_that_held_before_confirms_only_with_a_change(
    after: dict[str, Value], change: float, expected: Effect | None
) -> None:
    """A click on "new game" beside an untouched board counted as progress for ever."""
    watch = watching(tap(expect="status == 'playing'"))
    assert watch.update({**BEFORE, **after}, change, 16 * NS_PER_MS) == expected


@pytest.mark.parametrize(
    ("resolved", "deadline_ms"),
    [
        (tap(), 400),
        (tap(duration_ms=900), 900),
        (tap(at_ms=(0, 120, 240)), 640),
        (replace(tap(duration_ms=40), effect_wait_ms=100), 100),
        (replace(tap(duration_ms=40), effect_wait_ms=0), 40),
    ],
)
def test_it_is_unverified_when_the_wait_is_over(resolved: ResolvedAction, deadline_ms: int) -> None:
    watch = watching(resolved)
    deadline_ns = watch.deadline_ns
    assert deadline_ns == deadline_ms * NS_PER_MS
    assert watch.update(BEFORE, 0.0, deadline_ms * NS_PER_MS - 1) is None
    assert watch.update(BEFORE, 0.0, deadline_ms * NS_PER_MS) is Effect.UNVERIFIED
    assert watch.deadline_ns is None
    assert watch.expired(10_000 * NS_PER_MS) is None, "said once"


def test_a_still_window_sends_no_frame_and_the_wait_is_over_all_the_same() -> None:
    watch = watching(tap())
    assert watch.expired(399 * NS_PER_MS) is None
    assert watch.expired(400 * NS_PER_MS) is Effect.UNVERIFIED


@pytest.mark.parametrize(
    "events",
    [(), (TimedEvent(at_ms=0, event=InputEvent(kind="wait", wait_ms=100)),)],
)
def test_where_nothing_is_sent_nothing_is_expected(events: tuple[TimedEvent, ...]) -> None:
    watch = EffectWatch(effect_wait_ms=400)
    resolved = ResolvedAction(action=SemanticAction(name="wait"), events=events, duration_ms=200)
    assert watch.begin(resolved, values=BEFORE, change=0.0, now_ns=0) is Effect.NONE
    assert watch.update(BEFORE, 1.0, 1) is None


def test_what_the_gate_refused_has_no_effect_to_wait_for() -> None:
    watch = watching(tap())
    assert watch.refused() is Effect.NONE
    assert watch.refused() is None
    assert watch.update(BEFORE, 1.0, 1) is None


def test_a_dropped_watch_says_nothing() -> None:
    watch = watching(tap())
    watch.drop()
    assert watch.update(BEFORE, 1.0, NS_PER_MS) is None
    assert watch.expired(10_000 * NS_PER_MS) is None


def test_a_wrong_expectation_is_an_error_at_once() -> None:
    with pytest.raises(ConditionError):
        EffectWatch(effect_wait_ms=400).begin(tap(expect="ammo <"), values=BEFORE, change=0.0, now_ns=0)


def test_a_tap_that_a_slow_game_missed_says_so() -> None:
    watch = watching(tap(duration_ms=1_000))
    for number in range(1, 5):  # the game draws the same picture five times a second
        assert watch.update(BEFORE, 0.0, number * 200 * NS_PER_MS) is None
    assert watch.update(BEFORE, 0.0, 1_000 * NS_PER_MS) is Effect.UNVERIFIED
    assert watch.stood_still
    sent = tuple(SentEvent(event=timed.event, sent_ns=int(timed.at_ms * NS_PER_MS)) for timed in tap().events)
    why = why_no_effect(sent, watch.frame_time.ms)
    assert why == "the game reads its keys at 5 frames a second; the tap lasted 50 ms. Hold it for 300 ms."
    assert why_no_effect(sent, 20.0) == "the picture stood still after it", "a tap of 2.5 frames is seen"
    assert why_no_effect(sent, None) == "the picture stood still after it"


def test_a_game_that_draws_at_a_press_alone_is_not_slow() -> None:
    watch = watching(tap())
    for press in range(6):
        begun_ns = press * 600 * NS_PER_MS
        watch.begin(tap(), values=BEFORE, change=0.0, now_ns=begun_ns)
        assert watch.update(BEFORE, 0.0, begun_ns + 40 * NS_PER_MS) is None
    assert watch.frame_time.ms is None


def test_a_picture_that_moves_by_itself_says_nothing_of_the_press() -> None:
    watch = watching(tap())
    assert watch.update(BEFORE, 0.005, 100 * NS_PER_MS) is None
    assert watch.update(BEFORE, 0.0, 400 * NS_PER_MS) is Effect.UNVERIFIED
    assert not watch.stood_still
