"""The kinds of entries on the memory page: columns, what can be edited, what fills them. No Qt."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.console.kit import format as words
from pitwall.console.memory.format import age, age_s, field_title, rate, source, tries
from pitwall.core.memories import (
    ActionEdge,
    ActionMemory,
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    Likeness,
    MemoryContent,
    MemoryEntry,
    MemoryKind,
    ProcedureMemory,
    SkillMemory,
    StateNode,
)

Names = Mapping[int, str]
"""Texts of the states that edges name, by entry id."""
EditAs = Literal[
    "line", "text", "actions", "action", "condition", "module", "integer", "number", "choice", "fixed"
]


@dataclass(frozen=True, slots=True)
class EntryColumn:
    """A column of a table.

    Attributes:
        text: what a cell says. order: what the reader sorts by; empty: cannot be sorted.
        field: the content's field that is edited in place; empty: none.
        stretch: takes the room that is left. least_room: the table is at least so wide, or it is left out.
    """

    title: str
    width: int
    text: Callable[[MemoryEntry, Names], str]
    order: str = ""
    number: bool = False
    field: str = ""
    stretch: bool = False
    least_room: int = 0


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a content in the editor.

    Attributes:
        unit: of a number. hint: shown while empty. choices: of a choice.
    """

    name: str
    edit: EditAs
    unit: str = ""
    hint: str = ""
    choices: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return field_title(self.name)


@dataclass(frozen=True, slots=True)
class KindTable:
    """A kind's table.

    Attributes:
        blank: contents of a new entry. says: what stands here and who fills it, while it is empty.
        tried: whether its entries have successes and attempts.
        order: what it is sorted by at first, newest or greatest first.
    """

    kind: MemoryKind
    title: str
    one: str
    columns: tuple[EntryColumn, ...]
    fields: tuple[Field, ...]
    blank: Callable[[], MemoryContent]
    says: str
    tried: bool = False
    order: str = "changed_at"


def _of(name: str) -> Callable[[MemoryEntry, Names], str]:
    def text(entry: MemoryEntry, _: Names) -> str:
        return " ".join(str(getattr(entry.content, name)).split())

    return text


def _state(name: str) -> Callable[[MemoryEntry, Names], str]:
    def text(entry: MemoryEntry, names: Names) -> str:
        number = getattr(entry.content, name)
        if number is None:
            return "not known"
        return names.get(number, f"state {number}")

    return text


def _p(entry: MemoryEntry, _: Names) -> str:
    content: Any = entry.content
    return rate(content.successes, content.attempts)


def _skill_p(entry: MemoryEntry, _: Names) -> str:
    content: Any = entry.content
    return rate(content.successes, content.uses)


def _tries(entry: MemoryEntry, _: Names) -> str:
    content: Any = entry.content
    return tries(content.successes, content.attempts)


def _reward(entry: MemoryEntry, _: Names) -> str:
    content: Any = entry.content
    return f"{content.reward:.2f}"


def _tried_age(entry: MemoryEntry, _: Names) -> str:
    content: Any = entry.content
    return age_s(content.at_s, time.time())


def _run(entry: MemoryEntry, _: Names) -> str:
    content: Any = entry.content
    return f"{content.run_id:,}" if content.run_id is not None else words.NONE


_SUCCESS = EntryColumn("Success", 72, _p, "success_rate", number=True)
_TRIES = EntryColumn("Tries", 84, _tries, "attempts", number=True, least_room=620)
_REWARD = EntryColumn("Reward", 68, _reward, "reward", number=True, field="reward", least_room=780)
_AGE = EntryColumn(
    "Changed",
    88,
    lambda entry, _: age(entry.changed_at, time.time()),
    "changed_at",
    number=True,
    least_room=460,
)
_SOURCE = EntryColumn("Source", 124, lambda entry, _: source(entry.changed_by), "author", least_room=560)
_NUMBER = EntryColumn(
    "No.", 64, lambda entry, _: f"{entry.entry_id}", "entry_id", number=True, least_room=700
)

_COUNTS = (
    Field("successes", "integer", "times"),
    Field("attempts", "integer", "times"),
)

