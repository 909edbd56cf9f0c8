"""Whether changed rules can play: their conditions, their actions, what they change. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import PitwallError
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game

ENDS = -1
"""Stands for the end condition where a rule's place is meant."""


@dataclass(frozen=True, slots=True)
class RuleFault:
    """Describes a fault in a rule.

    Attributes:
        rule: its place from 0, or ENDS. column: 0 its condition, 1 its action.
    """

    rule: int
    column: int
    what: str

    def __str__(self) -> str:
        where = "The end condition" if self.rule == ENDS else f"Rule {self.rule + 1}"
        return f"{where}: {self.what}"


def check_rules(module: Module, game: Game) -> list[RuleFault]:
    """Every fault of a module's rules; none where they can play."""
    fields = frozenset(one.name for one in game.profile.fields)
    faults = _condition(module.ends, fields, ENDS)
    if not module.rules:
        faults.append(RuleFault(0, 0, "there is no rule: nothing would ever act."))
    for at, rule in enumerate(module.rules):
        faults += _condition(rule.when, fields, at)
        faults += _action(rule.action, game, at)
    return faults


def _condition(text: str, fields: frozenset[str], at: int) -> list[RuleFault]:
    try:
        parse_condition(text, fields)
    except PitwallError as error:
        return [RuleFault(at, 0, str(error))]
    return []


def _action(text: str, game: Game, at: int) -> list[RuleFault]:
    """An action must be legal for at least one role."""
    roles = [role.name for role in game.profile.roles] or [""]
    last = ""
    for role in roles:
        try:
            vocabulary = Vocabulary(game.profile, role)
            vocabulary.parse(text)
        except PitwallError as error:
            last = str(error)
        else:
            return []
    return [RuleFault(at, 1, last)]
