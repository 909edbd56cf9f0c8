"""Grammars that limit what a model writes about a module: reward, rules, labels, a whole module (SPEC §8)."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.actions import ActionForm
from pitwall.core.calls import Purpose
from pitwall.models.grammars.argument_shapes import escaped
from pitwall.models.grammars.by_purpose import ReplyWriter, Shape
from pitwall.models.grammars.gbnf import either, inside_string, one_of_text
from pitwall.models.grammars.shape_parts import (
    STEPS,
    Members,
    Part,
    choice_part,
    either_part,
    object_part,
    share_part,
    text_part,
)
from pitwall.models.replies.plan import MOST_STEPS, SITUATION_LENGTH
from pitwall_lab.improvement.reply_limits import (
    CODE_LINE,
    CODE_LINES,
    CODE_START,
    COOLDOWNS_MS,
    LABEL_LENGTH,
    MOST_CHANGES,
    MOST_EDITS,
    MOST_LABELS,
    MOST_RULES,
    NAME_LENGTH,
    TITLE_LENGTH,
    WHY_LENGTH,
)

_FRACTION = '"." [0-9]{0,2} [1-9]'
_VALUE = f'(("0" | "-"? [1-9] [0-9]{{0,5}}) ({_FRACTION})? | "-0" {_FRACTION})'
_FAR = 999_999


def module_reply_shape(purpose: Purpose, forms: Sequence[ActionForm], fields: Sequence[str]) -> Shape:
    """Return the form of a reply that improves or invents a module.

    Args:
        forms: the game's legal actions. fields: names that a condition may use.
    """
    writer = _ModuleReplyWriter(tuple(forms), tuple(fields))
    return writer.shape(writer.reply(purpose))


class _ModuleReplyWriter(ReplyWriter):
    """Writes the forms of the replies about modules."""

    def reply(self, purpose: Purpose) -> Part:
        """Write the reply to one of the four purposes."""
        if purpose is Purpose.INVENT_MODULE:
            return self._module()
        reason: Members = [("title", text_part(1, TITLE_LENGTH)), ("why", text_part(1, WHY_LENGTH))]
        if purpose is Purpose.IMPROVE_REWARD:
            return object_part([*reason, ("reward", self._code())])
        if purpose is Purpose.IMPROVE_RULES:
            ways = [("changes", self._numbers()), ("edits", self._edits())]
            return either_part([object_part([*reason, way]) for way in ways])
        labels = self.list_part(text_part(1, LABEL_LENGTH), MOST_LABELS)
        return object_part([*reason, ("labels", labels), ("confidence", share_part())])

    def _module(self) -> Part:
        """Write a module of rules: conditions on fields, legal actions, cool-downs, and its end."""
        more = f"{{2,{NAME_LENGTH - 1}}}"
        name = f'"\\"" [a-z] [a-z_]{more} "\\""', {"type": "string", "pattern": f"^[a-z][a-z_]{more}$"}
        rule = [("when", self.condition_part()), ("action", self.action_part()), ("cooldown_ms", _cooldown())]
        head = [
            ("name", name),
            ("description", text_part(1, SITUATION_LENGTH)),
            ("why", text_part(1, WHY_LENGTH)),
        ]
        rules = self.list_part(object_part(rule), MOST_RULES)
        return object_part([*head, ("ends", self.condition_part()), ("rules", rules)])

    def _edits(self) -> Part:
        """Write edits of rules that are counted from 1, and of the end."""
        rule: tuple[str, Part] = ("rule", _place())
        when: tuple[str, Part] = ("when", self.condition_part())
        kinds: list[Members] = [
            [("edit", choice_part(("remove",))), rule],
            [("edit", choice_part(("move",))), rule, ("to", _place())],
            [("edit", choice_part(("when", "also"))), rule, when],
            [("edit", choice_part(("ends",))), when],
        ]
        if self._forms:
            action: tuple[str, Part] = ("action", self.action_part())
            kinds.append([("edit", choice_part(("action",))), rule, action])
            kinds.append([("edit", choice_part(("add",))), rule, when, action, ("cooldown_ms", _cooldown())])
        return self.list_part(either_part([object_part(kind) for kind in kinds]), MOST_EDITS, "edit")

    def _code(self) -> Part:
        """Write a function named reward: lines of printable ASCII without double quotes and backslashes."""
        line = self.rules.add("line", f"{one_of_text()}{{0,{CODE_LINE}}}")
        more = f"{{1,{CODE_LINES - 1}}}"
        gbnf = f'"\\"" {inside_string(CODE_START)} {line} ({inside_string(chr(10))} {line}){more} "\\""'
        matched = rf"[ !#-\[\]-~]{{0,{CODE_LINE}}}"
        pattern = rf"^{escaped(CODE_START)}{matched}(\n{matched}){more}$"
        return gbnf, {"type": "string", "pattern": pattern}

    def _numbers(self) -> Part:
        """Write rules and numbers counted from 1, each with its new value."""
        value = {"type": "number", "minimum": -_FAR, "maximum": _FAR}
        return self.list_part(
            object_part([("rule", _place()), ("number", _place()), ("value", (_VALUE, value))]),
            MOST_CHANGES,
        )


def _cooldown() -> Part:
    """Write one of the usual cooldowns, in milliseconds."""
    return either([f'"{ms}"' for ms in COOLDOWNS_MS]), {"type": "integer", "enum": [*COOLDOWNS_MS]}


def _place() -> Part:
    """Write a place in a list, counted from 1."""
    return STEPS, {"type": "integer", "enum": list(range(1, MOST_STEPS + 1))}