ACTIONS = KindTable(
    MemoryKind.ACTION,
    "SA-MB",
    "item",
    (
        EntryColumn("State", 220, _of("state"), "state", field="state", stretch=True),
        EntryColumn("Action", 140, _of("action"), "action", field="action"),
        _SUCCESS,
        _TRIES,
        _REWARD,
        EntryColumn("Tried", 64, _tried_age, "at_s", number=True, least_room=860),
        _AGE,
        _SOURCE,
    ),
    (
        Field("state", "text", hint="hall shooter left hp 31"),
        Field("action", "action", hint="name, or name(arg=value)"),
        Field("reward", "number", hint="moving average of rewards"),
        *_COUNTS,
        Field("at_s", "fixed"),
        Field("tag", "line", hint="none"),
    ),
    lambda: ActionMemory(state="", action="", at_s=time.time()),
    "What an action did in a state is written here after each action whose outcome is known, and "
    "hinted to the controllers when a like state comes again.",
    tried=True,
)
SKILLS = KindTable(
    MemoryKind.SKILL,
    "Skills",
    "skill",
    (
        EntryColumn("Skill", 156, _of("name"), "name", field="name"),
        EntryColumn("Trigger", 150, _of("when"), "when", field="when", stretch=True),
        EntryColumn("Subgoal", 176, _of("subgoal"), "subgoal", field="subgoal", least_room=840),
        EntryColumn("Status", 84, _of("status"), "status", least_room=720),
        EntryColumn("Success", 72, _skill_p, "success_rate", number=True),
        EntryColumn("Uses", 60, lambda entry, _: f"{_skill(entry).uses:,}", "uses", number=True),
        _AGE,
        _SOURCE,
    ),
    (
        Field("name", "line", hint="a short name"),
        Field("when", "condition", hint="health < 30 and not door_open"),
        Field("situation", "text", hint="when it helps, in words"),
        Field("subgoal", "text", hint="what it is to reach"),
        Field("actions", "actions", hint="one action a line"),
        Field("module", "module", hint="none: the actions act"),
        Field("stop", "condition", hint="none: when the actions are done"),
        Field("priority", "integer"),
        Field("steps", "integer", "steps"),
        Field("cooldown_steps", "integer", "steps"),
        Field("status", "choice", choices=("active", "proposed", "retired")),
        Field("uses", "fixed", "times"),
        Field("successes", "fixed", "times"),
        Field("evidence", "fixed"),
        Field("similar_to", "fixed"),
    ),
    lambda: SkillMemory(name="", when="", subgoal=""),
    "Skills fire by their trigger and make short plans. Discovered ones are proposed in the inbox "
    "after a run; the game's own stay in its folder.",
    tried=True,
)
EPISODES = KindTable(
    MemoryKind.EPISODE,
    "Episodes",
    "episode",
    (
        EntryColumn("Key", 170, _of("key"), "key", field="key"),
        EntryColumn("What the run was like", 260, _of("text"), "text", field="text", stretch=True),
        EntryColumn("Run", 58, _run, "run_id", number=True),
        _AGE,
        _SOURCE,
    ),
    (
        Field("key", "line", hint="as the profile declares it"),
        Field("text", "text", hint="what the run was like, and what to do otherwise"),
        Field("run_id", "fixed"),
    ),
    lambda: EpisodeMemory(key="", text=""),
    "After each run its episode is summed up here, by the key that the game declares, and told in later "
    "prompts as layer L4.",
)
KNOWLEDGE = KindTable(
    MemoryKind.KNOWLEDGE,
    "Knowledge",
    "fact",
    (
        EntryColumn("Heading", 190, _of("heading"), "heading", field="heading"),
        EntryColumn("Text", 260, _of("text"), "text", field="text", stretch=True),
        _AGE,
        _SOURCE,
    ),
    (
        Field("heading", "line", hint="Nukage"),
        Field("text", "text", hint="a fact or a rule of the game"),
    ),
    lambda: KnowledgeMemory(heading="", text=""),
    "Facts and rules of the game, told in prompts as layer L3 beside what the game's folder holds.",
)
NOTES = KindTable(
    MemoryKind.NOTE,
    "Notes",
    "note",
    (
        EntryColumn("About", 92, _of("about"), "about", field="about"),
        EntryColumn("Note", 300, _of("text"), "text", field="text", stretch=True),
        _AGE,
        _SOURCE,
    ),
    (
        Field("about", "choice", choices=("failure", "subgoal", "progress")),
        Field("text", "text", hint="one line that every prompt tells"),
    ),
    lambda: GlobalNote(about="progress", text=""),
    "Global memory: failures, subgoals and progress that outlive the recent steps, one line each.",
)
PROCEDURES = KindTable(
    MemoryKind.PROCEDURE,
    "Procedures",
    "procedure",
    (
        EntryColumn("Action", 180, _of("action"), "action", field="action"),
        EntryColumn(
            "Construction", 260, _of("construction"), "construction", field="construction", stretch=True
        ),
        _SUCCESS,
        _TRIES,
        _AGE,
        _SOURCE,
    ),
    (
        Field("action", "action", hint="name of an action"),
        Field("construction", "text", hint="keys and durations that worked"),
        *_COUNTS,
    ),
    lambda: ProcedureMemory(action="", construction=""),
    "How an action was last constructed so that it worked, looked up by its name.",
    tried=True,
)
NODES = KindTable(
    MemoryKind.NODE,
    "States",
    "state",
    (
        EntryColumn("State", 300, _of("text"), "text", field="text", stretch=True),
        _NUMBER,
        _AGE,
        _SOURCE,
    ),
    (Field("text", "text", hint="the state in words"),),
    lambda: StateNode(text=""),
    "States of the knowledge graph come here when what was done in them succeeded and can be explained.",
)
EDGES = KindTable(
    MemoryKind.EDGE,
    "Edges",
    "edge",
    (
        EntryColumn("From", 180, _state("source"), "source", stretch=True),
        EntryColumn("Action", 150, _of("action"), "action", field="action"),
        EntryColumn("To", 180, _state("target"), "target", least_room=560),
        _SUCCESS,
        _TRIES,
        EntryColumn(
            "Taken", 64, lambda entry, _: f"{_edge(entry).count:,}", "count", number=True, least_room=800
        ),
        _REWARD,
        _AGE,
        _SOURCE,
    ),
    (
        Field("source", "integer", "number of a state"),
        Field("action", "action", hint="name, or name(arg=value)"),
        Field("target", "integer", "number of a state, 0 for not known"),
        Field("count", "integer", "times"),
        Field("reward", "number"),
        *_COUNTS,
    ),
    lambda: ActionEdge(source=0, action=""),
    "Actions from a state, with how often they were taken and what came of it.",
    tried=True,
)
LIKENESSES = KindTable(
    MemoryKind.LIKENESS,
    "Similar",
    "likeness",
    (
        EntryColumn("State", 220, _state("first"), "first", stretch=True),
        EntryColumn("Resembles", 260, _state("second"), "second"),
        EntryColumn("Cosine", 72, lambda entry, _: f"{_likeness(entry).cosine:.3f}", "cosine", number=True),
        _AGE,
        _SOURCE,
    ),
    (
        Field("first", "integer", "number of a state"),
        Field("second", "integer", "number of a state"),
        Field("cosine", "number"),
    ),
    lambda: Likeness(first=0, second=0, cosine=0.9),
    "States whose vectors are close.",
)

TABLES: dict[MemoryKind, KindTable] = {
    table.kind: table
    for table in (ACTIONS, SKILLS, EPISODES, KNOWLEDGE, NOTES, PROCEDURES, NODES, EDGES, LIKENESSES)
}
GRAPH_KINDS = (MemoryKind.NODE, MemoryKind.EDGE, MemoryKind.LIKENESS)


def states_named(entry: MemoryEntry) -> tuple[int, ...]:
    """Numbers of the states that an entry names."""
    match entry.content:
        case ActionEdge(source=begin, target=end):
            return (begin,) if end is None else (begin, end)
        case Likeness(first=first, second=second):
            return (first, second)
        case _:
            return ()


def _skill(entry: MemoryEntry) -> SkillMemory:
    assert isinstance(entry.content, SkillMemory)
    return entry.content


def _edge(entry: MemoryEntry) -> ActionEdge:
    assert isinstance(entry.content, ActionEdge)
    return entry.content


def _likeness(entry: MemoryEntry) -> Likeness:
    assert isinstance(entry.content, Likeness)
    return entry.content
