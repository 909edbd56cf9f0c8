"""A board of cells as whoever stands in it acts on it."""

from __future__ import annotations

import pytest

from pitwall.core.observations import Value
from pitwall.games.schema.modules import StateInput
from pitwall.gsm.board_ways import names_of, numbers_of, rows_of
from pitwall.gsm.state_space import StateSpace

BOARD = "..#F/.H#./..#./T.../####"
"""Five rows of four: a wall with one way round it, below."""
SEEN = StateInput(field="board", at=("x", "y"), entered=".F", choices=["F"])


def test_each_way_says_whether_it_is_free_what_it_leaves_in_reach_and_how_near_it_leads() -> None:
    numbers = dict(zip(names_of("F"), numbers_of(rows_of(BOARD), (1, 1), ".F", "F"), strict=True))
    assert [numbers[f"{way}:free"] for way in ("up", "down", "left", "right")] == [1, 1, 1, 0]
    assert numbers["down:room"] == numbers["up:room"] == 1, "both reach all that is left"
    assert numbers["right:room"] == numbers["right:F"] == 0
    assert numbers["down:F"] == 1 and 0 < numbers["up:F"] < numbers["left:F"] < 1


def test_a_policy_sees_a_board_by_the_fields_that_say_where_one_stands() -> None:
    space = StateSpace([SEEN, StateInput(field="x", high=10)])
    assert space.fields == {"board", "x", "y"}
    assert space.size == len(space.names) == 4 * 3 + 1
    assert space.encode({"board": BOARD, "x": 1, "y": 1})[:3].tolist()[0] == 1.0


@pytest.mark.parametrize("board", [None, 7, "menu", "../...", ""])
def test_what_is_no_board_is_all_zeros(board: Value) -> None:
    assert not StateSpace([SEEN]).encode({"board": board, "x": 1, "y": 1}).any()


def test_where_nobody_knows_where_one_stands_all_is_zero() -> None:
    assert not StateSpace([SEEN]).encode({"board": BOARD, "x": None, "y": 1}).any()
