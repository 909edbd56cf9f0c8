"""The known map grows as tiles come into sight, and distances to it are exact at every step."""

from __future__ import annotations

from random import Random

import pytest
from tests.pitwall_exam.grid.small_worlds import ask, state, trace
from tests.pitwall_exam.grid_world import WORDS, World

from pitwall_exam.episode.states import GridState, Tile
from pitwall_exam.episode.trace import Trace
from pitwall_exam.grid.events import STEPS
from pitwall_exam.grid.index import Indexes
from pitwall_exam.grid.places import Discovery, distance, nearest
from pitwall_exam.grid.space import SPATIAL


def known_by_hand(walk: Trace[GridState], step: int) -> dict[Tile, str]:
    known: dict[Tile, str] = {}
    for moment in walk.between(1, step):
        known.update(moment.before.seen)
        if moment.before.at is not None and moment.before.ground:
            known[moment.before.at] = moment.before.ground
    return known


@pytest.mark.parametrize("seed", range(4))
def test_the_map_of_a_step_holds_what_the_frames_until_then_showed(seed: int) -> None:
    walk = World(seed, deaths=False).trace(150)
    discovery = Discovery([moment.before for moment in walk.moments])
    for step in (150, 1, 77, 78, 3, 150):  # in any order
        assert discovery.until(step) == known_by_hand(walk, step)


@pytest.mark.parametrize("seed", range(4))
def test_distances_are_those_of_measuring_every_tile_at_every_step(seed: int) -> None:
    walk = World(seed, deaths=False).trace(200)
    discovery = Discovery([moment.before for moment in walk.moments])
    known: dict[Tile, str] = {}
    for moment in walk.moments:
        here = moment.before.at
        assert here is not None
        known |= {**moment.before.seen, here: moment.before.ground}
        for terrain in WORDS.terrains:
            lengths = [distance(tile, here) for tile, subject in known.items() if subject == terrain]
            assert discovery.distances(terrain)[moment.step - 1] == min(lengths, default=None), terrain


def test_a_lost_place_and_tiles_that_come_and_go_are_measured_right() -> None:
    states = [
        state((0, 0), "@..T"),
        state(None),
        state((9, 0), "@"),
        state((1, 0), "@.#"),
        state((1, 0), "T@.."),
        state((1, 0), ".@.."),
    ]
    assert list(Discovery(states).distances("tree")) == [3, None, 6, None, 1, None]
    states[3] = state((1, 0), "@.T")
    assert Discovery(states).distances("tree")[3] == 2


def test_a_tile_is_known_since_it_was_last_seen_to_change() -> None:
    discovery = Discovery([state((0, 0), "@T"), state((0, 0), "@."), state((0, 0), "@.")])
    assert discovery.since((1, 0), 1) == 1
    assert discovery.since((1, 0), 3) == 2
    assert nearest(discovery.until(3), (0, 0), "tree") == []


def test_nearest_directions_are_all_that_are_equally_near() -> None:
    walk = trace([state((0, 0), " T ", "T@.", "..~"), state()])
    assert ask(walk, "D_nearest_dir", step=1, terrain="tree") == ("left", "up")
    assert ask(walk, "D_nearest_dir", step=1, terrain="water")[0] == "down-right"
    assert "right and down" in ask(walk, "D_nearest_dir", step=1, terrain="water")
    assert ask(walk, "D_nearest_dir", step=1, terrain="grass") == ()  # one stands on it
    assert ask(walk, "D_nearest_dir", step=1, terrain="lava") == ()
    assert ask(walk, "D_nearest_dir", step=2, terrain="tree") == ()


def test_nothing_is_near_before_it_was_discovered() -> None:
    walk = trace([state((0, 0), "@."), state((0, 0), "@.T"), state()])
    assert ask(walk, "D_nearest_dir", step=1, terrain="tree") == ()
    assert ask(walk, "D_nearest_dir", step=2, terrain="tree") == ("right",)
    assert ask(walk, "D_nav_to_target", step=1, terrain="tree") == ()


