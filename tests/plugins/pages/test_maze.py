"""Maze: every layout can be walked, doors, keys, lamp and fog keep their rules, and the eyes see them."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage

KEYS = {"up": "arrowup", "down": "arrowdown", "left": "arrowleft", "right": "arrowright"}
SIGNS = {"red": "r", "blue": "b", "yellow": "y"}


def _reach(maze: dict[str, Any], shut: set[tuple[int, int]]) -> set[tuple[int, int]]:
    start = (maze["start"]["x"], maze["start"]["y"])
    seen, queue = {start}, deque([start])
    while queue:
        x, y = queue.popleft()
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if cell not in seen and cell not in shut and not maze["walls"][cell[1]][cell[0]]:
                seen.add(cell)
                queue.append(cell)
    return seen


def test_every_key_can_be_had_before_its_door_and_no_exit_without_doors(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "maze")
    for maze in page.js("Array.from({ length: 40 }, (_, at) => layOutMaze(1 + (at % 3)))"):
        doors = {door["colour"]: (door["x"], door["y"]) for door in maze["doors"]}
        shut = set(doors.values())
        assert (maze["exit"]["x"], maze["exit"]["y"]) not in _reach(maze, shut)
        for key in maze["keys"]:
            assert (key["x"], key["y"]) in _reach(maze, shut)
            shut.discard(doors[key["colour"]])
        assert (maze["exit"]["x"], maze["exit"]["y"]) in _reach(maze, set())


@pytest.mark.parametrize("query", ["level=3", "level=3&fog=1"])
def test_the_maze_is_read(browser: HeadlessBrowser, query: str) -> None:
    page = StagePage(browser, "maze", query, seed=8)
    page.begin()
    seen, state = page.seen(), page.state()
    signs = {(x, y): sign for y, row in enumerate(str(seen["view"]).split("/")) for x, sign in enumerate(row)}
    there = {
        (x, y): sign for y, row in enumerate(state.game_state.board["walls"]) for x, sign in enumerate(row)
    }
    there |= {(state.game_state.board["exit"]["x"], state.game_state.board["exit"]["y"]): "*"}
    for thing in state.game_state.entities:
        sign = SIGNS[thing["colour"]]
        there[thing["x"], thing["y"]] = sign if thing["kind"] == "key" else sign.upper()
    there |= {(1, 1): "@"}
    assert {cell: sign for cell, sign in signs.items() if sign != "?"}.items() <= there.items()
    hidden = sum(sign == "?" for sign in signs.values())
    assert hidden == (225 - 16 if "fog" in query else 0)
    assert (seen["x"], seen["y"], seen["keys"], seen["lamp"], seen["level"]) == (1, 1, "no key", 100, 3)


@pytest.mark.parametrize("query", ["", "fog=1"])
def test_the_way_that_is_read_leads_out(browser: HeadlessBrowser, query: str) -> None:
    page = StagePage(browser, "maze", query, seed=2)
    page.begin()
    goals = []
    for _ in range(60):
        seen = page.seen()
        goals.append(str(seen["goal"]))
        for action in str(seen["way"]).split("; "):
            kind, _, way = action.partition("_")
            page.tap(*[KEYS[way]] * (2 if kind == "go" else 1))
        if page.state().metrics["mazes"]:
            break
    metrics = page.state().metrics
    assert (metrics["mazes"], metrics["keys"], metrics["doors"]) == (1, 1, 1)
    assert {"key", "exit"} <= set(goals)


def test_a_door_stays_shut_without_its_key_and_the_lamp_burns_out(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "maze", seed=2)
    page.begin()
    page.js("stage.game.maze.doors = [[2, 1], [1, 2]].map(([x, y]) => ({ x, y, colour: 'red' }))")
    page.tap("arrowright", "arrowdown")
    assert page.state().metrics["moves"] == 0
    page.js("stage.game.carried.push('red'); stage.game.lamp = 1")
    page.tap("arrowright", "arrowdown")
    state = page.state()
    assert (state.metrics["doors"], state.terminal.reason) == (1, "The lamp has burnt out")
