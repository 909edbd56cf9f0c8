"""Mines: its rules at the edges, its seed, what its eyes read, and what they prove from it."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Mapping
from typing import Any

from mines_eyes import reader
from mines_eyes.reasoning import SIDE, around, think
from tests.plugins.pages.rendered_page import PLUGINS, HeadlessBrowser

from pitwall.core.observations import GameStatus


def middle(cell: int) -> tuple[int, int]:
    return 20 + cell % SIDE * 44 + 22, 100 + cell // SIDE * 44 + 22


def seen(page: HeadlessBrowser) -> Mapping[str, Any]:
    return reader(PLUGINS / "mines").read(page.picture())


def test_what_is_played_is_what_is_read(browser: HeadlessBrowser) -> None:
    browser.open("mines", seed=5)
    assert browser.state().status is GameStatus.READY
    eyes = reader(PLUGINS / "mines")
    eyes.read(browser.picture())
    for cell, button in ((44, "left"), (0, "right"), (9, "right"), (0, "right"), (99, "left")):
        before = browser.state()
        browser.click(*middle(cell), button=button, ms=40)
        state, values = browser.state(), eyes.read(browser.picture())
        assert values["board"] == "/".join(state.game_state.board)
        assert (values["opened"], values["mines_left"]) == (
            state.metrics["opened"],
            state.metrics["mines_left"],
        )
        assert values["flags"] == state.metrics["flags"]
        assert bool(values["opened_now"]) == (state.metrics["opened"] > before.metrics["opened"])
        assert values["flagged_now"] == (state.metrics["flags"] != before.metrics["flags"])


def test_the_first_cell_opens_a_field_and_a_flag_keeps_a_cell_closed(browser: HeadlessBrowser) -> None:
    browser.open("mines", "mines=20", seed=2)
    for seed in (2, 3, 4):
        browser.reset(seed)
        browser.click(*middle(55), ms=40)
        state = browser.state()
        assert state.metrics["opened"] >= 9, "no mine lies around the first cell"
        assert len(state.raw["mines"]) == 20
    closed = next(i for i, sign in enumerate("".join(state.game_state.board)) if sign == "#")
    browser.click(*middle(closed), button="right", ms=40)
    browser.click(*middle(closed), ms=40)
    assert "".join(browser.state().game_state.board)[closed] == "F"


def test_a_mine_loses_and_the_last_safe_cell_wins(browser: HeadlessBrowser) -> None:
    browser.open("mines", "mines=9", seed=7)
    browser.click(*middle(0), ms=40)
    mine = browser.state().raw["mines"][0]
    browser.click(*middle(mine), ms=40)
    lost, values = browser.state(), seen(browser)
    assert (lost.status, lost.terminal.outcome) == (GameStatus.TERMINAL, "loss")
    assert (values["lost"], values["board"]) == (True, "/".join(lost.game_state.board))
    browser.click(240, 48, ms=40)
    assert browser.state().metrics["opened"] == 0
    browser.click(*middle(0), ms=40)
    mines = set(browser.state().raw["mines"])
    for cell in set(range(SIDE * SIDE)) - mines:
        browser.evaluate(f"act({cell}, false)")
    browser.run(40)
    won = browser.state()
    assert (won.terminal.outcome, won.metrics["opened"], won.metrics["wins"]) == ("win", 91, 1)
    assert seen(browser)["won"] is True


def test_every_number_is_read(browser: HeadlessBrowser) -> None:
    browser.open("mines")
    rows = [
        "*.*.*.....",
        "..........",
        ".***.**..*",
        ".*.*.*.*..",
        ".***.***.*",
        "..........",
        ".**.......",
        "*.*.......",
    ]
    rows += ["***.......", ".........."]
    mined = [sign == "*" for sign in "".join(rows)]
    browser.evaluate(
        f"session.game.mined = {json.dumps(mined)}, "
        "session.game.open = session.game.mined.map((mine) => !mine), draw()"
    )
    browser.run(40)
    board = browser.state().game_state.board
    assert set("".join(board)) == set("#012345678")
    assert seen(browser)["board"] == "/".join(board)


def test_keys_do_what_the_mouse_does_and_a_seed_repeats(browser: HeadlessBrowser) -> None:
    browser.open("mines", seed=8)
    for code in ("ArrowRight", "ArrowRight", "ArrowDown", "Space"):
        browser.press(code, ms=20)
    first = browser.state()
    assert first.metrics["clicks"] == 1
    assert seen(browser)["board"] == "/".join(first.game_state.board), "the cursor's frame hides nothing"
    browser.reset(8)
    browser.click(*middle(11), ms=20)
    assert browser.state().game_state.board == first.game_state.board


def laid(seed: int, count: int) -> set[int]:
    cells = [cell for cell in range(SIDE * SIDE) if cell != 44 and cell not in around(44)]
    return set(random.Random(seed).sample(cells, count))


def opened(board: list[str], mines: set[int], cell: int) -> None:
    todo = [cell]
    while todo:
        item = todo.pop()
        if board[item] == "#":
            board[item] = str(sum(other in mines for other in around(item)))
            todo += around(item) if board[item] == "0" else ()


def test_what_it_proves_is_true() -> None:
    """Whole boards, with the truth at hand: no cell called safe is mined, none called mined is safe."""
    proved = 0
    for seed in range(3):
        mines, board = laid(seed, 14), ["#"] * (SIDE * SIDE)
        opened(board, mines, 44)
        for _ in itertools.count():
            thought = think("".join(board), 14)
            proved += thought.safe is not None or thought.mine is not None
            if thought.mine is not None:
                assert thought.mine in mines
                board[thought.mine] = "F"
            elif thought.safe is not None:
                assert thought.safe not in mines
                opened(board, mines, thought.safe)
            else:
                assert thought.guess is None or 0 < thought.risk < 1
                break
    assert proved > 40


def test_chances_are_counted() -> None:
    """Two corners behind flagged mines, one mine left: even odds, though no number touches either."""
    mines, board = {1, 10, 11, 88, 89, 98, 0}, ["#"] * (SIDE * SIDE)
    for cell in set(range(SIDE * SIDE)) - mines - {99}:
        board[cell] = str(sum(other in mines for other in around(cell)))
    for cell in mines - {0}:
        board[cell] = "F"
    thought = think("".join(board), len(mines))
    assert (thought.safe, thought.mine, thought.risk) == (None, None, 0.5)
    assert thought.guess in (0, 99)