def test_closest_and_furthest_steps_are_the_first_of_equals() -> None:
    tiles = "@..T"
    states = [state((0, 0), tiles), state((1, 0)), state((2, 0)), state((1, 0)), state((2, 0)), state((0, 0))]
    walk = trace([*states, state()])
    assert ask(walk, "D_min_dist", lo=1, hi=6, terrain="tree") == ("3",)
    assert ask(walk, "D_max_dist", lo=1, hi=6, terrain="tree") == ("1",)
    assert ask(walk, "D_max_dist", lo=2, hi=5, terrain="tree") == ("2",)
    assert ask(walk, "D_min_dist", lo=1, hi=6, terrain="coal") == ()
    assert ask(walk, "D_min_dist", lo=1, hi=7, terrain="tree") == ()  # not that many steps


def test_walking_on_is_foretold_over_known_free_tiles_alone() -> None:
    walk = trace([state((0, 0), " : ", "T@..#", " ! ", " . "), state()])
    assert ask(walk, "D_predict_terrain", step=1, direction="up", count=1) == ("sand",)
    assert ask(walk, "D_predict_terrain", step=1, direction="right", count=2) == ("grass",)
    assert ask(walk, "D_predict_terrain", step=1, direction="right", count=3) == ()  # a rock
    assert ask(walk, "D_predict_terrain", step=1, direction="up", count=2) == ()  # not discovered
    assert ask(walk, "D_predict_terrain", step=1, direction="left", count=1) == ()
    assert ask(walk, "D_predict_terrain", step=1, direction="down", count=1) == ("lava",)
    assert ask(walk, "D_predict_terrain", step=1, direction="down", count=2) == ()  # nobody gets there


def test_a_displacement_is_told_in_either_order() -> None:
    walk = trace(
        [state((0, 0)), state((-1, 0)), state((-1, 1)), state((-1, 2)), state((0, 2)), state((0, 0))]
    )
    assert ask(walk, "D_displacement", lo=1, hi=3) == (
        "1 step left and 2 steps down",
        "2 steps down and 1 step left",
    )
    assert ask(walk, "D_displacement", lo=1, hi=1)[0] == "1 step left"
    assert ask(walk, "D_displacement", lo=2, hi=3)[0] == "2 steps down"
    assert "0" in ask(walk, "D_displacement", lo=1, hi=5)
    assert ask(walk, "D_path_length", lo=2, hi=4) == ("3",)
    assert ask(walk, "D_displacement", lo=3, hi=2) == ()


def test_where_a_place_is_not_known_nothing_is_said_of_it() -> None:
    walk = trace([state(None), state((1, 1), "@T"), state(None)])
    assert ask(walk, "D_displacement", lo=1, hi=1) == ()
    assert ask(walk, "D_predict_terrain", step=1, direction="up", count=1) == ()
    assert ask(walk, "D_nav_to_target", step=1, terrain="tree") == ()
    assert ask(walk, "D_min_dist", lo=1, hi=2, terrain="tree") == ("2",)


@pytest.mark.parametrize("seed", range(4))
def test_what_has_no_answer_was_never_discovered_at_all(seed: int) -> None:
    index = Indexes(WORDS).of(World(seed, deaths=False).trace(150))
    ever = index.discovered.until(150)
    beyond = 0
    for slots in SPATIAL["D_predict_terrain"][0](index, Random(seed)):
        if not SPATIAL["D_predict_terrain"][1](index, slots).answers:
            here = index.moments[int(slots["step"]) - 1].before.at
            way, far = STEPS[str(slots["direction"])], int(slots["count"])
            assert here is not None
            assert (here[0] + way[0] * far, here[1] + way[1] * far) not in ever
            beyond += 1
    assert beyond
    for slots in SPATIAL["D_nearest_dir"][0](index, Random(seed)):
        if not SPATIAL["D_nearest_dir"][1](index, slots).answers:
            assert slots["terrain"] not in ever.values()
