"""Replies of the evolution tier about game sense modules (SPEC §8): re-validated like every other.

A reward function comes out as text. Nothing here runs it: pitwall_lab.rewards reads it and runs its sandbox.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pitwall.models.replies.reply_object import BadReply, ReplyObject, clean, read_object
from pitwall_lab.improvement.reply_limits import (
    CODE_START,
    EDITS,
    LABEL_LENGTH,
    MOST_CHANGES,
    MOST_EDITS,
    MOST_LABELS,
    TITLE_LENGTH,
    WHY_LENGTH,
)
from pitwall_lab.improvement.rule_edits import EditKind, RuleEdit

_MOST_CODE = 8_000
_LEAST = 0.01
_FAR = 1e15
_LONGEST_MS = 60_000
MOST_CHARACTERS = 400
"""Longest condition or action, in characters."""
_FENCE = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardDraft:
    """A reward function as a model wrote it; not run, not even parsed."""

    title: str
    why: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberChange:
    """Holds the new value of one number of a module's rules, both counted from 1."""

    rule: int
    number: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesDraft:
    """New numbers for a module's rules, or edits of them; of a number given twice the first value counts."""

    title: str
    why: str
    changes: tuple[NumberChange, ...] = ()
    edits: tuple[RuleEdit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsDraft:
    """Holds the labels of a detector, and its least score 0 … 1."""

    title: str
    why: str
    labels: tuple[str, ...]
    confidence: float


def parse_reward_draft(text: str) -> RewardDraft:
    """Return a proposed reward function.

    Raises:
        BadReply: there is none, or it is no text of printable lines.
    """
    reply = read_object(text, invalid=None)
    title, why = _reason(reply)
    source = _unfenced(reply.name("reward"))
    if CODE_START not in source:
        raise reply.bad("the reply holds no function named reward.")
    if len(source) > _MOST_CODE:
        raise reply.bad(f"the reward function of the reply has more than {_MOST_CODE:,} characters.")
    if not all(character.isprintable() or character in "\n\t" for character in source):
        raise reply.bad("the reward function of the reply holds characters that cannot be shown.")
    return RewardDraft(title=title, why=why, source=source.rstrip() + "\n")


def parse_rules_draft(text: str) -> RulesDraft:
    """Return proposed numbers or edits; the caller checks that such rules and numbers exist.

    Raises:
        BadReply: there are none, or one is unfit.
    """
    reply = read_object(text, invalid=None)
    title, why = _reason(reply)
    if reply.has("edits"):
        edits = tuple(_edit(entry) for entry in reply.items("edits")[:MOST_EDITS])
        if not edits:
            raise reply.bad("the reply edits no rule.")
        return RulesDraft(title=title, why=why, edits=edits)
    changes = tuple(_change(entry) for entry in reply.items("changes")[:MOST_CHANGES])
    if not changes:
        raise reply.bad("the reply changes no number.")
    first = {(change.rule, change.number): change for change in reversed(changes)}
    return RulesDraft(title=title, why=why, changes=tuple(reversed(first.values())))


def parse_labels_draft(text: str) -> LabelsDraft:
    """Return proposed labels.

    Raises:
        BadReply: there are none, or the confidence is unfit.
    """
    reply = read_object(text, invalid=None)
    title, why = _reason(reply)
    named = [ReplyObject({"label": label}, None) for label in reply.items("labels")[:MOST_LABELS]]
    labels = dict.fromkeys(label.text("label", most=LABEL_LENGTH, needed=True) for label in named)
    if not labels:
        raise reply.bad("the reply names no label.")
    confidence = reply.number("confidence", 0.0, 1.0)
    return LabelsDraft(title=title, why=why, labels=tuple(labels), confidence=max(_LEAST, confidence))


def _reason(reply: ReplyObject) -> tuple[str, str]:
    return reply.text("title", most=TITLE_LENGTH, needed=True), reply.text("why", most=WHY_LENGTH)


def _change(entry: Any) -> NumberChange:
    if not isinstance(entry, dict):
        raise BadReply("an entry of 'changes' in the reply is no object.")
    inner = ReplyObject(entry, None)
    return NumberChange(
        rule=inner.whole("rule", 1, 999),
        number=inner.whole("number", 1, 999),
        value=inner.number("value", -_FAR, _FAR),
    )


def _edit(entry: Any) -> RuleEdit:
    if not isinstance(entry, dict):
        raise BadReply("an entry of 'edits' in the reply is no object.")
    inner = ReplyObject(entry, None)
    kind: EditKind = inner.choice("edit", EDITS)  # type: ignore[assignment]
    return RuleEdit(
        edit=kind,
        rule=0 if kind == "ends" else inner.whole("rule", 1, 999),
        to=inner.whole("to", 1, 999) if kind == "move" else 0,
        when=whole_text(inner, "when") if kind in ("add", "when", "also", "ends") else "",
        action=whole_text(inner, "action") if kind in ("add", "action") else "",
        cooldown_ms=inner.whole("cooldown_ms", 0, _LONGEST_MS) if kind == "add" else 0,
    )


def whole_text(reply: ReplyObject, name: str, most: int = MOST_CHARACTERS) -> str:
    """Return a text that has a meaning as a whole: it is never cut, and never mended."""
    text = reply.name(name)
    if not text or len(text) > most or text != clean(text, most):
        raise reply.bad(f"{name!r} in the reply is not one line of 1 … {most} characters.")
    return text


def _unfenced(code: str) -> str:
    code = code.strip("\n")
    if code.startswith(_FENCE):
        code = code.partition("\n")[2].rpartition(_FENCE)[0]
    return code
