"""Defines the track record of who drives: the model, the skills, or both as one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Literal

Driver = Literal["model", "skills", "both"]
"""Who made a decision; both: the model chose what the skill planner would have done."""
TrustPin = Literal["earned", "model", "skills"]


class Situation(StrEnum):
    """Names the kind of situation that a decision was made in."""

    AWAY = "away"
    """The game is not being played: a menu, a start, an end."""
    GOING = "going"
    STUCK = "stuck"
    """Asked for by a stall, a loop or a failure."""


SITUATION_WORDS = {
    Situation.AWAY: "in menus",
    Situation.GOING: "in play",
    Situation.STUCK: "when stuck",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts what one driver brought in one kind of situation.

    Attributes:
        steps: that its decisions led to. progressed: of these, with progress (SPEC §1).
        gained: of these, with something more than a move: a thing carried or scored, a dialogue, a task done.
        harms: decisions after which play was lost, or that gave no usable answer, or too late.
        ms, tokens: that asking took.
    """

    driver: Driver
    situation: Situation
    decisions: int = 0
    steps: int = 0
    progressed: int = 0
    gained: int = 0
    harms: int = 0
    ms: float = 0.0
    tokens: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Return the sum under this one's names."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return Tally(driver=self.driver, situation=self.situation, **sums)


COUNTS = tuple(field.name for field in fields(Tally))[2:]
