"""A policy in play: what it is given, when it decides, what it tells."""

from __future__ import annotations

import numpy as np
import pytest
from tests.gsm.policies import LEARNED, SEEING, linear_policy

from pitwall.core.clock import NS_PER_MS
from pitwall.games.schema.modules import Module, StateInput, VisionInput
from pitwall.games.schema.profile import Screen
from pitwall.gsm.inference import BadPolicy, Policy
from pitwall.gsm.policy_module import ENDED, Decision, PolicyModule
from pitwall.gsm.state_space import StateSpace, encode_history
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.vision import PixelStack

MODULE = Module(name="fly", ends="fallen == 1", learned=LEARNED)
SCREEN = Screen(width=64, height=64)


def made(content: bytes, learned=LEARNED, heard=None, **options) -> PolicyModule:  # type: ignore[no-untyped-def]
    about = VersionRecord(game_id="kite", module="fly", version="v1", kind="policy", learned=learned)
    hear = heard.append if heard is not None else lambda _: None
    policy = Policy(content, learned)
    module = PolicyModule(MODULE, about, policy, screen=SCREEN, on_decision=hear, **options)
    module.begin()
    return module


def test_it_takes_the_action_of_the_highest_value() -> None:
    module = made(linear_policy(LEARNED, state=1.0))
    assert module.act({"height": 90.0}, 0) == "flap"
    assert module.act({"height": 10.0}, 1) is None


def test_its_own_past_is_an_input() -> None:
    """It flaps until it has flapped: the second time the history speaks against it."""
    module = made(linear_policy(LEARNED, state=1.0, last=-5.0))
    assert [module.act({"height": 90.0}, at) for at in range(4)] == ["flap", None, "flap", None]


def test_a_new_start_forgets_the_past() -> None:
    module = made(linear_policy(LEARNED, state=1.0, last=-5.0))
    assert module.act({"height": 90.0}, 0) == "flap"
    module.begin()
    assert module.act({"height": 90.0}, 1) == "flap"


def test_frames_between_two_decisions_are_passed_over() -> None:
    learned = LEARNED.model_copy(update={"decide_every_ms": 100.0})
    heard: list[Decision] = []
    module = made(linear_policy(learned, state=1.0), learned, heard)
    for ms in range(0, 1000, 33):
        module.act({"height": 90.0}, ms * NS_PER_MS)
    assert [decision.at_ns // NS_PER_MS for decision in heard] == [
        0,
        99,
        198,
        297,
        396,
        495,
        594,
        693,
        792,
        891,
        990,
    ]


def test_what_it_sees_counts() -> None:
    module = made(linear_policy(SEEING, sight=1.0), SEEING)
    dark, bright = np.zeros((64, 64, 4), np.uint8), np.full((64, 64, 4), 255, np.uint8)
    assert module.act({}, 0, dark) is None
    assert module.act({}, 1, bright) == "flap"
    assert module.act({}, 2, dark) == "flap", "the bright picture is still in the stack of two"
    assert module.act({}, 3, dark) is None
    with pytest.raises(ValueError, match="pixels"):
        module.act({}, 4)


def test_every_decision_is_told_and_the_end_once() -> None:
    heard: list[Decision] = []
    module = made(linear_policy(LEARNED, state=1.0), LEARNED, heard)
    module.act({"height": 90.0}, 5)
    assert not module.ended({"fallen": 0})
    assert module.ended({"fallen": 1})
    assert module.ended({"fallen": 1})
    module.begin()
    module.act({"height": 10.0}, 9)
    assert [(decision.start, decision.action) for decision in heard] == [(1, 1), (1, ENDED), (2, 0)]
    assert heard[0].q == pytest.approx((0.0, 0.8))


def test_exploring_is_by_chance_and_by_seed() -> None:
    def actions(seed: int) -> list[int]:
        heard: list[Decision] = []
        module = made(linear_policy(LEARNED), LEARNED, heard, explore=0.5, seed=seed)
        for at in range(200):
            module.act({"height": 50.0}, at)
        return [decision.action for decision in heard]

    assert actions(1) == actions(1) != actions(2)
    assert 25 < sum(actions(1)) < 75, "half by chance, half of those flap"


def test_a_policy_of_another_space_is_refused() -> None:
    wider = LEARNED.model_copy(update={"state": [*LEARNED.state, StateInput(field="fallen")]})
    with pytest.raises(BadPolicy, match="takes"):
        Policy(linear_policy(LEARNED), wider)
    with pytest.raises(BadPolicy, match="cannot be loaded"):
        Policy(linear_policy(LEARNED)[:100], LEARNED)


def test_numbers_of_the_state() -> None:
    space = StateSpace(
        [
            StateInput(field="y", low=0, high=200),
            StateInput(field="gap", low=0, high=100, optional=True),
            StateInput(field="mood", choices=["calm", "angry"]),
            StateInput(field="hit"),
        ]
    )
    assert space.names == ("y", "gap", "gap?", "mood=calm", "mood=angry", "hit")
    values = {"y": 50, "gap": None, "mood": "angry", "hit": True}
    assert space.encode(values).tolist() == [-0.5, 0.0, 0.0, 0.0, 1.0, 1.0]
    far = space.encode({"y": 1e9, "gap": -1e9, "mood": None, "hit": None}).tolist()
    assert far == [1.5, -1.5, 1.0, 0.0, 0.0, 0.0]
    assert space.encode({"y": float("nan")}).tolist()[0] == 0.0


def test_the_history_is_oldest_first() -> None:
    learned = LEARNED.model_copy(update={"history": 3})
    assert encode_history(((1,),), learned).tolist() == [[0, 0], [0, 0], [0, 1]]
    assert encode_history(((0,), (1,), (1,), (0,)), learned).tolist() == [[0, 1], [0, 1], [1, 0]]


def test_the_same_part_is_seen_at_any_size() -> None:
    eyes = PixelStack(VisionInput(box=(32, 0, 32, 64), width=8, height=8, frames=1), SCREEN)
    small, big = np.zeros((64, 64, 3), np.uint8), np.zeros((128, 128, 3), np.uint8)
    small[:, 32:], big[:, 64:] = 200, 200
    assert (eyes.shrink(small, "rgb") == 200).all()
    assert (eyes.shrink(big, "rgb") == 200).all()
