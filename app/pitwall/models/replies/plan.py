"""Models' replies, re-validated: a grammar constrains local models only, and no reply is believed.

What the functions return holds legal actions, known modules, conditions that parse, and clean text of
bounded length, whatever was written. SPIKE's replies (SPEC §2) stand here, those of GameSense's stages
in `stage_replies`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pitwall.core.actions import ActionForm, Invalid, SemanticAction
from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError, IllegalAction
from pitwall.core.signals import Failure
from pitwall.models.replies.reply_object import BadReply as BadReply
from pitwall.models.replies.reply_object import ReplyObject, clean, read_object

MOST_ACTIONS = 5
"""Candidates of one plan (SPEC §8)."""
MOST_STEPS = 99
SITUATION_LENGTH, SUBGOAL_LENGTH, REASON_LENGTH, STOP_LENGTH, TEXT_LENGTH = 160, 80, 120, 240, 700
_EXAMINED = 4 * MOST_ACTIONS
"""Entries of an action list that are looked at; more are no plan."""
_ACTION_LENGTH = 200
_DEFAULT_STEPS = 8
_NAMES, _ARGUMENTS = ("action", "name", "type", "function"), ("arguments", "args", "parameters")
"""Keys under which a model that writes an action as an object names it, and its arguments."""
_STOP = re.compile(
    r"""(?:\s*(?:[A-Za-z_]\w*|\d+(?:\.\d+)?(?![\w.])|'[^'\\]*'|"[^"\\]*"|[<>=!]=|[<>()+*/%,-]))*\s*""",
    re.ASCII,
)


