"""Counts over stretches equal counting by hand; every stretch counts its first and its last step."""

from __future__ import annotations

import random
from collections import Counter
from itertools import groupby

import pytest
from tests.pitwall_exam.grid.small_worlds import ask, state, trace
from tests.pitwall_exam.grid_world import WORDS, World

from pitwall_exam.episode.keywords import mentions
from pitwall_exam.episode.states import GridState
from pitwall_exam.episode.trace import Moment
from pitwall_exam.grid.events import STEPS


def beside(moment: Moment[GridState], terrain: str) -> bool:
    assert moment.before.at is not None
    x, y = moment.before.at
    return any(moment.before.seen.get((x + dx, y + dy)) == terrain for dx, dy in STEPS.values())


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_looking_at_each_step(seed: int) -> None:
    walk, chance = World(seed, deaths=seed % 2 == 0).trace(160), random.Random(seed)
    for _ in range(12):
        lo, hi = sorted(chance.choices(range(1, len(walk) + 1), k=2))
        part = walk.between(lo, hi)
        terrain, item = chance.choice(WORDS.terrains), chance.choice(WORDS.resources)
        action = chance.choice(WORDS.actions)
        within = {"lo": lo, "hi": hi}
        seen = sum(terrain in moment.before.seen.values() for moment in part)
        near = sum(beside(moment, terrain) for moment in part)
        words = sum(mentions(moment.reason, "tree") for moment in part)
        assert ask(walk, "C_visible_count", **within, terrain=terrain) == (str(seen),)
        assert ask(walk, "C_adjacent_count", **within, terrain=terrain) == (str(near),)
        assert ask(walk, "C_keyword_count", **within, keyword="tree") == (str(words),)
        runs = [len(list(run)) for done, run in groupby(part, lambda item: item.action) if done == action]
        assert ask(walk, "C_longest_run", **within, action=action) == (str(max(runs, default=0)),)
        trees = {tile for moment in part for tile, subject in moment.before.seen.items() if subject == "tree"}
        assert ask(walk, "C_distinct_trees", **within) == (str(len(trees)),)
        living = [moment for moment in part if not moment.after.dead]
        gains = [
            element
            for element in living
            if element.after.items.get(item, 0) > element.before.items.get(item, 0)
        ]
        assert ask(walk, "C_collect_res", **within, resource=item) == (str(len(gains)),)
        went = Counter(WORDS.moves[moment.action] for moment in living if moment.before.at != moment.after.at)
        most = {way for way, count in went.items() if count == max(went.values())}
        assert {piece for piece in ask(walk, "C_most_move", **within) if "_" not in piece} == most
        assert ask(walk, "D_path_length", **within) == (str(sum(went.values())),)


def test_change_and_peak() -> None:
    states = [state(items={"wood": count} if count else {}) for count in (0, 1, 3, 1, 3, 2)]
    walk = trace(states)
    assert ask(walk, "C_resource_change", lo=1, hi=5, resource="wood") == ("2",)
    assert ask(walk, "C_resource_change", lo=3, hi=3, resource="wood") == ("-2",)
    assert ask(walk, "C_resource_change", lo=1, hi=5, resource="coal") == ("0",)
    assert ask(walk, "C_resource_peak", resource="wood") == ("2", "4")  # it reaches it twice
    assert ask(walk, "C_resource_peak", resource="coal") == ()
    assert ask(trace(states[2:]), "C_resource_peak", resource="wood") == ()  # it began with as much


def test_the_most_common_direction_counts_steps_taken_not_keys() -> None:
    walk = trace(
        [state((0, 0)), state((0, 0)), state((0, 0)), state((1, 0)), state((1, 1))],
        ["move_left", "move_left", "move_right", "move_down"],
    )
    assert set(ask(walk, "C_most_move", lo=1, hi=4)) == {"right", "down", "move_right", "move_down"}
    assert ask(walk, "C_most_move", lo=1, hi=2) == ()


@pytest.mark.parametrize(
    ("lo", "hi"),
    [(0, 2), (2, 1), (1, 6), (7, 9)],
)
def test_stretches_that_the_episode_does_not_have_say_nothing(lo: int, hi: int) -> None:
    walk = trace([state()] * 6)
    assert ask(walk, "C_visible_count", lo=lo, hi=hi, terrain="grass") == ()
    assert ask(walk, "C_distinct_trees", lo=lo, hi=hi) == ()


def test_names_that_no_such_game_has_are_not_counted() -> None:
    walk = trace([state()] * 6)
    assert ask(walk, "C_visible_count", lo=1, hi=3, terrain="moon") == ()
    assert ask(walk, "C_collect_res", lo=1, hi=3, resource="gold") == ()
    assert ask(walk, "C_longest_run", lo=1, hi=3, action="fly") == ()
    assert ask(walk, "C_longest_run", lo=1, hi=3, action="sleep") == ("0",)
