"""The independent player: hands that are late and unsteady, and rules that play a game with them."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest

from pitwall.core.observations import Value
from workshop.demonstrator.breakout import Breakout
from workshop.demonstrator.hands import Hands, Press
from workshop.demonstrator.rules import Look
from workshop.demonstrator.snake import Snake


class _Keyboard:
    """Takes down what is pressed, and when."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.events: list[tuple[float, str, bool]] = []

    def key(self, name: str, *, down: bool) -> None:
        self.events.append((self.now_s, name, down))

    def run(self, hands: Hands, until_s: float) -> None:
        while self.now_s < until_s:
            hands.move(self.now_s)
            self.now_s += 0.002


def test_hands_are_late_by_a_persons_reaction_and_bring_up_each_key() -> None:
    keyboard = _Keyboard()
    hands = Hands(keyboard, random.Random(1))
    late = []
    for number in range(200):
        began_s = float(number)
        keyboard.run(hands, began_s)
        hands.plan(Press(key="a", at_s=began_s, hold_s=0.1), began_s)
        keyboard.run(hands, began_s + 0.9)
        (down_s, _, down), (up_s, _, still) = keyboard.events[-2:]
        assert down and not still and 0.03 <= up_s - down_s < 0.2
        late.append(down_s - began_s)
    assert np.mean(late) == pytest.approx(0.18, abs=0.01)
    assert np.std(late) == pytest.approx(0.04, abs=0.01)
    assert hands.presses == {"a": 200}


def test_a_key_that_is_down_comes_up_when_the_hands_let_go() -> None:
    keyboard = _Keyboard()
    hands = Hands(keyboard, random.Random(1))
    hands.plan(Press(key="a", at_s=0.0, hold_s=5.0), 0.0)
    keyboard.run(hands, 1.0)
    assert hands.meant(1.0)
    hands.let_go()
    assert [down for _, _, down in keyboard.events] == [True, False]
    assert not hands.meant(1.0)


def test_breakouts_paddle_is_pushed_the_way_to_where_the_ball_comes_down() -> None:
    press = Breakout().decide(Look(seen={"paddle_x": 100.0, "aim": 184.0, "falling": True}, now_s=1.0))
    assert press is not None
    assert press.key == "ArrowRight"
    assert press.hold_s == pytest.approx(0.2)


def test_a_snake_turns_between_the_next_tick_and_the_one_after() -> None:
    rows = [["."] * 16 for _ in range(16)]
    rows[5][5], rows[5][4], rows[5][3], rows[9][6] = "H", "B", "T", "F"
    seen: Mapping[str, Value] = {"board": "/".join("".join(row) for row in rows), "facing": "right"}
    press = Snake().decide(Look(seen=seen, now_s=1.0))
    assert press is not None
    assert press.key == "ArrowDown"
    assert 14 / 60 < press.at_s - 1.0 < 28 / 60
