"""Snake: its rules at the edges, what is read from its pixels, and turns that are no trap."""

from __future__ import annotations

import pytest
from snake_eyes import next_turn
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage

TICK = 14


def _board(page: StagePage) -> list[str]:
    """The board as the page says it, in the reader's signs."""
    state = page.state().game_state
    signs = {(cell["x"], cell["y"]): "#" for cell in state.board["walls"]}
    body = [(cell["x"], cell["y"]) for cell in state.board["body"]]
    signs |= dict.fromkeys(body, "B") | {body[0]: "H", body[-1]: "T"}
    signs |= {(fruit["x"], fruit["y"]): "F" for fruit in state.entities}
    return ["".join(signs.get((x, y), ".") for x in range(16)) for y in range(16)]


@pytest.mark.parametrize("query", ["", "walls=1"])
def test_the_board_is_read(browser: HeadlessBrowser, query: str) -> None:
    page = StagePage(browser, "snake", query, seed=3)
    page.begin()
    page.js("stage.game.body.push({ x: 2, y: 8 }, { x: 1, y: 8 }, { x: 1, y: 9 })")
    for way in ("arrowup", "arrowright"):
        page.tap(way, then=2 * TICK)
        seen = page.seen()
        assert str(seen["board"]).replace("b", "B").split("/") == _board(page)
        assert (seen["length"], seen["score"]) == (6, 0)
        assert seen["facing"] == way.removeprefix("arrow")


def test_it_grows_by_a_fruit_and_never_turns_into_its_neck(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "snake")
    page.begin()
    page.js("stage.game.food = { x: 6, y: 8 }")
    page.tap("arrowleft", then=TICK)
    state = page.state()
    assert (state.metrics["food"], state.metrics["length"]) == (1, 4)
    assert state.game_state.player["way"] == {"x": 1, "y": 0}
    assert page.seen()["score"] == 1


def test_the_tails_cell_is_free_and_the_edge_is_not(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "snake")
    page.begin()
    ring = "[{ x: 5, y: 5 }, { x: 4, y: 5 }, { x: 4, y: 6 }, { x: 5, y: 6 }]"
    page.js(f"stage.game.body = {ring}; stage.game.food = {{ x: 15, y: 15 }}")
    page.tap("arrowdown", then=TICK)
    assert page.state().status.value == "playing", "the tail left as the head came"
    page.step(15 * TICK)
    assert page.state().terminal.reason == "The snake ran into a wall"


def test_a_turn_that_shuts_the_snake_in_is_not_taken() -> None:
    body = {(x, 4) for x in range(2, 8)} | {(2, y) for y in range(5, 9)} | {(x, 8) for x in range(3, 7)}
    free = frozenset({(x, y) for x in range(16) for y in range(16)} - body)
    pocket = (3, 7)  # reached through (7, 5) … by a snake that then fills the pocket's mouth
    assert next_turn(free, (7, 4), (3, 3), (6, 8)) == "up"
    assert next_turn(free - {(7, 5), (7, 3)}, (7, 4), pocket, (6, 8)) == "right"
    assert next_turn(frozenset(), (0, 0), None, None) == ""
