"""Edits of a rule module's logic: rules added, removed, moved or rewritten, and another end.

A model and the search write the same edits. An edit is data; the checks of a change judge its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pitwall.games.schema.modules import Module, Rule
from pitwall_lab.improvement.changes import ChangeRefused
from pitwall_lab.improvement.reply_limits import EDITS

EditKind = Literal["add", "remove", "move", "when", "also", "action", "ends"]
_LONGEST_MS = 60_000
assert EDITS == ("add", "remove", "move", "when", "also", "action", "ends")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEdit:
    """Edit of a rule or of the end.

    Attributes:
        rule: its number, from 1, before any edit; of "add" the number that the new rule gets.
        to: the number that a moved rule gets. when: the new condition of a rule or of the end; of "also" a
            condition that must hold besides.
    """

    edit: EditKind
    rule: int = 0
    to: int = 0
    when: str = ""
    action: str = ""
    cooldown_ms: int = 0

    @property
    def sentence(self) -> str:
        """Describe the edit briefly."""
        match self.edit:
            case "add":
                return f"new rule {self.rule}: when {self.when} -> {self.action}, {self.cooldown_ms} ms"
            case "remove":
                return f"rule {self.rule} removed"
            case "move":
                return f"rule {self.rule} moved to {self.to}"
            case "when":
                return f"rule {self.rule} now when {self.when}"
            case "also":
                return f"rule {self.rule} only when also {self.when}"
            case "action":
                return f"rule {self.rule} now does {self.action}"
            case "ends":
                return f"it ends when {self.when}"


def with_edits(module: Module, edits: Sequence[RuleEdit]) -> Module:
    """Return the module with its rules edited; every edit counts the rules as they were before.

    Raises:
        ChangeRefused: there is no such rule.
    """
    numbered: list[tuple[int, Rule]] = list(enumerate(module.rules, start=1))
    ends = module.ends
    for edit in edits:
        if edit.edit == "ends":
            ends = edit.when
        elif edit.edit == "add":
            cooldown_ms = min(_LONGEST_MS, max(0, edit.cooldown_ms))
            new = Rule(when=edit.when, action=edit.action, cooldown_ms=cooldown_ms)
            numbered.insert(min(max(edit.rule, 1) - 1, len(numbered)), (0, new))
        else:
            _edit_rule(numbered, edit, len(module.rules))
    return module.model_copy(update={"rules": [rule for _, rule in numbered], "ends": ends})


def _edit_rule(numbered: list[tuple[int, Rule]], edit: RuleEdit, count: int) -> None:
    """Edit one of the rules that there were."""
    at = next((place for place, (number, _) in enumerate(numbered) if number == edit.rule), None)
    if at is None:
        raise ChangeRefused(f"there is no rule {edit.rule} to edit.", f"Its rules are 1 … {count}.")
    number, rule = numbered.pop(at)
    match edit.edit:
        case "remove":
            return
        case "move":
            at = min(max(edit.to, 1) - 1, len(numbered))
        case "when":
            rule = rule.model_copy(update={"when": edit.when})
        case "also":
            rule = rule.model_copy(update={"when": f"({rule.when}) and ({edit.when})"})
        case "action":
            rule = rule.model_copy(update={"action": edit.action})
    numbered.insert(at, (number, rule))
