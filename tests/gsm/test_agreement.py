"""Two players compared: reaction time, chance, targets of clicks, and what the interval says."""

from __future__ import annotations

import random

import pytest

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.gsm.agreement import AgreementTally, PressComparison, Pressed

SIZE = (200, 100)


def _compared(
    person: list[tuple[float, str]], agent: list[tuple[float, str]], *, seconds: float = 20.0
) -> PressComparison:
    """Presses of Space of 100 ms each, begun at these seconds."""
    comparison = PressComparison()
    events = []
    for track, presses in ((comparison.person, person), (comparison.agent, agent)):
        for at_s, key in presses:
            events += [(at_s, track, "key_down", key), (at_s + 0.1, track, "key_up", key)]
    for at_s, track, kind, key in sorted(events, key=lambda event: event[0]):
        comparison.advance(int(at_s * NS_PER_S))
        event = InputEvent(kind=kind, key=key)  # type: ignore[arg-type]
        comparison.press(track, event, int(at_s * NS_PER_S), size=SIZE)
    comparison.advance(int(seconds * NS_PER_S))
    return comparison


BEATS = [(second + 0.5, "Space") for second in range(19)]


def test_who_answers_200_ms_later_agrees_and_who_answers_500_ms_later_does_not() -> None:
    near = _compared([(at + 0.2, key) for at, key in BEATS], BEATS)
    far = _compared([(at + 0.5, key) for at, key in BEATS], BEATS)
    assert near.agreement().share == 1.0 and not near.moments
    assert far.agreement().share < 0.9 and not far.agreement().beats_chance  # type: ignore[operator]
    assert far.moments[0].agent == ("Space",)


def test_an_agent_that_never_presses_agrees_no_better_than_chance() -> None:
    idle = _compared([BEATS[3], BEATS[12]], []).agreement()
    assert idle.share is not None and idle.share > 0.9
    assert idle.kappa == pytest.approx(0.0) and not idle.beats_chance
    assert _compared([], []).agreement().kappa is None


def test_presses_by_chance_have_a_kappa_of_nothing() -> None:
    chance, tally = random.Random(3), AgreementTally()
    both = [Pressed(frozenset({key}), frozenset({key})) for key in ("a", "b", "c")]
    for moment in range(6_000):
        tally.add(moment * 50 * NS_PER_MS, chance.choice(both), chance.choice(both))
    agreement = tally.agreement()
    assert agreement.share == pytest.approx(1 / 3, abs=0.03) and agreement.kappa == pytest.approx(
        0.0, abs=0.04
    )
    assert agreement.presses["a"].both < agreement.presses["a"].person


def test_a_second_of_frames_is_one_trial_however_many_they_are() -> None:
    short, long = _compared(BEATS[:1], BEATS[:1], seconds=1.5), _compared(BEATS, BEATS)
    assert short.agreement().spans == 1 and short.agreement().low < 0.3
    assert long.agreement().spans == 10 and long.agreement().low > 0.7


def test_clicks_agree_where_they_mean_one_target() -> None:
    for x, agrees in ((104, True), (180, False)):
        comparison = PressComparison()
        for track, place in ((comparison.person, 100), (comparison.agent, x)):
            event = InputEvent(kind="mouse_down", x=place, y=50)
            comparison.press(track, event, NS_PER_S, size=SIZE)
        comparison.advance(NS_PER_S)
        comparison.advance(2 * NS_PER_S)
        assert (comparison.agreement().share == 1.0) is agrees


def test_nothing_is_compared_while_nobody_plays() -> None:
    comparison = PressComparison()
    comparison.advance(0)
    comparison.press(comparison.person, InputEvent(kind="key_down", key="a"), 0, size=SIZE)
    comparison.rest(NS_PER_S)
    before = comparison.agreement().decisions
    comparison.rest(9 * NS_PER_S)
    comparison.advance(9 * NS_PER_S)
    comparison.advance(10 * NS_PER_S)
    assert comparison.person.held == () and 10 <= before <= 20
    assert comparison.agreement().decisions == 2 * before


def test_looks_agree_where_both_turn_the_same_way() -> None:
    for dx, dy, agrees in ((3, 0, True), (70, -9, True), (-40, 0, False), (0, 12, False)):
        comparison = PressComparison()
        comparison.advance(0)
        for late_ms in (0, 8, 16):  # a look is many motions
            at_ns = NS_PER_S + late_ms * NS_PER_MS
            looks = ((comparison.person, 40, 5, at_ns), (comparison.agent, dx, dy, at_ns + 120 * NS_PER_MS))
            for track, right, down, when_ns in looks:
                comparison.press(track, InputEvent(kind="mouse_look", dx=right, dy=down), when_ns, size=SIZE)
        comparison.advance(3 * NS_PER_S)
        agreement = comparison.agreement()
        assert (agreement.share == 1.0) is agrees
        assert agreement.presses["look right"].person > 0
        assert (agreement.presses["look right"].both > 0) is agrees
