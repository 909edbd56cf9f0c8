"""Jet Courier: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "courier", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, courier: str, rods: str = "", rocket: str = "null") -> None:
    """Put these rods and this rocket in the way and no others, and the courier where it says."""
    page.js(
        f"Object.assign(stage.game, {{ laid: 1e6, letters: [], rods: [{rods}], rocket: {rocket} }},"
        f" {courier})"
    )


def _rod(x: int, y: int, angle: float = 0.0) -> str:
    return f"{{ x: {x}, y: {y}, half: 50, angle: {angle}, spin: 0 }}"


@pytest.mark.parametrize(
    ("rod_y", "vy", "burn"), [(260, 100, True), (160, 0, False), (230, -120, True), (190, 160, False)]
)
def test_courier_rods_and_what_is_due_are_read(page: StagePage, rod_y: int, vy: int, burn: bool) -> None:
    _lay(page, f"{{ y: 210, vy: {vy} }}", _rod(300, rod_y))
    seen = page.seen()
    assert seen["y"] == pytest.approx(210, abs=4)
    assert seen["fall_speed"] == pytest.approx(vy, abs=40)
    assert seen["speed"] == pytest.approx(220, abs=5)
    assert seen["ahead"] == pytest.approx(120, abs=4)
    assert (seen["lives"], seen["metres"], seen["free"], seen["burn"]) == (3, 0, True, burn)


@pytest.mark.parametrize(("left", "rocket", "burn"), [(30, "warned", False), (0, "flying", False)])
def test_a_rocket_and_its_sign_are_seen(page: StagePage, left: int, rocket: str, burn: bool) -> None:
    _lay(page, "{ y: 210, vy: 60 }", rocket=f"{{ x: 360, y: 195, left: {left} }}")
    page.js("stage.steps = 5")
    seen = page.seen()
    assert (seen["rocket"], seen["burn"]) == (rocket, burn)


def test_a_rod_costs_a_heart_once_and_the_third_ends_the_game(page: StagePage) -> None:
    _lay(page, "{ y: 210, vy: 0 }", _rod(120, 210))
    page.step(10)
    assert page.state().metrics["lives"] == 2
    _lay(page, "{ y: 210, vy: 0, safe: 0, lives: 1 }", _rod(170, 210, 1.57))
    page.step(20)
    assert page.state().terminal.outcome == "loss"


def test_the_jet_lifts_and_coins_are_gathered(page: StagePage) -> None:
    _lay(page, "{ y: 210, vy: 0 }")
    page.js("stage.game.letters = [{ x: 130, y: 200 }, { x: 500, y: 100 }]")
    page.step(12, hold=[" "])
    state = page.state()
    assert state.game_state.player["vy"] == pytest.approx(-300, abs=1)
    assert (state.metrics["coins"], len(state.game_state.entities)) == (1, 1)
