"""A reply that invents a rule-based module (SPEC §8): re-validated like every other, and nothing of it run.

What comes out is text and numbers. Whether fields, actions and conditions are the game's is asked of the
same checker that an author asks (games.inventions).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pitwall.models.replies.plan import SITUATION_LENGTH
from pitwall.models.replies.reply_object import BadReply, ReplyObject, read_object
from pitwall_lab.improvement.improvement_replies import whole_text
from pitwall_lab.improvement.reply_limits import MOST_RULES, NAME_LENGTH, WHY_LENGTH

_LONGEST_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDraft:
    """A rule as a model wrote it; its condition is not parsed yet."""

    when: str
    action: str
    cooldown_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleDraft:
    """A module as a model wrote it; not checked against any game."""

    name: str
    description: str
    why: str
    ends: str
    rules: tuple[RuleDraft, ...]


def parse_module_draft(text: str) -> ModuleDraft:
    """Return a proposed module.

    Raises:
        BadReply: there is none, or a part of it is missing or unfit.
    """
    reply = read_object(text, invalid=None)
    rules = reply.items("rules")
    if not 1 <= len(rules) <= MOST_RULES:
        raise reply.bad(f"the reply has {len(rules)} rules, not 1 … {MOST_RULES}.")
    return ModuleDraft(
        name=whole_text(reply, "name", NAME_LENGTH),
        description=reply.text("description", most=SITUATION_LENGTH, needed=True),
        why=reply.text("why", most=WHY_LENGTH),
        ends=whole_text(reply, "ends"),
        rules=tuple(_rule(rule) for rule in rules),
    )


def _rule(entry: Any) -> RuleDraft:
    if not isinstance(entry, dict):
        raise BadReply("an entry of 'rules' in the reply is no object.")
    inner = ReplyObject(entry, None)
    return RuleDraft(
        when=whole_text(inner, "when"),
        action=whole_text(inner, "action"),
        cooldown_ms=inner.whole("cooldown_ms", 0, _LONGEST_MS),
    )
