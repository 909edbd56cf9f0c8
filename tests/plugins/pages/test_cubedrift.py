"""Cube Drift: what ends a flight, what is read from the picture of space, and the way that is safe."""

from __future__ import annotations

import itertools

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage

from pitwall.core.observations import Value


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "cubedrift", seed=4)
    page.begin()
    page.js("stage.game.shards = []; stage.game.cubes = []; stage.game.laid = 1e6")
    return page


def _cubes(page: StagePage, *places: tuple[float, float]) -> dict[str, Value]:
    page.js(f"stage.game.cubes = {[list(place) for place in places]}.map(([x, z]) => ({{ x, z }}))")
    return page.seen()


def test_a_touch_ends_the_flight_and_beside_a_cube_it_goes_on(page: StagePage) -> None:
    _cubes(page, (1.4, 12))
    page.step(60)
    assert page.state().status.value == "playing"
    _cubes(page, (1.2, page.state().game_state.player["z"] + 8))
    page.step(60)
    state = page.state()
    assert (state.status.value, state.terminal.outcome) == ("terminal", "loss")
    assert f"{state.metrics['metres']} metres" in str(state.terminal.reason)


def test_metres_pace_and_shards_are_read(page: StagePage) -> None:
    page.step(150)
    page.js("stage.game.shards = [{ x: -1.5, z: stage.game.ship.z + 12 }]")
    seen, state = page.seen(), page.state()
    assert seen["metres"] == state.metrics["metres"] > 40
    assert seen["pace"] == pytest.approx(state.metrics["pace"], abs=0.3)
    assert seen["shard_x"] == pytest.approx(-1.5, abs=0.25)
    assert seen["shard_m"] == pytest.approx(12, abs=1.2)
    page.js("stage.game.shards = [{ x: 0, z: stage.game.ship.z + 2 }]")
    page.step(10)
    assert (page.state().metrics["shards"], page.seen()["shards"]) == (1, 1)


@pytest.mark.parametrize(("gap", "move"), [(-4, "left"), (4, "right"), (0, "hold")])
def test_the_way_leads_to_the_gap_in_a_wall(page: StagePage, gap: int, move: str) -> None:
    wall = [(x * 1.6, 16.0) for x in range(-12, 13) if abs(x * 1.6 - gap) > 2.4]
    seen = _cubes(page, *wall)
    assert seen["move"] == move
    for _ in range(14):
        moves = {"left": ["arrowleft"], "right": ["arrowright"]}
        page.step(7, hold=moves.get(str(page.seen()["move"]), []))
    assert page.state().status.value == "playing", "it came through"
    assert page.state().metrics["metres"] > 20


def test_each_flight_of_lanes_begins_between_wings_that_leave_no_way_around(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "cubedrift", "kind=lane", seed=4)
    page.begin()
    page.js("stage.game.lane.middle = 900; stage.game.begin()")
    places = sorted(page.js("stage.game.cubes.filter((cube) => cube.z === FIELD.bare).map((cube) => cube.x)"))
    gaps = [right - left for left, right in itertools.pairwise(places)]
    assert max(gaps) == pytest.approx(24), "the lane itself"
    assert sorted(gaps)[-2] < 2.6, "no ship passes between two cubes of a wing"
    assert -places[0] == pytest.approx(places[-1])
