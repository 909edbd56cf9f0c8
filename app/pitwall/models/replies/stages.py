"""Replies of GameSense's seven stages (SPEC §8), re-validated as all replies are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from pitwall.core.actions import Invalid, SemanticAction
from pitwall.models.replies.plan import (
    MOST_ACTIONS,
    REASON_LENGTH,
    SITUATION_LENGTH,
    SUBGOAL_LENGTH,
    TEXT_LENGTH,
    LegalActions,
    entry_of,
    illegal_action,
    legal_actions,
    listed_actions,
    usable_steps,
    usable_stop,
)
from pitwall.models.replies.reply_object import read_object

LEVELS: tuple[Literal["none", "task", "plan", "execution"], ...] = ("none", "task", "plan", "execution")
"""Where a task may have gone wrong: its design, its plan of actions, their execution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenAnalysis:
    """The state of the screen: play, or an interface (a menu, a dialogue, an inventory)."""

    screen: Literal["gameplay", "interface"]
    observation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReflection:
    """Holds the outcome of the previous task, and at which level it went wrong."""

    done: bool
    evidence: str
    level: Literal["none", "task", "plan", "execution"]
    issue: str
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReflection:
    """The lesson of one action's design; kept in procedural memory under the action's name."""

    action: str
    worked: bool
    lesson: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlan:
    """The next task. `stop` is its success criterion as a condition, empty where none was usable."""

    situation: str
    goal: str
    needs: str
    stop: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAction:
    """An action by name, and its purpose."""

    action: str
    aim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPlan:
    """At most five actions by name; or a module that drives instead."""

    actions: tuple[PlannedAction, ...]
    module: str = ""
    proposed: int = 0
    illegal: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction:
    """The planned actions with their arguments: keys and durations follow from these."""

    actions: tuple[SemanticAction, ...]
    steps: int
    proposed: int
    illegal: int


def parse_screen(text: str) -> ScreenAnalysis:
    """Return the screen analysis.

    Raises:
        BadReply: there is none.
    """
    reply = read_object(text, invalid=None)
    screen = reply.choice("screen", ("gameplay", "interface"))
    observation = reply.text("observation", most=TEXT_LENGTH, needed=True)
    return ScreenAnalysis(
        screen="interface" if screen == "interface" else "gameplay", observation=observation
    )


def parse_task_reflection(text: str) -> TaskReflection:
    """Parse the outcome of the previous task.

    Raises:
        BadReply: there is no such reflection.
    """
    reply = read_object(text, invalid=None)
    level = reply.choice("level", LEVELS)
    return TaskReflection(
        done=reply.truth("done"),
        evidence=reply.text("evidence", most=SITUATION_LENGTH),
        level=next(known for known in LEVELS if known == level),
        issue=reply.text("issue", most=SITUATION_LENGTH),
        next=reply.text("next", most=SITUATION_LENGTH),
    )


def parse_action_reflections(text: str, names: Collection[str]) -> tuple[ActionReflection, ...]:
    """Parse the lessons of the last actions; entries about unknown actions are left out.

    Args:
        names: names of the legal actions.

    Raises:
        BadReply: there is no list of reflections.
    """
    reply = read_object(text, invalid=None)
    drafts = []
    for entry in reply.items("actions")[:MOST_ACTIONS]:
        inner = entry_of(entry, None)
        if isinstance(entry.get("action"), str) and entry["action"] in names:
            drafts.append(
                ActionReflection(
                    action=entry["action"],
                    worked=inner.truth("worked"),
                    lesson=inner.text("lesson", most=SITUATION_LENGTH),
                )
            )
    return tuple(drafts)


def parse_task_plan(text: str, *, fields: Collection[str]) -> TaskPlan:
    """Return the next task.

    Raises:
        BadReply: there is none.
    """
    reply = read_object(text, invalid=None)
    stop, _ = usable_stop(reply, fields)
    return TaskPlan(
        situation=reply.text("situation", most=SITUATION_LENGTH),
        goal=reply.text("goal", most=SUBGOAL_LENGTH, needed=True),
        needs=reply.text("needs", most=SITUATION_LENGTH),
        stop=stop,
    )


def parse_action_plan(
    text: str, names: Collection[str], *, modules: Collection[str] = (), most_actions: int = MOST_ACTIONS
) -> ActionPlan:
    """Return actions by name, in order.

    Args:
        names: names of the legal actions.

    Raises:
        BadReply: no readable plan (NO_CALL), or nothing legal in it (OUT_OF_SPACE).
    """
    reply = read_object(text, invalid=Invalid.NO_CALL)
    module = reply.name("module")
    listed = listed_actions(reply, bool(module))
    legal: list[PlannedAction] = []
    notes: list[str] = []
    for entry in listed:
        inner = entry_of(entry, Invalid.NO_CALL)
        name = entry.get("action")
        if isinstance(name, str) and name in names:
            legal.append(PlannedAction(action=name, aim=inner.text("aim", most=REASON_LENGTH)))
        else:
            notes.append(f"there is no action {str(name)[:80]!r}.")
    known = module in modules
    proposed, illegal = len(listed) + bool(module), len(notes) + (bool(module) and not known)
    if not legal and not known:
        raise illegal_action(notes, proposed, illegal)
    actions = () if known else tuple(legal[:most_actions])
    return ActionPlan(actions=actions, module=module if known else "", proposed=proposed, illegal=illegal)


def parse_construction(text: str, space: LegalActions, *, most_actions: int = MOST_ACTIONS) -> Construction:
    """Return the planned actions with their arguments.

    Raises:
        BadReply: no readable reply (NO_CALL), or nothing legal in it (OUT_OF_SPACE).
    """
    reply = read_object(text, invalid=Invalid.NO_CALL)
    listed = listed_actions(reply, False)
    legal, notes = legal_actions(listed, space)
    if not legal:
        raise illegal_action(notes, len(listed), len(notes))
    return Construction(
        actions=tuple(legal[:most_actions]),
        steps=usable_steps(reply),
        proposed=len(listed),
        illegal=len(notes),
    )
