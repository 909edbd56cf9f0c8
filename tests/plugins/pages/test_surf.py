"""Salt Spray: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "surf", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, *things: tuple[str, int, int]) -> None:
    """Put these things into the sea and no others: kind, x, how far down."""
    laid = ", ".join(f"{{ kind: '{kind}', x: {x}, y: {ahead}, home: {x} }}" for kind, x, ahead in things)
    page.js(f"Object.assign(stage.game, {{ y: 0, x: 240, vx: 0, laid: 5000, things: [{laid}] }}); 0")


@pytest.mark.parametrize(
    ("things", "rock_ahead", "way"),
    [
        ([("rock", 240, 200), ("reef", 175, 200), ("log", 60, 190)], 200, 1),
        ([("rock", 240, 200), ("reef", 305, 200), ("log", 430, 190)], 200, -1),
        ([("shell", 290, 150), ("rock", 60, 100)], None, 1),
        ([("rock", 60, 100), ("reef", 430, 120)], None, 0),
    ],
)
def test_the_board_and_the_way_are_read(
    page: StagePage, things: list[tuple[str, int, int]], rock_ahead: int | None, way: int
) -> None:
    _lay(page, *things)
    seen = page.seen()
    assert (seen["hearts"], seen["gusts"], seen["shells"]) == (3, 1, 0)
    assert seen["x"] == pytest.approx(240, abs=1)
    assert seen["things"] == sum(kind in ("rock", "reef", "log") for kind, _, _ in things)
    assert seen["rock_ahead"] == (None if rock_ahead is None else pytest.approx(rock_ahead, abs=4))
    off = seen["off"]
    assert isinstance(off, float)
    assert (off > 20) - (off < -20) == way


def test_a_rock_costs_a_heart_once_and_a_heart_gives_it_back(page: StagePage) -> None:
    _lay(page, ("rock", 240, 2), ("rock", 240, 30))
    page.step(30)
    assert page.state().metrics["lives"] == 2
    assert page.seen()["hearts"] == 2
    _lay(page, ("heart", 240, 4))
    page.step(3)
    assert page.state().metrics["lives"] == 3


def test_over_a_ramp_nothing_hurts(page: StagePage) -> None:
    _lay(page, ("ramp", 240, 4), ("rock", 240, 80))
    page.step(40)
    state = page.state()
    assert (state.metrics["jumps"], state.metrics["hits"]) == (1, 0)


def test_a_gust_is_spent_for_pace(page: StagePage) -> None:
    _lay(page)
    plain = page.state().raw["pace"]
    page.tap("arrowup")
    state = page.state()
    assert (state.raw["pace"] > 1.4 * plain, state.game_state.player["gusts"]) == (True, 0)


def test_the_last_heart_ends_the_game(page: StagePage) -> None:
    _lay(page, ("log", 240, 2))
    page.js("stage.game.lives = 1; 0")
    page.step()
    assert page.state().terminal.outcome == "loss"
