"""Pulse Cube: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "pulse", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, track: str, into: int = 0, height: int = 0) -> None:
    """Put the cube so far into the first of these cells, at this height; nothing but ground behind them."""
    page.js(
        f"Object.assign(stage.game, {{ track: '.'.repeat(13) + '{track}' + '.'.repeat(40), height: {height},"
        f" flown: 13 * CELL + {into} - CUBE.x, vy: 0, stands: {str(height in (0, 40, 80)).lower()} }})"
    )


@pytest.mark.parametrize(
    ("track", "into", "name", "ahead", "due"),
    [
        ("..^", 10, "spike", 67, True),
        ("..w", 15, "spike", 60, True),
        (".....^", 0, "spike", 197, False),
        (".__", 10, "pit", 16, True),
        ("..BB", 10, "block", 56, True),
        ("..==", 0, "beam", 66, False),
        ("...o^^^", 0, "pad", 112, False),
    ],
)
def test_what_comes_next_and_when_to_jump_is_read(
    page: StagePage, track: str, into: int, name: str, ahead: int, due: bool
) -> None:
    _lay(page, track, into)
    seen = page.seen()
    assert (seen["next"], seen["jump_now"], seen["stands"], seen["height"]) == (name, due, True, 0)
    assert seen["ahead"] == pytest.approx(ahead, abs=6)
    assert (seen["lives"], seen["beats"]) == (3, 3)


def test_a_jump_on_the_beat_lands_on_the_next(page: StagePage) -> None:
    _lay(page, ".^......")
    page.tap(" ", then=12)
    assert page.seen()["height"] == pytest.approx(page.state().game_state.player["height"], abs=3)
    page.step(13)
    state = page.state()
    assert (state.game_state.player["stands"], state.metrics["lives"]) == (True, 3)


@pytest.mark.parametrize("track", ["..^", "..w", "..__", "..B", "o=="])
def test_what_is_met_costs_a_heart(page: StagePage, track: str) -> None:
    _lay(page, track)
    page.step(30)
    assert page.state().metrics["lives"] == 2


@pytest.mark.parametrize("track", ["..==", "o^^^", "...."])
def test_under_beams_and_over_pads_it_runs_on(page: StagePage, track: str) -> None:
    _lay(page, track)
    page.step(30)
    assert page.state().metrics["lives"] == 3


def test_the_third_heart_ends_the_game_and_notes_are_gathered(page: StagePage) -> None:
    _lay(page, ".*...^..")
    page.tap(" ", then=14)
    assert page.state().metrics["notes"] == 1
    page.js("stage.game.lives = 1")
    page.step(40)
    assert page.state().terminal.outcome == "loss"
