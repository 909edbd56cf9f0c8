"""Tower Crane and Pinwheel: what is read from their pixels is what is there, and their rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def tower(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "tower", seed=4)
    page.begin()
    return page


@pytest.fixture
def wheel(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "pinwheel", "level=4", seed=4)
    page.begin()
    return page


def test_the_floor_its_way_and_the_towers_top_are_read(tower: StagePage) -> None:
    tower.js("stage.game.top.x = 200; stage.game.top.width = 90")
    tower.step(30)
    first = tower.seen()
    tower.step(10)
    seen, state = tower.seen(), tower.state()
    x = state.game_state.player["x"]
    assert seen["floor_x"] == pytest.approx(x, abs=1)
    assert (seen["top_x"], seen["top_width"]) == (200, 90)
    way = 1 if x > first["floor_x"] else -1
    assert (seen["way"], seen["hanging"], seen["floors"]) == (way, True, 0)
    assert seen["ahead"] == pytest.approx((200 - x) * way, abs=1)
    tower.tap(" ", then=8)
    assert tower.seen()["hanging"] is False


@pytest.mark.parametrize(("off", "width", "exact"), [(5, 150, 1), (-40, 110, 0)])
def test_an_exact_floor_keeps_its_width_and_another_is_cut(
    tower: StagePage, off: int, width: int, exact: int
) -> None:
    tower.js(f"stage.game.land(stage.game.top.x + {off})")
    metrics = tower.state().metrics
    assert (metrics["floors"], metrics["width"], metrics["exact"]) == (1, width, exact)


def test_a_floor_that_misses_ends_the_game(tower: StagePage) -> None:
    tower.js("stage.game.land(stage.game.top.x + 151)")
    tower.step()
    over = tower.state().terminal
    assert (over.outcome, over.reason) == ("loss", "The floor missed: 0 floors stand")


def test_heads_speed_and_clearance_are_read(wheel: StagePage) -> None:
    wheel.js(
        "stage.game.turn = () => -90; stage.game.pins = [{ at: 0 }, { at: 10 }, { at: 180, ours: true }]"
    )
    wheel.js("stage.game.turned = 118.3")
    wheel.step()
    seen = wheel.seen()
    assert (seen["heads"], seen["ready"], seen["left"], seen["pins"]) == (3, True, 10, 0)
    assert seen["speed"] == pytest.approx(-90, abs=6)
    assert seen["clearance"] == pytest.approx(11.5, abs=2)
    wheel.tap(" ", then=3)
    assert wheel.seen()["ready"] is False


def test_a_hit_takes_a_heart_and_all_that_stuck_on_the_wheel(wheel: StagePage) -> None:
    wheel.js("stage.game.turn = () => 0; stage.game.turned = 0; stage.game.pins = [{ at: 270, ours: false }]")
    wheel.tap(" ", then=12)
    metrics = wheel.state().metrics
    assert (metrics["pins"], metrics["lives"]) == (1, 3)
    wheel.tap(" ", then=12)
    state = wheel.state()
    assert (state.metrics["lives"], state.metrics["streak"], len(state.game_state.board)) == (2, 1, 1)
    assert state.game_state.player["left"] == 10
