"""Crystal Shaft: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "shaft", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, miner: str, *planks: tuple[str, int, int]) -> None:
    """Put these planks into the shaft and no others (kind, x, y), and the miner where it says."""
    laid = ", ".join(
        f"{{ kind: '{kind}', x: {x}, at: {y}, number: {number}, stood: 0 }}"
        for number, (kind, x, y) in enumerate(planks, start=1)
    )
    page.js(f"Object.assign(stage.game, {{ view: 0, laid: 5000, on: null, planks: [{laid}] }}, {miner})")


@pytest.mark.parametrize(
    ("planks", "off"),
    [
        ([("stone", 200, 200), ("stone", 330, 290), ("spikes", 90, 290)], 68),
        ([("stone", 200, 200), ("spikes", 330, 290), ("brittle", 90, 290)], -68),
        ([("stone", 240, 290), ("spikes", 90, 270)], 40),
    ],
)
def test_miner_planks_and_the_way_are_read(
    page: StagePage, planks: list[tuple[str, int, int]], off: int
) -> None:
    _lay(page, "{ x: 200, depth: 200 }", *planks)
    seen = page.seen()
    assert (seen["floors"], seen["planks"]) == (0, len(planks))
    assert seen["x"] == pytest.approx(200, abs=1)
    assert seen["y"] == pytest.approx(200, abs=2)
    assert seen["stands"] == (len(planks) == 3)
    assert seen["off"] == pytest.approx(off, abs=2)


def test_spikes_and_the_ceiling_cost_a_heart_and_brittle_planks_break(page: StagePage) -> None:
    _lay(page, "{ x: 200, depth: 198 }", ("spikes", 200, 200))
    page.step()
    assert (page.state().metrics["lives"], page.state().game_state.player["stands"]) == (3, True)
    _lay(page, "{ x: 200, depth: 80, safe: 0 }", ("stone", 200, 300))
    page.step()
    assert page.state().metrics["lives"] == 2
    _lay(page, "{ x: 200, depth: 398 }", ("brittle", 200, 400))
    page.step(30)
    assert page.state().game_state.entities == []


def test_below_the_window_the_game_is_over(page: StagePage) -> None:
    _lay(page, "{ x: 200, depth: 660 }")
    page.step()
    assert page.state().terminal.outcome == "loss"
