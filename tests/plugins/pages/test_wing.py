"""Dusk Wing: what is read from its pixels is what is there, and what a dive is worth."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "wing", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, knots: str, bird: str) -> None:
    """Put this ground under the bird and no seeds on it, and the bird at 100 or where it says."""
    page.js(
        f"stage.game.hills.knots = {knots}; stage.game.seeds = [];"
        f"Object.assign(stage.game.bird, {{ x: 100, vx: 300, vy: 0, grounded: false }}, {bird});"
        "stage.game.viewY = stage.game.bird.y; 0"
    )


_DOWN = "[[-300, 100], [1100, 500], [9000, 500]]"


@pytest.mark.parametrize(("bird", "rise"), [("{ y: 120, vy: 160 }", -160), ("{ y: 110, vy: -96 }", 96)])
def test_flight_and_ground_are_read(page: StagePage, bird: str, rise: int) -> None:
    _lay(page, _DOWN, bird)
    seen, player = page.seen(), page.state().game_state.player
    assert seen["rise"] == pytest.approx(rise, abs=45)
    assert seen["air"] == pytest.approx(player["ground"] - player["y"], abs=3)
    assert seen["slope"] == pytest.approx(player["slope"], abs=0.08)
    assert seen["dive_slope"] == pytest.approx(0.43, abs=0.08)
    assert seen["light"] == 1


def test_a_dive_that_ends_on_a_way_up_is_seen(page: StagePage) -> None:
    _lay(page, "[[-300, 400], [90, 400], [500, 250], [9000, 250]]", "{ y: 330 }")
    seen = page.seen()
    assert isinstance(seen["dive_slope"], float)
    assert seen["dive_slope"] < -0.1


def test_figures_and_the_light_are_read(page: StagePage) -> None:
    page.js("Object.assign(stage.game, { slides: 12, gathered: 34, left: 35 }); stage.game.bird.x = 12345; 0")
    page.js("stage.game.hills.knots = [[12000, 300], [20000, 300]]; 0")
    seen = page.seen()
    assert [seen[name] for name in ("metres", "slides", "seeds")] == [1234, 12, 34]
    assert seen["light"] == pytest.approx(0.5, abs=0.03)


def test_folded_wings_win_more_speed_on_a_way_down(page: StagePage) -> None:
    speeds = []
    for hold in (["arrowdown"], []):
        _lay(page, _DOWN, "{ y: 200, grounded: true }")
        page.js("stage.game.bird.y = stage.game.hills.height(100); 0")
        page.step(60, hold=hold)
        speeds.append(page.state().game_state.player["speed"])
    assert speeds[0] > speeds[1] + 200


@pytest.mark.parametrize(("bird", "slides"), [("{ vx: 420, vy: 160 }", 1), ("{ vx: 300, vy: 900 }", 0)])
def test_a_landing_along_the_slope_is_a_slide(page: StagePage, bird: str, slides: int) -> None:
    _lay(page, _DOWN, bird)
    page.js("stage.game.bird.y = stage.game.hills.height(100) - 1; 0")
    page.step(4, hold=["arrowdown"])
    assert page.state().metrics["slides"] == slides


def test_a_land_gives_light_and_night_ends_the_evening(page: StagePage) -> None:
    page.js("stage.game.bird.x = stage.game.islandEnd + 1; stage.game.left = 3; 0")
    page.step()
    state = page.state()
    assert (state.metrics["lands"], state.raw["light"]) == (2, pytest.approx(11, abs=0.1))
    page.js("stage.game.left = 0.01; 0")
    page.step()
    assert page.state().terminal.outcome == "loss"


def test_a_new_evening_begins_at_the_first_hill(page: StagePage) -> None:
    page.js("stage.game.bird.x = 20000; 0")
    page.step()
    page.reset(5)
    state = page.state()
    assert (state.game_state.board[0], state.game_state.player["x"]) == ([-300, 250], 40)
