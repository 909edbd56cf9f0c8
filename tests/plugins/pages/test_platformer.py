"""The platformer: courses that can be run, its rules at the edges, and what is read from its pixels."""

from __future__ import annotations

from itertools import groupby, pairwise

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage

TILE, GROUND, NONE = 32, 12, 15


def _flatten(page: StagePage) -> None:
    """A flat course without anything on it."""
    page.js(
        "stage.game.course.columns.fill(12); stage.game.course.blocks = []; stage.game.coins = [];"
        "stage.game.walkers = []"
    )


def test_every_course_can_be_run(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "platformer")
    for course in page.js("Array.from({ length: 30 }, (_, at) => new Course(1 + (at % 3)))"):
        runs = [(row, len(list(columns))) for row, columns in groupby(course["columns"])]
        assert max((width for row, width in runs if row == NONE), default=0) <= 3
        rows = [row for row in course["columns"] if row != NONE]
        assert max(abs(a - b) for a, b in pairwise(rows)) <= 2
        assert set(course["columns"][course["flag"] - 2 : course["flag"] + 3]) == {GROUND}


@pytest.mark.parametrize("seed", [1, 2])
def test_what_comes_up_is_read(browser: HeadlessBrowser, seed: int) -> None:
    page = StagePage(browser, "platformer", seed=seed)
    page.begin()
    for column in (20, 34, 48):
        page.js(f"stage.game.setOut({column} * 32 + 5); stage.game.lives = 2; stage.game.score = 240")
        page.js(
            f"stage.game.course.columns.fill(12, {column - 2}, {column + 3}); stage.game.course.blocks = []"
        )
        page.step(3)
        seen, state = page.seen(), page.state()
        player, camera = state.game_state.player, state.raw["camera"]
        right = player["x"] + 22
        assert seen["runner_x"] == pytest.approx(player["x"] + 11 - camera, abs=2.5)
        assert (seen["standing"], seen["score"]) == (True, 240)
        edge = camera + 640
        columns = state.game_state.board["columns"]
        gap = next((x for x in range(column, edge // TILE) if columns[x] == NONE), None)
        wall = next((x for x in range(column, edge // TILE) if columns[x] < GROUND), None)
        assert seen["gap_ahead"] == (None if gap is None else pytest.approx(gap * TILE - right, abs=3))
        assert seen["wall_ahead"] == (None if wall is None else pytest.approx(wall * TILE - right, abs=3))


def test_walkers_coins_and_the_flag_are_read(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "platformer")
    page.begin()
    _flatten(page)
    page.js("stage.game.setOut(400); stage.game.coins = [{ x: 16, y: 9 }]; stage.game.course.flag = 20")
    page.js("stage.game.walkers = [{ left: 0, right: 2000, x: 600, y: 360, way: -1 }]")
    page.step()
    seen = page.seen()
    assert seen["walker_ahead"] == pytest.approx(600 - 422, abs=4)
    assert seen["walker_below"] == pytest.approx(0, abs=4)
    assert seen["coin_dx"] == pytest.approx(528 - 411, abs=4)
    assert seen["coin_dy"] == pytest.approx(-65, abs=4)
    assert seen["flag_ahead"] == pytest.approx(20.5 * TILE + 2 - 422, abs=4)
    assert seen["gap_ahead"] is None


def test_a_full_jump_carries_over_three_tiles_and_a_short_one_does_not(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "platformer")
    for held, lives in ((20, 3), (3, 2)):
        page.reset(1)
        page.begin()
        _flatten(page)
        page.js("stage.game.course.columns.fill(15, 10, 13); stage.game.setOut(320 - 22 - 20)")
        page.step(held, hold=["arrowright", "arrowup"])
        page.step(70 - held, hold=["arrowright"])
        assert page.state().metrics["lives"] == lives


def test_a_walker_is_defeated_from_above_and_catches_from_the_side(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "platformer")
    page.begin()
    _flatten(page)
    walker = "{ left: 0, right: 2000, x: 300, y: 360, way: 1 }"
    page.js(f"stage.game.setOut(304); stage.game.runner.y = 300; stage.game.walkers = [{walker}]")
    page.step(15)
    assert (page.state().metrics["walkers"], page.state().metrics["lives"]) == (1, 3)
    for lives in (2, 1, 0):
        page.js(f"stage.game.setOut(290); stage.game.walkers = [{walker}]")
        page.step(2)
        assert page.state().metrics["lives"] == lives
    assert page.state().terminal.reason == "A walker caught the runner"


def test_the_flag_brings_the_next_course_and_the_last_one_wins(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "platformer", "level=2")
    page.begin()
    for flags, level in ((1, 3), (2, 3)):
        page.js("stage.game.setOut(stage.game.course.flag * 32 - 1)")
        page.step(2, hold=["arrowright"])
        assert (page.state().metrics["flags"], page.state().game_state.level) == (flags, level)
    assert page.state().terminal.outcome == "win"
