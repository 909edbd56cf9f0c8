"""Presses keys as a hand does: some time after the eyes, never quite when or as long as meant."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Protocol

REACTION_S, REACTION_SPREAD_S = 0.18, 0.04
"""From what is seen to the key: mean, and standard deviation."""
FORESEEN_S = REACTION_S + 2 * REACTION_SPREAD_S
"""A press that is meant so long before can be timed; an earlier one comes when the reaction lets it."""
_TIMING_SPREAD_S = 0.015
"""Of a press that was foreseen: people time those better than they react."""
_HOLD_SPREAD = 0.12
_SOON_S = 0.001
_SHORTEST_S, _APART_S = 0.03, 0.03
_SETTLED_S = 0.07
"""After a release: until what it did can be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """One press as it is meant.

    Attributes:
        at_s: when, by the clock that the rules are told.
    """

    key: str
    at_s: float
    hold_s: float = 0.09


class Keyboard(Protocol):
    """Takes keys down and up."""

    def key(self, name: str, *, down: bool) -> None:
        """Press or release."""


@dataclass(slots=True)
class _Doing:
    meant: Press
    down_s: float
    up_s: float
    is_down: bool = False
    done: bool = False


class Hands:
    """Carries presses out.

    Args:
        chance: of the spread. keyboard: takes the keys.

    Attributes:
        presses: carried out so far, by key.
    """

    def __init__(self, keyboard: Keyboard, chance: random.Random) -> None:
        self._keyboard, self._chance = keyboard, chance
        self._doing: list[_Doing] = []
        self.presses: dict[str, int] = {}

    def plan(self, meant: Press, now_s: float) -> None:
        """Plan a press, a reaction time from now at the earliest."""
        soonest = now_s + max(0.05, self._chance.gauss(REACTION_S, REACTION_SPREAD_S))
        down_s = max(soonest, self._chance.gauss(meant.at_s, _TIMING_SPREAD_S))
        busy = (item.up_s + _APART_S for item in self._doing if item.meant.key == meant.key)
        down_s = max(down_s, *busy, 0.0)
        hold_s = max(_SHORTEST_S, meant.hold_s * self._chance.gauss(1.0, _HOLD_SPREAD))
        self._doing.append(_Doing(meant, down_s, down_s + hold_s))

    def meant(self, now_s: float) -> list[Press]:
        """Return the presses whose full effect is not visible yet, with their times."""
        return [
            replace(item.meant, at_s=item.down_s if item.done else max(now_s + _SOON_S, item.meant.at_s))
            for item in self._doing
            if item.up_s + _SETTLED_S > now_s
        ]

    def move(self, now_s: float) -> float:
        """Do what is due; seconds until the next is, at most a tenth."""
        for item in self._doing:
            if not item.is_down and item.down_s <= now_s < item.up_s:
                self._keyboard.key(item.meant.key, down=True)
                item.is_down = item.done = True
                self.presses[item.meant.key] = self.presses.get(item.meant.key, 0) + 1
            elif item.is_down and item.up_s <= now_s:
                self._keyboard.key(item.meant.key, down=False)
                item.is_down = False
        self._doing = [
            element for element in self._doing if element.is_down or element.up_s + _SETTLED_S > now_s
        ]
        due = [part.up_s if part.is_down else part.down_s for part in self._doing]
        return max(0.0, min((at - now_s for at in due if at > now_s), default=0.1))

    def let_go(self) -> None:
        """Bring up what is down, and forget the rest."""
        for item in self._doing:
            if item.is_down:
                self._keyboard.key(item.meant.key, down=False)
        self._doing.clear()
