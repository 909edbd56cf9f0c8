"""Replies of the evolution tier about skills (SPEC §4): re-validated like every other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pitwall.core.actions import Invalid
from pitwall.models.replies.plan import (
    MOST_ACTIONS,
    REASON_LENGTH,
    SITUATION_LENGTH,
    SUBGOAL_LENGTH,
    LegalActions,
    illegal_action,
    legal_actions,
    listed_actions,
    usable_condition,
    usable_steps,
)
from pitwall.models.replies.reply_object import read_object


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDraft:
    """A skill as a model wrote it, without its illegal parts.

    Attributes:
        when: the trigger; parses and names known fields only.
        actions: texts of legal actions, in turn; empty together with a module.
        stop: parses likewise; empty if the written condition did not.
        notes: which parts were left out and why, for the operator.
    """

    name: str
    when: str
    subgoal: str
    situation: str = ""
    actions: tuple[str, ...] = ()
    module: str = ""
    stop: str = ""
    steps: int = 8
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict: whether two skills are the same, and why."""

    same: bool
    why: str


def parse_skill(
    text: str,
    space: LegalActions,
    *,
    fields: Collection[str],
    modules: Collection[str] = (),
    most_actions: int = MOST_ACTIONS,
) -> SkillDraft:
    """Return a proposed skill.

    Args:
        fields: names that its conditions may use; `status` is always allowed.

    Raises:
        BadReply: no readable skill or no usable trigger (NO_CALL), or nothing legal in it (OUT_OF_SPACE).
    """
    reply = read_object(text, invalid=Invalid.NO_CALL)
    name = reply.text("name", most=SUBGOAL_LENGTH, needed=True)
    when, fault = usable_condition(reply, "when", fields)
    if not when:
        raise reply.bad(fault[0] if fault else "the skill has no trigger.")
    module = reply.name("module")
    listed = listed_actions(reply, bool(module))
    legal, notes = legal_actions(listed, space)
    known = module in modules
    if module and not known:
        notes.append(f"there is no module {module[:60]!r}.")
    if not legal and not known:
        raise illegal_action(notes, len(listed) + bool(module), len(notes))
    stop, unfit = usable_condition(reply, "stop", fields)
    return SkillDraft(
        name=name,
        when=when,
        subgoal=reply.text("subgoal", most=SUBGOAL_LENGTH, needed=True),
        situation=reply.text("situation", most=SITUATION_LENGTH),
        actions=() if known else tuple(str(action) for action in legal[:most_actions]),
        module=module if known else "",
        stop=stop,
        steps=usable_steps(reply),
        notes=(*notes, *unfit),
    )


def parse_judgement(text: str) -> Judgement:
    """Return a judge's word.

    Raises:
        BadReply: there is none.
    """
    reply = read_object(text, invalid=None)
    return Judgement(same=reply.truth("same"), why=reply.text("why", most=REASON_LENGTH))
