"""Moonlit Hedges: what is read from its pixels is there, how wisps choose, its rules at the edges."""

from __future__ import annotations

import json

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "hedges", seed=4)
    page.begin()
    page.js("stage.game.ready = 0")
    return page


def _open(page: StagePage, *rows: str) -> None:
    """Lay out a garden with these first rows, the rest hedge: # hedge, . berry, o moon berry, blank free."""
    signs = [row.ljust(19, "#") for row in rows] + ["#" * 19] * (21 - len(rows))
    cells = [
        [y * 19 + x for y, row in enumerate(signs) for x, sign in enumerate(row) if sign == kind]
        for kind in ".o"
    ]
    open_rows = [[sign != "#" for sign in row] for row in signs]
    page.js(
        f"stage.game.garden = {{ open: {json.dumps(open_rows)}, berries: new Set({cells[0]}),"
        f" moons: new Set({cells[1]}) }}"
    )


def _put(page: StagePage, hero: tuple[int, int], way: str, wisps: str = "") -> None:
    """Put the hedgehog on a cell, and wisps: {name: [x, y, way]} as JavaScript; the others wait."""
    page.js(
        f"stage.game.hero = new Walker({{ x: {hero[0]}, y: {hero[1]} }}, '{way}');"
        "stage.game.wisps.forEach((wisp) =>"
        "  Object.assign(wisp, { wait: 99, walks: false, cell: { x: 17, y: 20 } }));"
        f"for (const [name, [x, y, way]] of Object.entries({{ {wisps} }})) {{"
        "  const wisp = stage.game.wisps.find((other) => other.name === name);"
        "  Object.assign(wisp, { cell: { x, y }, way, wait: 0 }); }"
    )


def test_garden_hedgehog_and_wisps_are_read(page: StagePage) -> None:
    seen, state = page.seen(), page.state()
    rows = state.game_state.board
    read = str(seen["garden"]).split("/")
    different = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if read[y][x] != sign]
    assert different == []
    assert (seen["x"], seen["y"], seen["heading"]) == (9, 15, "left")
    assert (seen["lives"], seen["left"], seen["afraid"]) == (3, state.metrics["left"], 0)
    page.js("stage.game.wisps.forEach((wisp) => { wisp.wait = 0; }); stage.game.frighten(1, 1)")
    assert page.seen()["afraid"] == 1, "four wisps on a cell are read as a single wisp"


@pytest.mark.parametrize(
    ("wisps", "go"), [("", "left"), ("ember: [3, 1, 'right']", "right"), ("ember: [16, 1, 'left']", "left")]
)
def test_the_way_leads_to_berries_and_away_from_wisps(page: StagePage, wisps: str, go: str) -> None:
    _open(page, "#" * 19, "#.      .       . #")
    _put(page, (6, 1), "right", wisps)
    if not wisps:
        page.js("stage.game.garden.berries = new Set([19 + 3, 19 + 16])")
    if "16" in wisps:
        page.js("stage.game.garden.berries = new Set([19 + 1, 19 + 15])")
    assert page.seen()["go"] == go


@pytest.mark.parametrize(
    ("name", "hero", "aim"),
    [
        ("ember", (9, 9), [9, 9]),
        ("rose", (9, 9), [5, 9]),
        ("frost", (9, 9), [1, 17]),
        ("dusk", (17, 19), [17, 19]),
        ("dusk", (5, 9), [1, 20]),
    ],
)
def test_each_wisp_has_an_aim_of_its_own(
    page: StagePage, name: str, hero: tuple[int, int], aim: list[int]
) -> None:
    _put(page, hero, "left", "ember: [17, 1, 'left'], dusk: [1, 9, 'up']")
    place = page.js(f"stage.game.wisps.find((wisp) => wisp.name === '{name}').aim(stage.game, false)")
    assert [place["x"], place["y"]] == aim


def test_moon_berries_turn_the_hunt_round(page: StagePage) -> None:
    _open(page, "#" * 19, "#  o        .     #")
    _put(page, (2, 1), "right", "ember: [7, 1, 'left']")
    page.js("stage.game.wanted = 'right'")
    page.step(12)
    assert page.state().game_state.entities[0]["state"] == "afraid"
    assert page.seen()["afraid"] == 1
    page.js("Object.assign(stage.game.wisps[0], { cell: { x: 5, y: 1 }, part: 0 })")
    page.step(30)
    state = page.state()
    assert (state.metrics["wisps"], state.metrics["points"], state.metrics["lives"]) == (1, 250, 3)


def test_a_wisp_costs_a_life_and_the_last_berry_ends_the_garden(page: StagePage) -> None:
    _open(page, "#" * 19, "#                 #")
    _put(page, (4, 1), "right", "ember: [5, 1, 'left']")
    page.js("stage.game.garden.berries = new Set([19 + 12])")
    page.step(8)
    assert page.state().metrics["lives"] == 2
    _open(page, "#" * 19, "#     .           #")
    _put(page, (4, 1), "right")
    page.js("stage.game.ready = 0; stage.game.wanted = 'right'")
    page.step(20)
    assert (page.state().metrics["gardens"], page.state().game_state.level) == (1, 2)
