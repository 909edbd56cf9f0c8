"""A clone in play: several actions at once, taps that rest, places, several states side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_MS
from pitwall.games.schema.modules import Module, StateInput
from pitwall.games.schema.profile import Screen
from pitwall.gsm.cloned_module import ClonedModule, learned_module, placed
from pitwall.gsm.cloned_space import ClonedSpace, Pointer, Press
from pitwall.gsm.inference import input_shapes
from pitwall.gsm.version_record import VersionRecord

SPACE = ClonedSpace(
    state=[StateInput(field="x", low=0, high=10)],
    actions=["", "left", "right", "fire"],
    presses=[Press(), Press(threshold=0.6), Press(tap=True, rest_ms=100)],
    history=2,
    states=3,
    at_once=2,
)
MODULE = Module(name="watched", ends="status != 'playing'", learned=SPACE)


class Said:
    """A policy that says what it is told to, and keeps what it was shown."""

    def __init__(self) -> None:
        self.next: list[float] = []
        self.seen: list[Mapping[str, NDArray[Any]]] = []

    def q(self, inputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        self.seen.append(inputs)
        return np.asarray(self.next, np.float32)


def made(space: ClonedSpace = SPACE) -> tuple[ClonedModule, Said]:
    about = VersionRecord(game_id="kite", module="watched", version="v1", kind="policy", learned=space)
    policy = Said()
    module = learned_module(MODULE, about, policy, screen=Screen(width=100, height=100))
    assert isinstance(module, ClonedModule)
    module.begin()
    return module, policy


def test_it_holds_several_and_taps_beside_them_and_lets_go_at_the_end() -> None:
    module, policy = made()
    policy.next = [0, 3, -9, 2]
    assert module.act({"x": 1}, 0) == "fire"
    assert list(module.held) == ["left"]
    assert module.act({"x": 1}, 50 * NS_PER_MS) is None, "the tap rests"
    policy.next = [9, -3, 0.3, -9]
    assert module.act({"x": 1}, 200 * NS_PER_MS) is None
    assert list(module.held) == [], "0.57 is below the threshold of right"
    policy.next = [0, 3, 3, 0.1]
    module.act({"x": 1}, 300 * NS_PER_MS)
    assert list(module.held) == ["left", "right"], "two at once are the most"
    assert module.ended({"status": "menu"})
    assert list(module.held) == []


def test_where_two_taps_are_as_right_and_one_is_due_the_surest_is_done() -> None:
    taps = SPACE.model_copy(update={"presses": [Press(tap=True, rest_ms=100)] * 3, "decide_every_ms": 200})
    module, policy = made(taps)
    policy.next = [-2, -0.3, -0.2, -9]
    assert module.act({"x": 1}, 0) == "right", "none reaches its threshold"
    policy.next = [0.1, -0.3, -0.2, -9]
    assert module.act({"x": 2}, 200 * NS_PER_MS) is None, "nothing is as likely"
    module, policy = made(taps.model_copy(update={"decide_every_ms": 33}))
    policy.next = [-2, -0.3, -0.2, -9]
    assert module.act({"x": 1}, 0) is None, "the next decision is soon"


def test_where_pictures_change_seldom_one_that_is_drawn_twice_takes_no_decision_of_the_next() -> None:
    module, policy = made(SPACE.model_copy(update={"decide_every_ms": 200}))
    policy.next = [0, -9, -9, -9]
    for at_ms, x in ((0, 1), (250, 1), (270, 2), (300, 3), (330, 3), (470, 4), (890, 4)):
        module.act({"x": x}, 1_000_000_000 + at_ms * NS_PER_MS)
    decided = [inputs["state"][0, -1] * 5 + 5 for inputs in policy.seen]
    assert decided == pytest.approx([1, 2, 3, 4, 4]), "a new one a while later, a still one after two periods"


def test_a_board_that_stands_still_does_not_end_it_and_a_press_without_effect_is_not_repeated() -> None:
    taps = SPACE.model_copy(update={"presses": [Press(tap=True, rest_ms=0)] * 3, "decide_every_ms": 200})
    module, policy = made(taps)
    policy.next = [9, -3, -4, -5]  # nothing is by far the likeliest
    done = [module.act({"x": 1}, 1_000_000_000 + at * 500 * NS_PER_MS) for at in range(8)]
    pressed = [text for text in done if text is not None]
    assert pressed[:3] == ["left", "right", "fire"]
    assert module.act({"x": 2}, 9_000_000_000) is None, "the picture changed: nothing is likeliest again"
    policy.next = [-9, 4, -4, -5]
    done = [module.act({"x": 3}, 10_000_000_000 + at * 500 * NS_PER_MS) for at in range(3)]
    assert done == ["left", "right", "fire"], "left changed nothing: it does something else"


def test_it_sees_its_newest_states_and_what_it_did() -> None:
    module, policy = made()
    policy.next = [0, 3, 3, -9]
    for number, x in enumerate((0, 5, 10)):
        module.act({"x": x}, number)
    shapes = {name: (value.shape, str(value.dtype)) for name, value in policy.seen[-1].items()}
    assert shapes == input_shapes(SPACE)
    assert [inputs["state"].tolist() for inputs in policy.seen] == [
        [[-1, -1, -1]],
        [[-1, -1, 0]],
        [[-1, 0, 1]],
    ]
    assert policy.seen[1]["history"].tolist() == [[[0, 0, 0, 0], [0, 1, 1, 0]]]


@pytest.mark.parametrize(
    ("pointer", "place", "text"),
    [
        (Pointer(x="x", y="y", box=(0, 0, 101, 201)), (0.5, 0.25), "aim(x=50, y=50)"),
        (
            Pointer(x="column", y="row", box=(0, 0, 90, 90), columns=3, rows=3),
            (0.5, 1.2),
            "aim(column=1, row=2)",
        ),
    ],
)
def test_a_place_is_written_as_the_action_takes_it(
    pointer: Pointer, place: tuple[float, float], text: str
) -> None:
    assert placed("aim", pointer, place) == text
    space = ClonedSpace(
        state=SPACE.state, actions=["", "aim"], history=0, presses=[Press(tap=True, pointer=pointer)]
    )
    module, policy = made(space)
    policy.next = [0, 5, *place]
    assert module.act({"x": 1}, 0) == text
    assert (
        VersionRecord.model_validate_json(
            VersionRecord(
                game_id="k", module="m", version="v", kind="policy", learned=space
            ).model_dump_json()
        ).learned
        == space
    )
