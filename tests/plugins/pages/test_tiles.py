"""Tiles: its rules at the edges, its seed, and that its eyes read what its page truly holds."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from tests.plugins.pages.rendered_page import PLUGINS, HeadlessBrowser
from tiles_eyes import reader
from tiles_eyes.search import best_move, slid

from pitwall.core.observations import GameStatus

ALL = [[2, 4, 8, 16], [32, 64, 128, 256], [512, 1024, 2048, 4096], [8192, 16384, 32768, 0]]
STUCK = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
PUSHES = [
    ([2, 2, 2, 0], [4, 2, 0, 0], 4),
    ([2, 2, 2, 2], [4, 4, 0, 0], 8),
    ([4, 2, 2, 0], [4, 4, 0, 0], 4),
    ([0, 0, 0, 2], [2, 0, 0, 0], 0),
    ([8, 4, 2, 0], [8, 4, 2, 0], 0),
]
KEYS = {"left": "ArrowLeft", "up": "ArrowUp", "down": "ArrowDown", "right": "ArrowRight"}


def seen(page: HeadlessBrowser) -> Mapping[str, Any]:
    return reader(PLUGINS / "tiles").read(page.picture())


def lay(page: HeadlessBrowser, rows: list[list[int]]) -> None:
    page.evaluate(f"session.game.cells = {rows}.flat(), draw()")
    page.run(200)


def in_words(rows: list[list[int]]) -> str:
    return "/".join(" ".join(map(str, row)) for row in rows)


def test_a_tile_joins_once_a_push(browser: HeadlessBrowser) -> None:
    browser.open("tiles")
    for row, pushed, gained in PUSHES:
        result = browser.evaluate(f"pushed({row})")
        assert (result["values"], result["gained"]) == (pushed, gained)
        assert list(slid((tuple(row),), "left")[0]) == pushed, "the search pushes as the game does"


def test_what_is_played_is_what_is_read(browser: HeadlessBrowser) -> None:
    browser.open("tiles", seed=3)
    eyes, chosen = reader(PLUGINS / "tiles"), random.Random(3)
    assert browser.state().status is GameStatus.READY
    for _ in range(6):
        direction = chosen.choice(list(KEYS))
        before = browser.state()
        browser.press(KEYS[direction])
        state, values = browser.state(), eyes.read(browser.picture())
        assert (values["board"], values["over"]) == (in_words(state.game_state.board), False)
        assert (values["score"], values["moves"]) == (state.game_state.score, state.metrics["moves"])
        went = state.metrics["moves"] > before.metrics["moves"]
        assert (values["moved"], values["blocked"]) == ((direction, None) if went else (None, direction))
    assert state.status is GameStatus.PLAYING


def test_every_tile_and_every_figure_is_read(browser: HeadlessBrowser) -> None:
    browser.open("tiles")
    lay(browser, ALL)
    assert seen(browser)["board"] == in_words(ALL)
    for score in (987654, 1230):
        browser.evaluate(f"session.game.score = {score}, draw()")
        browser.run(40)
        assert seen(browser)["score"] == score


def test_a_board_on_its_way_is_none(browser: HeadlessBrowser) -> None:
    browser.open("tiles")
    lay(browser, [[0, 0, 0, 2], [0] * 4, [0] * 4, [0] * 4])
    browser.press("ArrowLeft", ms=34)
    values = seen(browser)
    assert (values["moved"], values.get("board")) == ("left", None)
    browser.run(200)
    assert seen(browser)["board"].startswith("2 ")


def test_a_full_board_ends_it_and_a_click_begins_anew(browser: HeadlessBrowser) -> None:
    browser.open("tiles")
    lay(browser, STUCK)
    state = browser.state()
    assert (state.status, state.terminal.outcome) == (GameStatus.TERMINAL, "loss")
    assert (seen(browser)["over"], seen(browser).get("board")) == (True, None)
    browser.press("ArrowLeft")
    assert browser.state().game_state.board == STUCK
    browser.click(240, 354)
    assert browser.state().status is GameStatus.READY
    assert seen(browser)["over"] is False


def test_a_seed_gives_the_same_game_on_loading_and_after_a_reset(browser: HeadlessBrowser) -> None:
    def played() -> list[Any]:
        boards = [browser.state().game_state.board]
        for code in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowDown"):
            browser.press(code, ms=20)
            boards.append(browser.state().game_state.board)
        return boards

    browser.open("tiles", seed=11)
    first = played()
    browser.reset(11)
    assert played() == first
    browser.reset(12)
    assert played() != first
    assert browser.state().seed == 12


def test_the_search_joins_and_knows_when_nothing_moves() -> None:
    assert best_move(((2, 2, 4, 8), (4, 8, 16, 2), (8, 16, 2, 4), (16, 2, 4, 8))) in ("left", "right")
    assert best_move(tuple(map(tuple, STUCK))) is None
    assert best_move(((0,) * 4, (0,) * 4, (4, 0, 0, 0), (512, 256, 128, 64))) != "up"
