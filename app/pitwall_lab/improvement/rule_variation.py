"""Draws random edits of a rule module's logic, from what its fields were seen to read."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence

from pitwall.core.actions import ActionForm
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Profile
from pitwall_lab.analysis.seen_values import Seen
from pitwall_lab.improvement.rule_edits import EditKind, RuleEdit

_COOLDOWNS_MS = (0, 60, 100, 200, 500)
_KINDS: tuple[tuple[EditKind, int], ...] = (
    ("add", 3),
    ("remove", 1),
    ("move", 2),
    ("when", 2),
    ("also", 3),
    ("action", 2),
    ("ends", 1),
)
"""Kinds of edits with their weights."""


def plain_actions(profile: Profile, module: Module) -> tuple[str, ...]:
    """List the actions that a rule may be given: its module's own, and the game's without arguments."""
    own = [rule.action for rule in module.rules]
    forms = [form.name for form in Vocabulary(profile).forms if _is_plain(form)]
    return tuple(dict.fromkeys([*own, *forms]))


def _is_plain(form: ActionForm) -> bool:
    return not form.arguments


def draw_edit(module: Module, seen: Seen, actions: Sequence[str], chance: random.Random) -> RuleEdit | None:
    """Draw an edit; None if the drawn kind fits nothing here."""
    kinds = [kind for kind, _ in _KINDS]
    kind = chance.choices(kinds, [weight for _, weight in _KINDS])[0]
    count = len(module.rules)
    rule = chance.randint(1, count)
    match kind:
        case "remove" if count > 1:
            return RuleEdit(edit=kind, rule=rule)
        case "move" if (to := chance.randint(1, count)) != rule:
            return RuleEdit(edit=kind, rule=rule, to=to)
        case "when" if when := _shorter(module.rules[rule - 1].when, chance):
            return RuleEdit(edit=kind, rule=rule, when=when)
        case "also" if when := _condition(seen, chance):
            return RuleEdit(edit=kind, rule=rule, when=when)
        case "ends" if when := _shorter(module.ends, chance):
            return RuleEdit(edit=kind, when=when)
        case "action" if others := [name for name in actions if name != module.rules[rule - 1].action]:
            return RuleEdit(edit=kind, rule=rule, action=chance.choice(others))
        case "add" if when := _condition(seen, chance):
            return RuleEdit(
                edit=kind,
                rule=chance.randint(1, count + 1),
                when=when,
                action=chance.choice(list(actions)),
                cooldown_ms=chance.choice(_COOLDOWNS_MS),
            )
    return None


def _condition(seen: Seen, chance: random.Random) -> str:
    """Draw a comparison of a field with a value that it was seen to have; empty without any."""
    fields = [name for name, values in seen.items() if len(values) > 1 and name != "status"]
    if not fields:
        return ""
    name = chance.choice(fields)
    value = chance.choice(seen[name])
    if isinstance(value, str):
        return f"{name} {chance.choice(('==', '!='))} {value!r}"
    return f"{name} {chance.choice(('<', '>'))} {value:g}"


def _shorter(condition: str, chance: random.Random) -> str:
    """Leave one part of an "and" or an "or" out; empty if it has only one part."""
    text = condition.strip()
    tree = ast.parse(text, mode="eval").body
    if not isinstance(tree, ast.BoolOp):
        return ""
    parts = [_bracketed(text, part) for part in tree.values]
    parts.pop(chance.randrange(len(parts)))
    return (" and " if isinstance(tree.op, ast.And) else " or ").join(parts)


def _bracketed(text: str, part: ast.expr) -> str:
    source = ast.get_source_segment(text, part) or ""
    return f"({source})" if isinstance(part, ast.BoolOp) else source
