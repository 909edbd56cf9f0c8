"""Players that Arena's balance is measured with: one that presses anything, a good one, and a rule module."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from arena_fields import seen
from arena_keys import ACTIONS, Keys
from arena_rules import Fight

from pitwall.core.observations import Value
from pitwall.games.schema.modules import Module
from pitwall.gsm.rule_module import RuleModule

Values = Mapping[str, Value]
Player = Callable[[Values], str]
"""What is seen → an action of arena_keys."""
_FRAME_NS = 1_000_000_000 // 30


def fought(
    seed: int,
    player: Player,
    *,
    scenario: str = "boss",
    delay_frames: Sequence[int] = (0,),
    every: int = 1,
) -> Fight:
    """A fight to its end.

    Args:
        delay_frames: between a frame and the effect of what was decided on it; drawn anew each decision.
        every: frames from decision to decision.
    """
    fight, keys, dice = Fight(seed, scenario), Keys(), random.Random(seed)
    coming: deque[tuple[int, str]] = deque()
    while not fight.over:
        if fight.frame % every == 0:
            action = player(field_values(fight))
            if action:
                coming.append((fight.frame + dice.choice(delay_frames), action))
        while coming and coming[0][0] <= fight.frame:
            keys.act(coming.popleft()[1])
        fight.step(*keys.frame())
    return fight


def field_values(fight: Fight) -> dict[str, Value]:
    """The fields as the engine would have them."""
    values: dict[str, Value] = {name: None if math.isnan(v) else v for name, v in seen(fight).items()}
    values["status"] = "terminal" if fight.over else "playing"
    return values


def anything(seed: int) -> Player:
    """Presses whatever comes."""
    dice, actions = random.Random(seed), list(ACTIONS)
    return lambda _: dice.choice(actions)


def by_rules(module: Module, fields: frozenset[str]) -> Player:
    """A rule module of a manifest, asked at every frame."""
    running, now = RuleModule(module, fields), [0]
    running.begin()

    def play(values: Values) -> str:
        now[0] += _FRAME_NS
        return running.act(values, now[0]) or ""

    return play


def good(values: Values) -> str:
    """Somebody who knows the game: lets every attack pass in a roll and hits into the openings."""
    number = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
    if values["gap"] is None:
        return "potion" if number["health"] <= 60 and number["potions"] and not number["busy"] else ""
    gap, distance, stamina = number["gap"], number["distance"], number["stamina"]
    towards = "right" if gap > 0 else "left"
    if number["windup"]:
        return _answer(number, towards)
    if number["strike"]:
        return "" if number["slash"] or number["busy"] else _evade(number, towards)
    if number["busy"]:
        return ""
    if number["health"] <= 50 and number["potions"] and (distance > 110 or number["opening"] > 14):
        return "potion"
    if distance > 52:
        return f"move_{towards}"
    if number["opening"] > 12 and stamina >= 44:
        return "heavy"
    return "light" if stamina >= 50 else ""


def _answer(number: Mapping[str, float], towards: str) -> str:
    if number["busy"] > 3:
        return ""
    if number["leap"]:
        return ""
    if number["slash"]:
        return f"dodge_{towards}" if number["windup"] <= 5 else ""
    if number["distance"] < 120:
        return f"dodge_{towards}" if number["windup"] <= 4 else ""
    return ""


def _evade(number: Mapping[str, float], towards: str) -> str:
    if number["leap"]:
        return f"dodge_{towards}" if number["strike"] <= 8 else ""
    return f"dodge_{towards}" if number["distance"] < 110 else ""
