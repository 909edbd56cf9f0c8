"""Flappy's pinned rules, and how far random play and the manifest's module get on the headless twin."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import flappy_rules as rules
import pytest
from flappy_rules import Flight, Pipe

from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.observations import Value
from pitwall.games.manifest import load_profile
from pitwall.games.schema.fields import DerivedField
from pitwall.games.schema.profile import Profile
from pitwall.gsm.rule_module import RuleModule

FRAME_NS = 1_000_000_000 // rules.FRAMES_PER_SECOND


@pytest.fixture
def profile(project_root: Path) -> Profile:
    return load_profile(project_root / "plugins" / "flappy")


def flown(seed: int, flaps: Callable[[Flight], bool], *, cap: int = 0) -> Flight:
    flight = Flight(seed, cap)
    flight.step(True)
    while not flight.over:
        flight.step(flaps(flight))
    return flight


def test_the_pinned_constants() -> None:
    assert (rules.WIDTH, rules.HEIGHT, rules.FRAMES_PER_SECOND) == (288, 512, 30)
    assert (rules.GRAVITY, rules.FLAP_SPEED, rules.FASTEST_FALL, rules.SCROLL) == (1, -9, 10, 4)
    assert (rules.GAP, rules.PIPE_EVERY, rules.GAP_RANGE) == (100, 144, 142)


def test_a_flap_rises_and_gravity_pulls_to_the_fastest_fall() -> None:
    flight = Flight(1)
    flight.y = 0
    heights = []
    for frame in range(22):
        flight.step(frame == 0)
        heights.append(flight.y)
    assert heights[:4] == [-9, -17, -24, -30]
    assert min(heights) == -45
    assert heights[-1] - heights[-2] == heights[-2] - heights[-3] == 10


def test_pipes_come_at_their_distance_with_even_gaps() -> None:
    gaps = []
    for seed in range(60):
        flight = Flight(seed)
        for _ in range(200):
            flight.y, flight.speed = flight.pipes[0].gap_top + 30, 0
            flight.pipes[0].passed = flight.pipes[0].passed or flight.pipes[0].x < 0
            flight.cause = ""
            flight.step(False)
        lefts = [pipe.x for pipe in flight.pipes]
        assert [b - a for a, b in pairwise(lefts)] == [144] * (len(lefts) - 1)
        gaps += [pipe.gap_top for pipe in flight.pipes]
    low, high = rules.HIGHEST_GAP, rules.HIGHEST_GAP + rules.GAP_RANGE - 1
    assert low <= min(gaps) < low + 12
    assert high - 12 < max(gaps) <= high
    assert abs(statistics.mean(gaps) - (low + high) / 2) < 12


def test_one_seed_is_one_course_whoever_flies() -> None:
    def course(flaps: Callable[[Flight], bool]) -> list[int]:
        return [pipe.gap_top for pipe in flown(5, flaps).pipes][:1]

    assert course(lambda _: False) == course(lambda flight: flight.frame % 9 == 0)
    assert Flight(5).pipes[0].gap_top != Flight(6).pipes[0].gap_top


def test_ground_pipe_and_cap_end_a_flight() -> None:
    assert flown(1, lambda _: False).cause == "ground"
    assert flown(1, lambda flight: flight.y > 0).cause == "pipe"
    won = flown(1, lambda flight: flight.bottom > flight.pipes[0].gap_bottom - 12, cap=1)
    assert (won.cause, won.score) == ("cap", 1)
    frames = won.frame
    won.step(True)
    assert won.frame == frames


def test_the_birds_corners_are_round() -> None:
    """A bird whose box just overlaps a pipe's corner has not hit it; one in the middle has."""
    flight = Flight(1)
    flight.speed, flight.y = 0, 200
    flight.pipes = [Pipe(rules.BIRD_X + rules.BIRD_WIDTH - 4 + rules.SCROLL, 203)]
    flight.step(False)
    assert not flight.over
    flight.pipes[0].x = rules.BIRD_X
    flight.speed, flight.y = 0, 200
    flight.step(False)
    assert flight.cause == "pipe"


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.06, 0.04])
def test_random_play_passes_at_most_one_pipe_on_average(chance: float) -> None:
    dice = random.Random(1)
    scores = [flown(seed, lambda _: dice.random() < chance).score for seed in range(200)]
    assert statistics.mean(scores) <= 1


# ---- the module of the manifest


def derived(profile: Profile) -> list[tuple[str, Condition]]:
    return [(f.name, parse_condition(f.value)) for f in profile.fields if isinstance(f, DerivedField)]


def seen(flight: Flight, calculations: list[tuple[str, Condition]]) -> dict[str, Value]:
    """What the state reader reads of this flight (test_flappy_screen compares it with the real one)."""
    shown = [pipe for pipe in flight.pipes if pipe.x + 4 < rules.WIDTH]
    near = [pipe for pipe in shown if pipe.right - 4 > 56]
    far = [pipe for pipe in shown if pipe.right - 4 > 184]
    centre = flight.y + 12.8 - 0.17 * flight.speed
    values: dict[str, Value] = {
        "status": "playing",
        "bird_y": centre,
        "beak_y": centre + 2.35 + flight.speed / 1.36,
        "gap_bottom": near[0].gap_bottom + 2 if near else None,
        "gap_right": min(near[0].right - 4, rules.WIDTH) if near else None,
        "next_gap_bottom": far[0].gap_bottom + 2 if far else None,
    }
    for name, calculation in calculations:
        values[name] = calculation.value(values)
    return values


def pipes_passed(profile: Profile, seed: int, *, delay_frames: int, cap: int) -> int:
    module = RuleModule(profile.modules[0], frozenset(field.name for field in profile.fields))
    module.begin()
    calculations = derived(profile)
    keys = [False] * delay_frames
    flight = Flight(seed, cap)
    flight.step(True)
    while not flight.over:
        keys.append(module.act(seen(flight, calculations), flight.frame * FRAME_NS) is not None)
        flight.step(keys.pop(0))
    return flight.score


@pytest.mark.parametrize("delay_frames", [0, 1])
def test_the_module_passes_25_pipes_reliably(profile: Profile, delay_frames: int) -> None:
    """Its margins are tuned for keys that arrive in the next frame, or in the one after it."""
    scores = [pipes_passed(profile, seed, delay_frames=delay_frames, cap=25) for seed in range(20)]
    assert sum(score >= 25 for score in scores) >= 18, scores


def gaps(seed: int, *, steep: bool) -> list[int]:
    """Where the first dozen gaps of a course begin."""
    flight, tops = Flight(seed, steep=steep), dict[int, int]()
    while len(tops) < 12:
        tops.update({flight.frame * rules.SCROLL + pipe.x: pipe.gap_top for pipe in flight.pipes})
        flight.step(False)
        flight.cause = ""
    return list(tops.values())


def test_a_steep_course_is_made_of_far_gaps_within_the_same_bounds() -> None:
    far = {}
    for steep in (False, True):
        courses = [gaps(seed, steep=steep) for seed in range(60)]
        tops = [top for course in courses for top in course]
        assert min(tops) >= rules.HIGHEST_GAP
        assert max(tops) < rules.HIGHEST_GAP + rules.GAP_RANGE
        apart = [abs(a - b) for course in courses for a, b in pairwise(course)]
        far[steep] = sum(distance > 90 for distance in apart) / len(apart)
    assert far[False] < 0.25
    assert far[True] > 0.4
