"""Sunset Road: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "lanes", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, *things: tuple[str, int, float]) -> None:
    """Put these things on the road and no others: kind, lane, metres ahead."""
    laid = ", ".join(f"{{ kind: '{kind}', lane: {lane}, at: {ahead} }}" for kind, lane, ahead in things)
    page.js(f"stage.game.run = 0; stage.game.nextRow = 500; stage.game.things = [{laid}]")


def test_lanes_distances_speed_and_figures_are_read(page: StagePage) -> None:
    _lay(page, ("wall", -1, 9), ("log", 0, 20), ("coin", 0, 12), ("gate", 1, 14), ("log", -1, 25))
    seen = page.seen()
    assert (seen["left"], seen["middle"], seen["right"], seen["lane"]) == ("wall", "log", "gate", "middle")
    for lane, ahead in (("left", 9), ("middle", 20), ("right", 14)):
        assert seen[f"{lane}_ahead"] == pytest.approx(ahead, rel=0.1)
    assert seen["speed"] == pytest.approx(13, abs=0.5)
    assert (seen["metres"], seen["coins"], seen["move"]) == (0, 0, "wait")


@pytest.mark.parametrize(
    ("things", "move"),
    [
        ([("wall", 0, 10), ("wall", -1, 10)], "right"),
        ([("wall", 0, 10), ("wall", 1, 10)], "left"),
        ([("log", 0, 3), ("wall", -1, 3), ("wall", 1, 3)], "jump"),
        ([("gate", 0, 3), ("gate", -1, 3), ("gate", 1, 3)], "slide"),
        ([("coin", 1, 8)], "right"),
    ],
)
def test_what_is_due_is_read(page: StagePage, things: list[tuple[str, int, float]], move: str) -> None:
    _lay(page, *things)
    assert page.seen()["move"] == move


@pytest.mark.parametrize(
    ("kind", "key", "lives"),
    [("log", "arrowup", 3), ("gate", "arrowdown", 3), ("gate", "arrowup", 2), ("wall", "arrowup", 2)],
)
def test_logs_are_jumped_gates_slid_under_and_walls_hit(
    page: StagePage, kind: str, key: str, lives: int
) -> None:
    _lay(page, (kind, 0, 3))
    page.tap(key, then=40)
    metrics = page.state().metrics
    assert (metrics["lives"], metrics["cleared"]) == (lives, lives - 2)
