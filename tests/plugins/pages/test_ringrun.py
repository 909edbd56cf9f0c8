"""Ring Runner: holes, jumps, gems; what is read from the picture, and the way that is sure."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "ringrun", seed=4)
    page.begin()
    page.js("stage.game.gems = []; stage.game.rows.forEach((row) => row.fill(true))")
    return page


def _hole(page: StagePage, row: int, *tiles: int) -> None:
    """Take tiles out of a row; without any, the whole ring."""
    page.js(f"{list(tiles or range(10))}.forEach((tile) => {{ stage.game.rows[{row}][tile] = false }})")


def test_a_hole_ends_the_run_and_a_jump_passes_a_missing_ring(page: StagePage) -> None:
    _hole(page, 4)
    page.step(50)
    page.step(45, hold=["arrowup"])
    assert page.state().status.value == "playing"
    assert page.state().game_state.player["z"] > 15
    _hole(page, 7)
    page.step(90)
    state = page.state()
    assert (state.status.value, state.terminal.outcome) == ("terminal", "loss")
    assert f"{state.metrics['metres']} metres" in str(state.terminal.reason)


def test_walking_on_leads_round_the_whole_wall(page: StagePage) -> None:
    page.step(65, hold=["arrowright"])
    assert 4 < page.state().game_state.player["at"] < 6, "the runner stands where the ceiling was"
    page.step(65, hold=["arrowright"])
    at = page.state().game_state.player["at"]
    assert at < 1 or at > 9


def test_metres_pace_gems_and_the_air_are_read(page: StagePage) -> None:
    page.step(30)
    page.js("stage.game.gems = [{ at: 9, z: stage.game.runner.z + 8 }]")
    seen, state = page.seen(), page.state()
    assert (seen["metres"], seen["airborne"]) == (state.metrics["metres"], False)
    assert seen["pace"] == pytest.approx(state.metrics["pace"], abs=0.2)
    assert seen["gem_tiles"] == pytest.approx(-1, abs=0.15)
    assert seen["gem_m"] == pytest.approx(8, abs=0.8)
    page.step(12, hold=["arrowup"])
    assert page.seen()["airborne"] is True
    page.js("stage.game.gems = [{ at: 0, z: stage.game.runner.z + 6 }]")
    page.step(45)
    assert (page.state().metrics["gems"], page.seen()["gems"]) == (1, 1)


@pytest.mark.parametrize(
    ("hole", "move"), [((0, 1, 2), "left"), ((8, 9, 0), "right"), ((5,), "hold"), ((), "jump")]
)
def test_the_way_leads_beside_a_hole_and_over_a_missing_ring(
    page: StagePage, hole: tuple[int, ...], move: str
) -> None:
    page.step(54 if hole else 66)
    for row in (4, 5, 6) if hole else (4,):
        _hole(page, row, *hole)
    assert page.seen()["move"] == move