class LegalActions(Protocol):
    """Tells which actions are legal; `games.actions.vocabulary.Vocabulary` is one."""

    def parse(self, text: str) -> SemanticAction:
        """Return the action that a text names.

        Raises:
            IllegalAction: it is unknown, or outside the role's controls.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDraft:
    """A plan as a model wrote it, without its illegal parts.

    Attributes:
        skill: name of a stored skill to carry out unchanged; the other fields are empty then.
        keep: the plan in force goes on; the other fields are empty then.
        actions: legal, best first; empty together with a module.
        stop: parses and names known fields only; empty if the written condition did not.
        proposed: actions and modules that it named; of these `illegal` were not legal.
        notes: which parts were left out and why, for the operator.
    """

    situation: str = ""
    subgoal: str = ""
    skill: str = ""
    keep: bool = False
    actions: tuple[SemanticAction, ...] = ()
    module: str = ""
    stop: str = ""
    steps: int = _DEFAULT_STEPS
    proposed: int = 0
    illegal: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """Holds one legal action, or (action None) an escalation with its reason."""

    action: SemanticAction | None
    reason: str = ""

    @property
    def escalate(self) -> bool:
        return self.action is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """Holds the findings of self reflection.

    Attributes:
        effect: the last action took effect.
        cause: likely cause of the failure, empty for none. next: the next thing to do, in words.
        done: the subgoal is reached.
        confidence: 0 … 1.
    """

    effect: bool
    cause: str
    next: str
    done: bool
    failure: Failure
    confidence: float


def parse_plan(
    text: str,
    space: LegalActions,
    *,
    fields: Collection[str],
    modules: Collection[str] = (),
    skills: Collection[str] = (),
    keeps: bool = False,
    writes: bool = True,
    most_actions: int = MOST_ACTIONS,
) -> PlanDraft:
    """Return a plan: a stored skill by name, the plan in force again, or one that is written out.

    Illegal candidates are left out and counted; an unusable stop condition is left out.

    Args:
        fields: names that the stop condition may use; `status` is always allowed.
        skills: names of the stored skills that can be carried out now.
        keeps: there is a plan in force. writes: a plan may be written out.

    Raises:
        BadReply: no readable plan (NO_CALL), or nothing legal in it (OUT_OF_SPACE).
    """
    reply = read_object(text, invalid=Invalid.NO_CALL)
    short = _short_plan(reply, skills, keeps)
    if short is not None:
        return short
    if not writes:
        raise illegal_action(["no plan can be written out now, only a skill be named."], 1, 1)
    subgoal = reply.text("subgoal", most=SUBGOAL_LENGTH, needed=True)
    module = reply.name("module")
    listed = listed_actions(reply, bool(module))
    legal, notes = legal_actions(listed, space)
    known = module in modules
    proposed, illegal = len(listed) + bool(module), len(notes) + (bool(module) and not known)
    if module and not known:
        notes.append(f"there is no module {module[:60]!r}.")
    if not legal and not known:
        raise illegal_action(notes, proposed, illegal)
    stop, note = usable_stop(reply, fields)
    return PlanDraft(
        situation=reply.text("situation", most=SITUATION_LENGTH),
        subgoal=subgoal,
        actions=() if known else tuple(legal[:most_actions]),
        module=module if known else "",
        stop=stop,
        steps=usable_steps(reply),
        proposed=proposed,
        illegal=illegal,
        notes=(*notes, *note),
    )


def parse_reaction(
    text: str,
    space: LegalActions,
    *,
    candidates: Sequence[SemanticAction] | None = None,
    alone: bool = False,
) -> Reaction:
    """Return exactly one legal action, or an escalation.

    Args:
        candidates: only these may be taken (no override); None: every legal action.
        alone: there is no planner, so an escalation is not a valid reply.

    Raises:
        BadReply: neither or both (NO_CALL), or an illegal action (OUT_OF_SPACE).
    """
    reply = read_object(text, invalid=Invalid.NO_CALL)
    if alone and not reply.has("action"):
        raise reply.bad("the reply must hold an action: no planner is there to escalate to.")
    if reply.has("action") == reply.has("escalate"):
        raise reply.bad("the reply must hold either an action or an escalation.")
    if reply.has("escalate"):
        return Reaction(action=None, reason=reply.text("escalate", most=REASON_LENGTH, needed=True))
    written = reply.value("action")
    try:
        text = action_text(written) if isinstance(written, dict | list) else reply.name("action")
    except IllegalAction:
        text = reply.name("action")
    return called_action(text, space, candidates)


def called_action(
    text: str, space: LegalActions, candidates: Sequence[SemanticAction] | None = None
) -> Reaction:
    """Return the legal action that a call names.

    Raises:
        BadReply: it is illegal, or not among the candidates (OUT_OF_SPACE).
    """
    try:
        action = legal_action(text, space)
    except IllegalAction as error:
        raise illegal_action([error.what], 1, 1) from None
    if candidates is not None and action not in candidates:
        raise illegal_action([f"{str(action)[:80]!r} is not among the plan's candidates."], 1, 1)
    return Reaction(action=action)


def parse_reflection(text: str) -> Reflection:
    """Parse the findings of self reflection.

    Raises:
        BadReply: the reply contains none.
    """
    reply = read_object(text, invalid=None)
    return Reflection(
        effect=reply.truth("effect"),
        cause=reply.text("cause", most=SITUATION_LENGTH),
        next=reply.text("next", most=SITUATION_LENGTH),
        done=reply.truth("done"),
        failure=Failure(reply.whole("failure", 0, 3)),
        confidence=reply.number("confidence", 0.0, 1.0),
    )


def parse_text(text: str, *, most: int = TEXT_LENGTH) -> str:
    """Return a description, an inference or a summary: the reply's "text", cut to `most` characters.

    Raises:
        BadReply: the reply contains none.
    """
    return read_object(text, invalid=None).text("text", most=most, needed=True)


# ---- parts


def _short_plan(reply: ReplyObject, skills: Collection[str], keeps: bool) -> PlanDraft | None:
    """Return a skill by its name, or the plan in force; None if the plan is written out."""
    written = reply.has("actions") or reply.has("module")
    name = reply.name("skill")
    if name in skills:
        return PlanDraft(skill=name, proposed=1)
    if name and not written:
        raise illegal_action([f"no skill {name[:60]!r} can be carried out now."], 1, 1)
    if not reply.has("keep") or written:
        return None
    if not reply.truth("keep") or not keeps:
        raise reply.bad("there is no plan in force to keep.")
    return PlanDraft(keep=True)


def legal_action(text: str, space: LegalActions) -> SemanticAction:
    """Return the action that a model's text names.

    Letters that only resemble, or only fold to, those of a legal action do not count: beyond ASCII
    the text must be the action's own, letter for letter.

    Raises:
        IllegalAction: it is unknown, illegal, or too long.
    """
    if len(text) > _ACTION_LENGTH:
        raise IllegalAction(f"{text[:60]!r}… is too long for an action.")
    action = space.parse(text)
    if not text.isascii() and str(action) != text.strip():
        raise IllegalAction(f"{text[:80]!r} is not written as the action is.")
    return action


def legal_actions(listed: Sequence[Any], space: LegalActions) -> tuple[list[SemanticAction], list[str]]:
    """Return the legal actions of a list, and a note for each illegal entry."""
    legal: list[SemanticAction] = []
    notes: list[str] = []
    for entry in listed:
        try:
            legal.append(legal_action(action_text(entry), space))
        except IllegalAction as error:
            notes.append(error.what)
    return legal, notes


def action_text(entry: Any) -> str:
    """Return an action of a reply as text; an object or list that names one becomes a call.

    Raises:
        IllegalAction: it names no action.
    """
    if isinstance(entry, str):
        return entry
    if isinstance(entry, list) and len(entry) > 1 and isinstance(entry[0], str):
        return f"{entry[0]}({', '.join(map(str, entry[1:]))})"
    values = dict(entry) if isinstance(entry, dict) else {}
    name = next((values.pop(key) for key in _NAMES if isinstance(values.get(key), str)), "")
    for key in _ARGUMENTS:
        values |= values.pop(key) if isinstance(values.get(key), dict) else {}
    if not name:
        raise IllegalAction(f"an action is written as {type(entry).__name__}, not as text.")
    return f"{name}({', '.join(f'{key}={value}' for key, value in values.items())})" if values else name


def listed_actions(reply: ReplyObject, module: bool) -> list[Any]:
    listed = reply.items("actions")
    if not listed and not module:
        raise reply.bad("the reply names no action.")
    if len(listed) > _EXAMINED:
        raise reply.bad(f"the reply lists {len(listed)} actions; a plan has at most {MOST_ACTIONS}.")
    return listed


def entry_of(entry: Any, invalid: Invalid | None) -> ReplyObject:
    if not isinstance(entry, dict):
        raise BadReply("an entry of 'actions' in the reply is no object.", invalid=invalid)
    return ReplyObject(entry, invalid)


def usable_stop(reply: ReplyObject, fields: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the stop condition, or none and a note."""
    return usable_condition(reply, "stop", fields)


