"""Which foes are met, and how strong they are in an act and at a level of ascension."""

from __future__ import annotations

from collections.abc import Mapping

from .beings import Foe
from .dice import Dice
from .tables import TABLES

EASY_FIGHTS = 2
"""Fights at the beginning of an act whose foes are the weaker ones."""


def choose_group(dice: Dice, act: int, rank: str, *, easy: bool) -> tuple[str, ...]:
    """Return the names of the foes of a fight: normal, elite or boss."""
    table = TABLES.acts[act]
    if rank == "boss":
        return (table.boss,)
    if rank == "elite":
        return (dice.pick(table.elites),)
    return dice.pick(table.easy if easy else table.hard)


def make_foe(dice: Dice, name: str, act: int, numbers: Mapping[str, int]) -> Foe:
    """Return a foe. numbers: those that the levels of ascension set."""
    kind = TABLES.foes[name]
    health = dice.between(*kind.health) * TABLES.rewards["health_percent"][act]
    damage = TABLES.rewards["damage_percent"][act] * numbers.get(f"{kind.rank}_damage", 100)
    return Foe(kind, health * numbers.get(f"{kind.rank}_health", 100) // 10_000, damage // 100)
