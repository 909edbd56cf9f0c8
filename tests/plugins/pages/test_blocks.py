"""Blocks: its rules at the edges, its seed and its clock, what its eyes read, and where they put a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blocks_eyes import reader
from blocks_eyes.placing import Place, best_place, holes, way_to
from blocks_eyes.shapes import COLUMNS, HOME, IN_SQUARE, ROWS
from tests.plugins.pages.rendered_page import PLUGINS, HeadlessBrowser

from pitwall.core.observations import GameStatus

EMPTY = (0,) * ROWS


def seen(page: HeadlessBrowser) -> Mapping[str, Any]:
    return reader(PLUGINS / "blocks").read(page.picture())


def begin(page: HeadlessBrowser, query: str = "", seed: int = 1) -> None:
    page.open("blocks", query, seed=seed)
    page.press("Enter", ms=20)


def taken(row: str) -> str:
    return "".join("." if sign == "." else sign for sign in row)


def test_the_reader_turns_blocks_as_the_page_does(browser: HeadlessBrowser) -> None:
    browser.open("blocks")
    of_page = browser.evaluate("CELLS_OF")
    for kind, rotations in IN_SQUARE.items():
        assert [{tuple(cell) for cell in cells} for cells in of_page[kind]] == [set(r) for r in rotations]


def test_what_is_played_is_what_is_read(browser: HeadlessBrowser) -> None:
    browser.open("blocks", "garbage=3", seed=4)
    assert (browser.state().status, seen(browser)["panel"], seen(browser)["fallen"]) == ("ready", True, False)
    browser.press("Enter", ms=20)
    for code in ("ArrowLeft", "ArrowUp", "Space", "ArrowRight", "KeyZ", "Space"):
        browser.press(code, ms=40)
        state, values = browser.state(), seen(browser)
        player = state.game_state.player
        assert values["well"] == "/".join(map(taken, state.game_state.board))
        assert (values["score"], values["lines"], values["level"]) == (state.game_state.score, 0, 1)
        assert (values["block"], values["next"]) == (player["kind"], state.game_state.entities[0]["block"])
        assert values["column"] == min(x for x, _ in player["cells"])
        assert values["row"] == min(y for _, y in player["cells"])
        assert HOME[player["kind"]][values["rotation"]] == HOME[player["kind"]][player["rotation"]]
        assert (values["holes"], values["height"]) == (state.metrics["holes"], state.metrics["height"])


def test_gravity_follows_the_pages_clock(browser: HeadlessBrowser) -> None:
    begin(browser, seed=6)
    top = browser.state().game_state.player["y"]
    browser.run(1700)
    assert browser.state().game_state.player["y"] == top + 2
    browser.press("KeyP", ms=1700)
    assert (browser.state().status, seen(browser)["paused"]) == (GameStatus.PAUSED, True)
    assert browser.state().game_state.player["y"] == top + 2
    browser.press("KeyP", ms=900)
    assert browser.state().game_state.player["y"] == top + 3


def test_lines_vanish_and_a_full_well_ends_it(browser: HeadlessBrowser) -> None:
    begin(browser)
    browser.evaluate(
        "session.game.rows = session.game.rows.map((row, y) =>"
        " (y < 16 ? row : row.map((_, x) => (x ? 'G' : '')))),"
        "session.game.block = { kind: 'I', rotation: 3, x: -1, y: 0 }, 0"
    )
    browser.press("Space", ms=40)
    state = browser.state()
    assert (state.metrics["lines"], state.metrics["quads"], state.metrics["height"]) == (4, 1, 0)
    assert state.game_state.score == 800 + 2 * 16
    assert seen(browser)["lines"] == 4
    for _ in range(25):
        browser.evaluate("dispatchEvent(new KeyboardEvent('keydown', { code: 'Space' }))")
    browser.run(40)
    over, values = browser.state(), seen(browser)
    assert (over.status, over.terminal.outcome) == (GameStatus.TERMINAL, "loss")
    assert (values["fallen"], values.get("well")) == (True, None)
    browser.press("Enter", ms=40)
    assert browser.state().status is GameStatus.PLAYING


def test_walls_hold_and_a_turn_beside_one_is_kicked(browser: HeadlessBrowser) -> None:
    begin(browser)
    browser.evaluate("session.game.block = { kind: 'I', rotation: 1, x: -2, y: 4 }, 0")
    assert browser.evaluate("session.game.shift(-1)") is False
    assert browser.evaluate("session.game.turn(1)") is True
    assert min(x for x, _ in browser.state().game_state.player["cells"]) == 0


def test_a_seed_gives_the_same_blocks_on_loading_and_after_a_reset(browser: HeadlessBrowser) -> None:
    def kinds() -> list[str]:
        places = []
        for _ in range(8):
            places.append(browser.state().game_state.player["kind"])
            browser.evaluate("session.game.drop()")
        return places

    begin(browser, seed=9)
    first = kinds()
    browser.reset(9)
    assert kinds() == first
    assert len(set(first[:7])) == 7, "a bag holds each kind once"


def test_a_block_goes_where_it_leaves_no_hole() -> None:
    gap = (*(0,) * 16, *(((1 << COLUMNS) - 1) & ~(1 << 4),) * 4)
    assert best_place(gap, "I") == Place(rotation=1, column=4)
    assert best_place(((1 << COLUMNS) - 1,) * ROWS, "O") is None
    assert holes((*(0,) * 18, 0b11, 0b01)) == 1
    place = best_place(EMPTY, "O")
    assert place is not None
    assert place.column in (0, COLUMNS - 2)


def test_the_way_turns_first_then_steps_aside_then_drops() -> None:
    assert way_to(Place(rotation=1, column=0), "I", rotation=0, column=3) == ["rotate", *["left"] * 5]
    assert way_to(Place(rotation=3, column=8), "T", rotation=0, column=7) == ["rotate_back", "right"]
    assert way_to(Place(rotation=0, column=4), "O", rotation=0, column=4) == ["drop"]
