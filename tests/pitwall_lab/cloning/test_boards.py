"""What a clone sees where a field is a board of cells: what play tells of it, and what is left out beside."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
from tests.pitwall_lab.cloning.made_play import PROFILE

from pitwall.core.clock import NS_PER_MS
from pitwall.core.observations import Value
from pitwall.games.schema.profile import Profile
from pitwall.gsm.cloned_space import CloningRecipe
from pitwall_lab.cloning.space import space_for
from pitwall_lab.cloning.stretches import Hold, Stretch

PERIOD_MS, SIDE = 230, 8
WAYS = {"left": (-1, 0), "right": (1, 0), "fire": (0, 1)}
WALKED = Profile.model_validate(
    {
        **PROFILE.model_dump(by_alias=True, exclude_defaults=True),
        "fields": [
            {
                "name": name,
                "kind": "blob",
                "box": [0, 0, 9, 9],
                "colour": [9, 9, 9],
                "value": "x",
                "unit": unit,
            }
            for name, unit in {"board": "", "x": "cells", "y": "cells", "far": "cells", "hint": ""}.items()
        ],
        "progress": {"position": ["x", "y"]},
    }
)


def walked(steps: int = 200) -> Stretch:
    """Walk a board with a wall and a fruit by chance, a tap a step."""
    chance, me, fruit = random.Random(3), (4, 1), (2, 6)
    values, holds = list[Mapping[str, Value]](), {name: list[Hold]() for name in WAYS}
    for step in range(steps):
        name = chance.choice([*WAYS])
        there = (me[0] + WAYS[name][0]) % SIDE, 1 + (me[1] - 1 + WAYS[name][1]) % (SIDE - 1)
        fruit = there if step % 5 == 0 else fruit
        rows = ["#" * SIDE, *("." * SIDE for _ in range(SIDE - 1))]
        for sign, (x, y) in {"F": fruit, "H": me}.items():
            rows[y] = rows[y][:x] + sign + rows[y][x + 1 :]
        far = fruit[0] - me[0]
        values.append(
            {"board": "/".join(rows), "x": me[0], "y": me[1], "far": far, "hint": name, "status": "playing"}
        )
        down_ns = (step * PERIOD_MS + 60) * NS_PER_MS
        holds[name].append(Hold(down_ns, down_ns + 50 * NS_PER_MS))
        me = there
    at_ns = np.arange(steps, dtype=np.int64) * PERIOD_MS * NS_PER_MS
    return Stretch(
        "made", 0, False, at_ns, tuple(values), {k: tuple(v) for k, v in holds.items()}, lambda: iter(())
    )


def test_a_board_is_seen_from_where_one_stands_and_what_it_tells_is_left_out() -> None:
    space, _ = space_for(WALKED, None, [walked()], CloningRecipe(reaction_ms=0.0))
    board = space.state[-1]
    assert [item.field for item in space.state] == ["board"], (
        "cells and names of actions are left out beside it"
    )
    assert board.at == ("x", "y")
    assert (board.entered, board.choices) == (".F", ["F"]), "nobody entered a wall; a fruit is made for"
    assert (space.states, space.history) == (2, 0), "a press is seen by the next decision, 230 ms later"


def test_where_nobody_stands_in_it_a_board_is_no_more_than_a_text() -> None:
    nowhere = WALKED.model_copy(update={"progress": WALKED.progress.model_copy(update={"position": []})})
    space, _ = space_for(nowhere, None, [walked()], CloningRecipe(reaction_ms=0.0))
    assert [item.field for item in space.state] == ["x", "y", "far", "hint"]
