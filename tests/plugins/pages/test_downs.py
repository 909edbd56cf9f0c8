"""Rolling Downs: what is read from its pixels is what is there, and what keeps and costs speed."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "downs", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, knots: str, things: str = "{}", ball: str = "{}") -> None:
    """Put this ground and these things into the course and no others, and the ball at 0 or where it says."""
    page.js(
        f"Object.assign(stage.game.course, {{ stones: [], ditches: [], bells: [], goal: 1e6 }}, {things});"
        f"stage.game.course.hills.knots = {knots};"
        f"Object.assign(stage.game.ball, {{ x: 100, y: 300, vx: 0, vy: 0, grounded: true }}, {ball});"
        "stage.game.viewY = stage.game.ball.y"
    )


_FLAT = "[[-400, 300], [9000, 300]]"


def test_ground_and_what_lies_ahead_are_read(page: StagePage) -> None:
    things = "stones: [{ x: 300, y: 300 }], ditches: [{ left: 400, right: 500, y: 300 }]"
    _lay(page, _FLAT, f"{{ {things}, bells: [{{ x: 220, off: 60 }}] }}", "{ y: 240, grounded: false }")
    seen = page.seen()
    assert seen["air"] == pytest.approx(60, abs=2)
    assert seen["stone_ahead"] == pytest.approx(200, abs=2)
    assert seen["ditch_ahead"] == pytest.approx(300, abs=2)
    assert seen["bell_dx"] == pytest.approx(120, abs=2)
    assert seen["bell_dy"] == pytest.approx(16, abs=4)
    assert (seen["slope"], seen["slope_ahead"]) == (0, 0)
    _lay(page, "[[-400, 100], [600, 500], [9000, 500]]")
    seen, state = page.seen(), page.state()
    assert seen["slope"] == pytest.approx(state.game_state.player["slope"], abs=0.06)
    assert seen["air"] is not None


def test_figures_of_the_bar_are_read(page: StagePage) -> None:
    _lay(page, _FLAT)
    page.js("Object.assign(stage.game, { before: 1234, bells: 7, clock: 38.2 }); stage.game.ball.vx = 456")
    seen = page.seen()
    assert [seen[name] for name in ("metres", "bells", "pace", "time", "course")] == [1234, 7, 46, 39, 1]


def test_a_way_down_gives_speed_that_the_next_way_up_takes(page: StagePage) -> None:
    _lay(page, "[[-100, 300], [100, 300], [700, 500], [1300, 300], [9000, 300]]", ball="{ vx: 200 }")
    page.step(75, hold=["arrowdown"])
    fast = page.state().game_state.player["speed"]
    assert fast > 400
    page.step(60, hold=["arrowdown"])
    assert page.state().metrics["fastest"] < 800
    assert page.state().game_state.player["speed"] < fast


@pytest.mark.parametrize(("drop", "kept"), [("[700, 700]", 0.95), ("[9000, 300]", 0.8)])
def test_a_landing_along_the_slope_keeps_speed(page: StagePage, drop: str, kept: float) -> None:
    _lay(
        page, f"[[0, 300], {drop}, [9900, 700]]", ball="{ x: 250, y: 270, vx: 300, vy: 400, grounded: false }"
    )
    page.js("stage.game.ball.y = stage.game.course.hills.height(250) - 4")
    page.step()
    assert (page.state().game_state.player["speed"] / 500 > kept) == (kept > 0.9)


def test_stones_cost_speed_and_ditches_set_back(page: StagePage) -> None:
    _lay(page, _FLAT, "{ stones: [{ x: 130, y: 300 }] }", "{ vx: 500 }")
    page.step(3)
    assert page.state().game_state.player["speed"] == pytest.approx(150, abs=15)
    _lay(page, _FLAT, "{ ditches: [{ left: 400, right: 500, y: 300 }] }", "{ x: 380, vx: 120 }")
    page.step(150)
    state = page.state()
    assert (state.metrics["bumps"], state.game_state.player["x"]) == (2, 250)


def test_a_goal_in_time_is_a_medal_and_the_clock_ends_the_game(page: StagePage) -> None:
    _lay(page, _FLAT, "{ goal: 130 }", "{ vx: 900 }")
    page.step(3)
    state = page.state()
    assert (state.metrics["goals"], state.metrics["medals"], state.game_state.level) == (1, 1, 2)
    page.js("stage.game.clock = 0.01")
    page.step()
    assert page.state().terminal.outcome == "loss"
