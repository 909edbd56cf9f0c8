"""Timed actions: order, overlap, lateness, cancelling; and what must hold whatever is begun when."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.core.actions import Button, InputEvent, ResolvedAction, SemanticAction, TimedEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.engine.action.executor import Executor


def press(key: str) -> InputEvent:
    return InputEvent(kind="key_down", key=key)


def let_go(key: str) -> InputEvent:
    return InputEvent(kind="key_up", key=key)


def action(*events: tuple[float, InputEvent], duration_ms: float = 250) -> ResolvedAction:
    timed = tuple(TimedEvent(at_ms=at_ms, event=event) for at_ms, event in events)
    return ResolvedAction(action=SemanticAction(name="it"), events=timed, duration_ms=duration_ms)


def hold(key: str, hold_ms: float = 100, duration_ms: float = 250) -> ResolvedAction:
    return action((0, press(key)), (hold_ms, let_go(key)), duration_ms=duration_ms)


class Timeline:
    """An executor and what it sent, in milliseconds."""

    def __init__(self, executor: Executor | None = None) -> None:
        self.executor = executor or Executor()
        self.sent: list[tuple[float, str, str]] = []

    def begin(self, at_ms: float, resolved: ResolvedAction) -> None:
        self.executor.begin(resolved, int(at_ms * NS_PER_MS))
        self.ask(at_ms)

    def ask(self, *at_ms: float) -> None:
        for at in at_ms:
            for event in self.executor.due(int(at * NS_PER_MS)):
                self.sent.append((at, event.kind, event.key or event.button))

    def run_out(self) -> None:
        while (due_ns := self.executor.next_due_ns) is not None:
            self.ask(due_ns / NS_PER_MS)


def test_a_hold_goes_down_now_and_up_at_its_deadline() -> None:
    line = Timeline()
    line.begin(1000, hold("w", 100))
    line.ask(1050, 1099)
    assert line.executor.held == ("w",)
    due_ns = line.executor.next_due_ns
    assert due_ns == 1100 * NS_PER_MS
    line.ask(1100, 1200)
    assert line.sent == [(1000, "key_down", "w"), (1100, "key_up", "w")]
    assert line.executor.next_due_ns is None


def test_begin_says_when_the_action_is_over() -> None:
    executor = Executor()
    assert executor.begin(hold("w", 100, duration_ms=250), 0) == 250 * NS_PER_MS
    assert executor.begin(hold("a", 400, duration_ms=250), 0) == 400 * NS_PER_MS
    assert executor.begin(action(duration_ms=200), 0) == 200 * NS_PER_MS


def test_a_tap_runs_while_another_key_is_held() -> None:
    line = Timeline()
    line.begin(0, hold("w", 500))
    line.begin(100, hold("Space", 50))
    line.run_out()
    assert line.sent == [
        (0, "key_down", "w"),
        (100, "key_down", "Space"),
        (150, "key_up", "Space"),
        (500, "key_up", "w"),
    ]


@pytest.mark.parametrize(("second_ms", "up_ms"), [(100, 300), (50, 300), (400, 500)])
def test_pressing_what_is_down_extends_the_hold(second_ms: float, up_ms: float) -> None:
    line = Timeline()
    line.begin(0, hold("w", 300))
    line.begin(100, hold("w", second_ms))
    line.run_out()
    assert line.sent == [(0, "key_down", "w"), (up_ms, "key_up", "w")]


def test_a_hold_is_not_extended_past_the_longest() -> None:
    line = Timeline(Executor(longest_hold_ms=500))
    for at in (0, 200, 400):
        line.begin(at, hold("w", 250))
    line.run_out()
    assert line.sent == [
        (0, "key_down", "w"),
        (400, "key_up", "w"),
        (400, "key_down", "w"),
        (650, "key_up", "w"),
    ]


def held(line: Timeline, at_ms: float, *keys: str) -> None:
    """Say which keys are held at a time; each has a name of its own."""
    wanted = [replace(hold(key, 10), action=SemanticAction(name=key)) for key in keys]
    line.executor.hold(wanted, int(at_ms * NS_PER_MS))
    line.ask(at_ms)


def test_what_is_held_stays_down_while_it_is_said_again() -> None:
    line = Timeline()
    for at, keys in ((0, "a"), (100, "ad"), (200, "ad"), (300, "d"), (400, "")):
        held(line, at, *keys)
    assert line.sent == [
        (0, "key_down", "a"),
        (100, "key_down", "d"),
        (300, "key_up", "a"),
        (400, "key_up", "d"),
    ]
    assert line.executor.next_due_ns is None


def test_what_is_held_comes_up_by_itself_where_nobody_says_it_again() -> None:
    line = Timeline()
    held(line, 0, "a")
    held(line, 200, "a")
    line.run_out()
    assert line.sent == [(0, "key_down", "a"), (500, "key_up", "a")]
    held(line, 600, "a")
    assert [event.key for event in line.executor.cancel()] == ["a"]
    held(line, 700, "a")
    assert line.executor.held == ("a",)


def looked(line: Timeline, at_ms: float, *directions: int) -> None:
    """Say which looks are held at a time: three motions of 10 units in 40 ms, over after 100 ms."""
    wanted = [
        action(
            *((number * 20, InputEvent(kind="mouse_look", dx=10 * way)) for number in range(3)),
            duration_ms=100,
        )
        for way in directions
    ]
    named = [
        replace(look, action=SemanticAction(name=f"look {way}"))
        for look, way in zip(wanted, directions, strict=True)
    ]
    line.executor.hold(named, int(at_ms * NS_PER_MS))
    line.ask(at_ms)


def test_a_look_that_is_held_begins_again_when_it_is_over_and_ends_with_its_last_motion() -> None:
    line = Timeline()
    for at in range(0, 230, 10):
        looked(line, at, 1)
    line.run_out()
    assert [at for at, _, _ in line.sent] == [0, 20, 40, 100, 120, 140, 200, 220, 240]
    assert {kind for _, kind, _ in line.sent} == {"mouse_look"}
    assert line.executor.held == ()


def test_another_look_begins_at_once_and_a_cancelled_one_moves_no_more() -> None:
    line = Timeline()
    looked(line, 0, 1)
    looked(line, 10, -1)
    looked(line, 20, -1)
    assert len(line.sent) == 3, "the first look's second motion and the other's first"
    assert line.executor.cancel() == ()
    line.ask(100)
    assert len(line.sent) == 3
    looked(line, 200, -1)
    assert len(line.sent) == 4


def test_a_refused_or_too_long_hold_is_pressed_anew() -> None:
    line = Timeline(Executor(longest_hold_ms=500))
    held(line, 0, "a")
    line.executor.refused(press("a"), 0)
    for at in (100, 200, 300, 400, 500):
        held(line, at, "a")
    assert line.sent == [
        (0, "key_down", "a"),
        (100, "key_down", "a"),
        (400, "key_up", "a"),
        (400, "key_down", "a"),
    ]


def test_what_is_asked_for_late_keeps_its_length_and_its_gaps() -> None:
    line = Timeline()
    taps = action((0, press("a")), (60, let_go("a")), (120, press("b")), (180, let_go("b")), duration_ms=180)
    line.executor.begin(taps, 0)
    line.ask(100, 159, 160, 300, 359, 360)
    assert line.sent == [
        (100, "key_down", "a"),
        (160, "key_up", "a"),
        (300, "key_down", "b"),
        (360, "key_up", "b"),
    ]


def test_keys_pressed_together_go_down_together() -> None:
    line = Timeline()
    line.executor.begin(
        action((0, press("Shift")), (0, press("w")), (80, let_go("w")), (80, let_go("Shift"))), 0
    )
    line.ask(30)
    assert [kind for _, kind, _ in line.sent] == ["key_down", "key_down"]


def test_a_press_that_is_never_ended_ends_with_the_action() -> None:
    line = Timeline()
    line.begin(0, action((0, press("w")), duration_ms=250))
    line.run_out()
    assert line.sent == [(0, "key_down", "w"), (250, "key_up", "w")]


def test_a_release_without_a_press_and_a_wait_are_left_out() -> None:
    line = Timeline()
    wait = InputEvent(kind="wait", wait_ms=100)
    line.begin(0, action((0, let_go("w")), (50, wait), duration_ms=200))
    line.run_out()
    assert line.sent == []


def test_a_click_moves_presses_and_lets_go_at_its_place() -> None:
    line = Timeline()
    move = InputEvent(kind="mouse_move", x=10, y=20)
    down, up = InputEvent(kind="mouse_down", x=10, y=20), InputEvent(kind="mouse_up", x=10, y=20)
    line.begin(0, action((0, move), (0, down), (60, up)))
    assert line.executor.held == ("mouse:left",)
    line.run_out()
    assert [kind for _, kind, _ in line.sent] == ["mouse_move", "mouse_down", "mouse_up"]


def test_cancelling_lets_everything_go_once() -> None:
    line = Timeline()
    line.begin(0, hold("w", 500))
    line.begin(10, action((0, InputEvent(kind="mouse_down", button="right", x=5, y=5)), duration_ms=400))
    line.begin(20, hold("w", 100))
    releases = line.executor.cancel()
    assert [(event.kind, event.key or event.button) for event in releases] == [
        ("key_up", "w"),
        ("mouse_up", "right"),
    ]
    assert line.executor.held == ()
    assert line.executor.next_due_ns is None
    assert line.executor.cancel() == ()
    line.begin(30, hold("w", 40))
    line.run_out()
    assert line.sent[-2:] == [(30, "key_down", "w"), (70, "key_up", "w")]


KEYS = ("a", "b", "Space")
BUTTONS: tuple[Button, ...] = ("left", "right")
_offsets = st.integers(0, 400)
_events = st.one_of(
    st.builds(press, st.sampled_from(KEYS)),
    st.builds(let_go, st.sampled_from(KEYS)),
    st.builds(InputEvent, kind=st.sampled_from(("mouse_down", "mouse_up")), button=st.sampled_from(BUTTONS)),
    st.just(InputEvent(kind="mouse_move", x=1, y=2)),
    st.just(InputEvent(kind="wait", wait_ms=50)),
)
_actions = st.builds(
    lambda events, duration: action(*sorted(events, key=lambda event: event[0]), duration_ms=duration),
    st.lists(st.tuples(_offsets, _events), max_size=8),
    st.integers(20, 600),
)
_moments = st.lists(
    st.tuples(st.integers(0, 250), st.one_of(st.none(), st.just("cancel"), _actions)), max_size=25
)


@given(moments=_moments, longest=st.sampled_from([50, 300, 5_000]))
def test_nothing_comes_up_that_is_not_down_and_nothing_stays_down(
    moments: list[tuple[int, ResolvedAction | str | None]], longest: int
) -> None:
    executor = Executor(longest_hold_ms=longest)
    down: set[str] = set()

    def play(events: tuple[InputEvent, ...]) -> None:
        for event in events:
            name = event.key or event.button
            if event.kind in ("key_down", "mouse_down"):
                assert name not in down, "pressed twice"
                down.add(name)
            elif event.kind in ("key_up", "mouse_up"):
                assert name in down, "released without a press"
                down.remove(name)

    now_ms = 0
    for gap_ms, moment in moments:
        now_ms += gap_ms
        if isinstance(moment, ResolvedAction):
            executor.begin(moment, now_ms * NS_PER_MS)
        elif moment == "cancel":
            play(executor.cancel())
            assert not down
        play(executor.due(now_ms * NS_PER_MS))
        assert {name.removeprefix("mouse:") for name in executor.held} == down
        assert not down or executor.next_due_ns is not None, "down without a release to come"
        assert executor.next_due_ns is None or executor.next_due_ns > now_ms * NS_PER_MS
    while executor.next_due_ns is not None:
        play(executor.due(executor.next_due_ns))
    assert not down


@given(
    holds=st.lists(st.tuples(st.integers(0, 300), st.integers(1, 300)), min_size=1, max_size=10),
    loop_ms=st.integers(1, 70),
)
def test_however_late_the_loop_asks_every_hold_lasts_its_time(
    holds: list[tuple[int, int]], loop_ms: int
) -> None:
    """One action of taps on different keys, asked for on a coarse grid of times."""
    events: list[tuple[float, InputEvent]] = []
    for number, (at, hold_ms) in enumerate(holds):
        events += [(at, press(f"F{number + 1}")), (at + hold_ms, let_go(f"F{number + 1}"))]
    line = Timeline()
    line.executor.begin(action(*sorted(events, key=lambda event: event[0])), 0)
    at = 0
    while line.executor.next_due_ns is not None:
        line.ask(at)
        at += loop_ms
    times = {(kind, key): at for at, kind, key in line.sent}
    for number, (_, hold_ms) in enumerate(holds):
        key = f"F{number + 1}"
        assert times["key_up", key] - times["key_down", key] >= hold_ms
    assert all(before[0] <= after[0] for before, after in pairwise(line.sent))
