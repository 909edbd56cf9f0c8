"""Moon Hopper: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "hopper", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, ledges: str, hopper: str) -> None:
    """Put these ledges into the world and no others, and the hopper where it says."""
    page.js(f"Object.assign(stage.game, {{ laid: 5000, ledges: [{ledges}] }}, {hopper})")


@pytest.mark.parametrize(("vy", "target"), [(650, 90), (-300, 400)])
def test_hopper_flight_and_the_ledge_in_reach_are_read(page: StagePage, vy: int, target: int) -> None:
    ledges = "{ kind: 'solid', x: 400, at: 60, width: 76 }, { kind: 'moving', x: 90, at: 290, width: 76 }"
    _lay(page, ledges, f"{{ x: 100, height: 200, vy: {vy} }}")
    seen = page.seen()
    assert seen["x"] == pytest.approx(100, abs=2)
    assert seen["y"] == pytest.approx(560 - 200, abs=4)
    assert seen["rise"] == pytest.approx(vy, abs=40)
    assert (seen["ledges"], seen["target_x"]) == (2, target)
    assert seen["off"] == pytest.approx(-10 if target == 90 else -140, abs=3), (
        "the way across the side is shorter"
    )


@pytest.mark.parametrize(
    ("kind", "spring", "vy", "left"), [("brittle", "false", 730, 0), ("solid", "true", 1180, 1)]
)
def test_a_brittle_ledge_breaks_and_a_spring_throws_higher(
    page: StagePage, kind: str, spring: str, vy: int, left: int
) -> None:
    ledge = f"{{ kind: '{kind}', x: 200, at: 100, width: 76, spring: {spring} }}"
    _lay(page, ledge, "{ x: 200, height: 103, vy: -300 }")
    page.step()
    state = page.state()
    assert state.game_state.player["vy"] == vy
    assert (len(state.game_state.entities), state.metrics["springs"]) == (left, left)


def test_below_the_window_the_game_is_over(page: StagePage) -> None:
    _lay(page, "", "{ height: -99, vy: -200 }")
    page.step()
    assert page.state().terminal.outcome == "loss"
