"""Breakout: its rules at the edges, and that what is read from its pixels is what is there."""

from __future__ import annotations

import math

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "breakout", "level=2", seed=4)
    page.begin()
    return page


def test_ball_paddle_bricks_and_score_are_read(page: StagePage) -> None:
    assert page.seen()["serving"] is True
    page.tap(" ")
    for steps, keys in ((20, ["arrowleft"]), (30, []), (25, ["arrowright"])):
        page.step(steps, hold=keys)
        seen, state = page.seen(), page.state()
        ball = state.game_state.entities[0]
        assert seen["ball_x"] == pytest.approx(ball["x"], abs=1.2)
        assert seen["ball_y"] == pytest.approx(ball["y"], abs=1.2)
        assert seen["paddle_x"] == pytest.approx(state.game_state.player["x"], abs=1.2)
        assert (seen["bricks_left"], seen["score"]) == (state.raw["bricks_left"], state.game_state.score)
        assert seen["serving"] == state.raw["serving"]
    assert state.game_state.score > 0


@pytest.mark.parametrize(("x", "vx"), [(100, 60), (380, 260), (240, -300)])
def test_where_the_ball_comes_down_is_foreseen(page: StagePage, x: int, vx: int) -> None:
    page.tap(" ")
    page.js(f"Object.assign(stage.game.ball, {{ x: {x}, y: 260, vx: {vx}, vy: 220 }})")
    for _ in range(5):
        page.step(2)
        landing = page.seen()["landing"]
    page.js("while (stage.game.ball.y < 507) stage.step()")
    assert landing == pytest.approx(page.state().game_state.entities[0]["x"], abs=8)


def test_the_paddles_end_sends_the_ball_aside(page: StagePage) -> None:
    page.tap(" ")
    page.js("Object.assign(stage.game.ball, { x: stage.game.paddle + 45, y: 505, vx: 0, vy: 300 })")
    page.step(2)
    ball = page.state().game_state.entities[0]
    assert math.degrees(math.atan2(ball["vx"], -ball["vy"])) == pytest.approx(55, abs=6)
    assert page.state().metrics["returns"] == 1


def test_three_lost_balls_end_it_and_a_cleared_wall_brings_the_next(page: StagePage) -> None:
    page.js("stage.game.bricks.forEach((brick, at) => { brick.hits = at ? 0 : 1; });")
    page.js("const one = stage.game.bricks[0]; stage.game.serving = false;")
    page.js("stage.game.ball = { x: one.x + 24, y: one.y + 30, vx: 0, vy: -300 }")
    page.step(10)
    assert (page.state().metrics["cleared"], page.state().game_state.level) == (1, 3)
    for _ in range(3):
        page.tap(" ")
        page.js("stage.game.ball.y = 580")
        page.step()
    over = page.state().terminal
    assert (over.outcome, over.reason) == ("loss", "The last ball is lost")
