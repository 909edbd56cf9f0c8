"""Pollen Hive: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import json

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage

_NAMES = {"r": "rose", "g": "gold", "m": "mint", "b": "blue", "v": "violet"}


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "hive", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, sides: str, falling: list[tuple[str, int, int]]) -> None:
    """Put these blocks on the sides, from the core outwards, and let these fall (colour, lane, far)."""
    lying = [
        [{"colour": _NAMES[letter], "going": 0, "lift": 0} for letter in side] for side in sides.split("/")
    ]
    blocks = [{"colour": _NAMES[letter], "lane": lane, "far": far} for letter, lane, far in falling]
    page.js(
        f"Object.assign(stage.game, {{ sides: {json.dumps(lying)}, falling: {json.dumps(blocks)}, wait: 9 }})"
    )


@pytest.mark.parametrize(
    ("sides", "turns"), [("r/g/mm/b/v/rg", -2), ("r/g/mg/bb/v/rr", 1), ("mm/g/r/b/v/g", 0)]
)
def test_sides_falling_blocks_and_the_way_are_read(page: StagePage, sides: str, turns: int) -> None:
    lane, colour = 0, {-2: "m", 1: "r", 0: "m"}[turns]
    _lay(page, sides, [("b", 3, 240), (colour, lane, 200)])
    seen = page.seen()
    assert (seen["sides"], seen["turning"], seen["level"]) == (sides, False, 1)
    assert seen["falling"] == f"{colour}@0 b@3"
    assert (seen["turns"], seen["highest"]) == (turns, 2)


def test_a_turn_takes_the_sides_along_and_is_seen(page: StagePage) -> None:
    _lay(page, "r/g/m/b/v/rr", [])
    page.tap("arrowright", then=3)
    assert page.seen()["turning"] is True
    page.step(6)
    assert page.seen()["sides"] == "rr/r/g/m/b/v"


def test_three_of_a_colour_vanish_and_what_drops_makes_a_chain(page: StagePage) -> None:
    _lay(page, "rrgg/bg////", [("b", 2, 64), ("r", 5, 47)])
    page.step(70)
    state = page.state()
    assert (state.metrics["vanished"], state.metrics["chain"], state.metrics["points"]) == (6, 2, 90)
    assert state.game_state.board == [[], ["blue"], ["blue"], [], [], []]


def test_the_ninth_block_on_a_side_ends_the_game(page: StagePage) -> None:
    _lay(page, "rgrgrgrg/////", [("b", 0, 183)])
    page.step(3)
    assert page.state().terminal.outcome == "loss"