def usable_condition(reply: ReplyObject, name: str, fields: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the condition under this name, or none and a note."""
    text = reply.text(name, most=STOP_LENGTH + 1)
    if not text:
        return "", ()
    if len(text) > STOP_LENGTH or not text.isascii() or _STOP.fullmatch(text) is None:
        return "", (f"the {name} condition {text[:60]!r} is not valid.",)
    try:
        condition = parse_condition(text, frozenset(fields) | {"status"})
    except ConditionError as error:
        return "", (error.what,)
    if not condition.fields:
        return "", (f"the {name} condition {text[:60]!r} looks at no field.",)
    return text, ()


def usable_steps(reply: ReplyObject) -> int:
    """Return the limit of steps; a missing or unfit number becomes the default, others are clamped."""
    try:
        return max(1, min(MOST_STEPS, round(reply.number("steps", -1e9, 1e9))))
    except BadReply:
        return _DEFAULT_STEPS


def illegal_action(notes: Sequence[str], proposed: int, illegal: int) -> BadReply:
    reason = clean(" ".join(notes), 200) or "the reply names no legal action."
    return BadReply(reason, invalid=Invalid.OUT_OF_SPACE, proposed=proposed, illegal=illegal)


_ASKS = "a new plan is needed"


def plan_options(skills: Iterable[str], *, keeps: bool) -> tuple[str, ...]:
    """Return the replies that name a stored skill or keep the plan; none if a plan must be written."""
    kept = [_written("keep", True)] if keeps else []
    return (*(_written("skill", name) for name in skills), *kept)


def reaction_options(
    forms: Sequence[ActionForm], candidates: Sequence[SemanticAction] | None, *, alone: bool
) -> tuple[str, ...]:
    """Return the replies that name an action or ask for a plan; none if arguments must be written.

    Args:
        candidates: only these may be taken; None: every legal action. alone: there is no planner to ask.
    """
    if candidates is None and any(form.arguments for form in forms):
        return ()
    names = [form.name for form in forms] if candidates is None else dict.fromkeys(map(str, candidates))
    asks = [] if alone else [_written("escalate", _ASKS)]
    return (*(_written("action", name) for name in names), *asks)


def _written(key: str, value: object) -> str:
    return json.dumps({key: value}, separators=(",", ":"))
