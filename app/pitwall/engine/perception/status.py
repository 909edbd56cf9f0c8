"""Determines a game's status by the profile's conditions on fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.observations import GameStatus, Value
from pitwall.games.schema.profile import StatusRules

_ORDER = (
    GameStatus.TERMINAL,
    GameStatus.LOADING,
    GameStatus.MENU,
    GameStatus.PAUSED,
    GameStatus.READY,
    GameStatus.PLAYING,
)


def status(rules: StatusRules, values: Mapping[str, Value]) -> GameStatus:
    """Return the first status whose condition holds; playing where none does.

    Raises:
        ConditionError: a condition does not parse.
    """
    for phase, condition in _conditions(rules):
        if condition.holds(values):
            return phase
    return GameStatus.PLAYING


@lru_cache(maxsize=16)
def _conditions(rules: StatusRules) -> tuple[tuple[GameStatus, Condition], ...]:
    texts = [(phase, str(getattr(rules, phase.value))) for phase in _ORDER]
    return tuple((phase, parse_condition(text)) for phase, text in texts if text)
