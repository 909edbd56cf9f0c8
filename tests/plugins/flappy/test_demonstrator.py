"""The independent player's rules of Flappy, flown in the twin with a person's late and unsteady hands."""

from __future__ import annotations

import random

from flappy_twin import make_twin

from pitwall_lab.environments.twin import values_of
from workshop.demonstrator.flappy import Flappy
from workshop.demonstrator.hands import Hands
from workshop.demonstrator.rules import Look

_FRAME_S, _SEEN_S = 1 / 30, 0.005


class _Flaps:
    """Tells whether the key went down since it was asked last."""

    def __init__(self) -> None:
        self.pressed = False

    def key(self, name: str, *, down: bool) -> None:  # noqa: ARG002
        self.pressed |= down


def _flown(seed: int, most: float) -> float:
    """Pipes of one flight."""
    twin = make_twin(module="fly", scenario="", actions=("", "flap"), render=False)
    observation, info = twin.reset(seed=seed)
    keyboard, rules, frame, over = _Flaps(), Flappy(), 0, False
    hands = Hands(keyboard, random.Random(seed))
    while not over and info["score"] < most:
        now_s = frame * _FRAME_S
        look = Look(seen=values_of(observation), now_s=now_s, meant=hands.meant(now_s))
        if press := rules.decide(look):
            hands.plan(press, now_s + _SEEN_S)
        for part in range(8):
            hands.move(now_s + _SEEN_S + part * (_FRAME_S - _SEEN_S) / 8)
        observation, _, over, _, info = twin.step(int(keyboard.pressed))
        keyboard.pressed, frame = False, frame + 1
    return float(info["score"])


def test_the_demonstrator_flies_through_pipes_though_its_hands_are_late() -> None:
    scores = [_flown(seed, most=5.0) for seed in (1, 2, 3)]
    assert sum(scores) >= 6, scores
