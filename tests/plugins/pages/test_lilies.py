"""Lily Bounce: where the ball may come down, what is read from the picture, the way to the next leaf."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "lilies", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, *leaves: tuple[float, float, float]) -> None:
    """Put these leaves into the pond and no others: x, z, radius; the last stands for all that come later."""
    laid = ", ".join(
        f"{{ x: {x}, z: {z}, radius: {radius}, home: {x}, used: false }}" for x, z, radius in leaves
    )
    page.js(f"stage.game.leaves = [{laid}, {{ x: 30, z: 900, radius: 1, home: 30, used: false }}]")


@pytest.mark.parametrize(("off", "leaves", "exact"), [(0.0, 1, 1), (0.9, 1, 0), (1.2, 0, 0)])
def test_a_leaf_holds_and_its_middle_counts_as_exact(
    page: StagePage, off: float, leaves: int, exact: int
) -> None:
    _lay(page, (off, 5.25, 1.0))
    page.step(45)
    state = page.state()
    assert (state.metrics["leaves"], state.metrics["exact"]) == (leaves, exact)
    page.step(44)
    assert page.state().status.value == ("playing" if leaves else "terminal")


def test_ball_and_leaf_are_read(page: StagePage) -> None:
    _lay(page, (1.5, 6, 1.2), (-4, 14, 1.2))
    page.seen()
    page.step(10)
    seen, state = page.seen(), page.state()
    ahead = 6 - state.game_state.player["z"]
    assert seen["height"] == pytest.approx(state.game_state.player["height"], abs=0.08)
    assert (seen["rises"], seen["leaves"]) == (True, 0)
    assert seen["left_s"] == pytest.approx(35 / 60, abs=0.03)
    assert seen["leaf_x"] == pytest.approx(1.5, abs=0.15)
    assert seen["leaf_m"] == pytest.approx(ahead, abs=0.3)
    assert seen["leaf_wide"] == pytest.approx(2.4, abs=0.2)


@pytest.mark.parametrize(
    ("x", "z", "move"),
    [(1.5, 5.25, "right"), (-1.5, 6.5, "left_faster"), (0, 4, "slower"), (0, 5.25, "hold")],
)
def test_the_ball_is_steered_onto_the_leaf(page: StagePage, x: float, z: float, move: str) -> None:
    _lay(page, (x, z, 1.0))
    page.seen()
    page.step(4)
    assert page.seen()["move"] == move
    for _ in range(7):
        words = str(page.seen()["move"]).split("_")
        keys = {"left": "arrowleft", "right": "arrowright", "faster": "arrowup", "slower": "arrowdown"}
        page.step(6, hold=[keys[word] for word in words if word in keys])
    assert page.state().metrics["leaves"] == 1
