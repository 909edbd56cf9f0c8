"""Carball: two cars with keys of their own, its goals and walls, and what is read from its pixels."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage

_KICK_OFF = 41
"""Steps until the cars may drive."""


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "carball", "rival=none", seed=4)
    page.begin()
    page.step(_KICK_OFF)
    return page


def _ball(page: StagePage, **values: float) -> None:
    page.js(f"Object.assign(stage.game.ball, {values})")


def test_each_side_drives_its_own_car_and_what_is_seen_is_there(page: StagePage) -> None:
    page.step(25, hold=["w", "d"])
    blue, red = (page.state().game_state.player[side] for side in ("blue", "red"))
    assert blue["x"] > 165 and blue["y"] < 240
    assert (red["x"], red["y"]) == (490, 250)
    page.step(30, hold=["arrowleft", "l"])
    page.js("stage.game.sparks.clear()")
    seen, state = page.seen(), page.state()
    player, ball = state.game_state.player, state.game_state.entities[0]
    assert player["red"]["x"] < 440, "a boost"
    assert seen["red_tank"] == pytest.approx(100 * player["red"]["tank"] / 90, abs=2)
    for side in ("blue", "red"):
        assert seen[f"{side}_x"] == pytest.approx(player[side]["x"], abs=4)
        assert seen[f"{side}_y"] == pytest.approx(player[side]["y"], abs=4)
    assert seen["ball_x"] == pytest.approx(ball["x"], abs=1.5)
    assert seen["ball_y"] == pytest.approx(ball["y"], abs=1.5)


def test_a_ball_in_the_net_is_a_goal_and_beside_it_is_none(page: StagePage) -> None:
    _ball(page, x=560, y=110, vx=500, vy=0)
    page.step(60)
    assert page.state().metrics["blue_goals"] == 0
    _ball(page, x=560, y=250, vx=500, vy=0)
    page.step(30)
    assert (page.state().metrics["blue_goals"], page.state().metrics["blue_lead"]) == (1, 1)
    page.js("stage.game.sparks.clear()")
    assert (page.seen()["blue_goals"], page.seen()["red_goals"]) == (1, 0)
    page.step(90)
    assert page.state().game_state.entities[0]["x"] == 320, "kicked off anew"


@pytest.mark.parametrize("corner", [(60, 80), (580, 420), (44, 130), (330, 66)])
def test_nothing_leaves_the_pitch(page: StagePage, corner: tuple[int, int]) -> None:
    x, y = corner
    _ball(page, x=x, y=y, vx=(x - 320) * 1.4, vy=(y - 250) * 1.9)
    page.js(f"Object.assign(stage.game.cars[0], {{ x: {x}, y: {y}, vx: 300, vy: -300 }})")
    for _ in range(6):
        page.step(10, hold=["a", "w"])
        state = page.state().game_state
        for thing in (state.entities[0], state.player["blue"]):
            assert 62 <= thing["y"] <= 438
            assert 40 <= thing["x"] <= 600 or 188 <= thing["y"] <= 312, "only through a goal"


def test_the_pages_rival_scores_against_nobody(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "carball", seed=2)
    page.begin()
    page.step(60 * 60)
    assert page.state().metrics["red_goals"] >= 2
    assert page.state().metrics["blue_touches"] <= page.state().metrics["red_touches"]


def test_five_goals_win_and_the_panel_says_who(page: StagePage) -> None:
    page.js("stage.game.goals.red = 4; stage.game.goals.blue = 2")
    _ball(page, x=60, y=250, vx=-500, vy=0)
    page.step(30)
    terminal = page.state().terminal
    assert (terminal.is_terminal, terminal.outcome, terminal.reason) == (True, "win", "Red wins 5 : 2")
