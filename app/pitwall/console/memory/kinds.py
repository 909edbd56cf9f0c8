"""The kinds of entries on the memory page: columns, what can be edited, what fills them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.table.model import Column
from pitwall.console.kit.theme import TEXT_PX
from pitwall.console.memory import fields
from pitwall.console.memory.format import (
    field_title,
    kind_of,
    rate,
    source,
    tries,
)
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import (
    ActionEdge,
    ActionMemory,
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    Likeness,
    MemoryContent,
    ProcedureMemory,
    SkillMemory,
    StateNode,
)
from pitwall.core.quantities import NONE, age, seconds_since


@dataclass(frozen=True, slots=True)
class EntryColumn(Column[MemoryEntry]):
    """A column of a kind's table.

    Attributes:
        order: what the reader sorts by; empty: cannot be sorted.
        edits: the content's field that is edited in place; empty: none.
        state: the content's field that names a state, whose words are shown; empty: none.
    """

    order: str = ""
    edits: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class KindTable:
    """A kind's table.

    Attributes:
        fields: every field of its contents, in the order of the form.
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

    @property
    def many(self) -> str:
        """Return the plural of a kind's name."""
        return self.one + ("es" if self.one.endswith("ss") else "s")


# ---- columns


def _words(title: str, name: str, width: int = 0, **more: Any) -> EntryColumn:
    """A column of a content's text, edited in place."""

    def text(entry: MemoryEntry) -> str:
        return fields.one_line(str(getattr(entry.content, name)))

    return EntryColumn(title, text, px=TEXT_PX, width=width, order=name, **{"edits": name, **more})


def _figure(
    title: str, width: int, text: Callable[[Any], str], order: str, least_room: int = 0, **more: Any
) -> EntryColumn:
    """A column of a figure of the content."""
    return EntryColumn(
        title,
        lambda entry: text(entry.content),
        number=True,
        px=TEXT_PX,
        width=width,
        order=order,
        least_room=least_room,
        **more,
    )


def _state(title: str, name: str, **more: Any) -> EntryColumn:
    """A column of the words of a state that the content names."""

    def number(entry: MemoryEntry) -> str:
        found = getattr(entry.content, name)
        return f"state {found}" if found is not None else "not known"

    return EntryColumn(title, number, px=TEXT_PX, order=name, state=name, **more)


def _quiet(
    title: str,
    width: int,
    text: Callable[[MemoryEntry], str],
    order: str,
    least_room: int,
    *,
    number: bool = True,
) -> EntryColumn:
    """A column of what is seldom looked at, where there is room."""
    return EntryColumn(
        title, text, number=number, tone="dim", width=width, order=order, least_room=least_room
    )


_SUCCESS = _figure("Success", 72, lambda one: rate(one.successes, one.attempts), "success_rate")
_TRIES = _figure("Tries", 84, lambda one: tries(one.successes, one.attempts), "attempts", 620)
_REWARD = _figure("Reward", 68, lambda one: f"{one.reward:.2f}", "reward", 780, edits="reward")
_AGE = _quiet("Changed", 88, lambda entry: age(seconds_since(entry.changed_at)), "changed_at", 460)
_SOURCE = _quiet("Source", 124, lambda entry: source(entry.changed_by), "author", 560, number=False)
_NUMBER = _quiet("No.", 64, lambda entry: f"{entry.entry_id}", "entry_id", 700)
_TRIED = _quiet(
    "Tried", 64, lambda entry: age(seconds_since(getattr(entry.content, "at_s", 0.0))), "at_s", 860
)


# ---- kinds

_ACTION = fields.line("action", "name, or name(arg=value)")
_COUNTS = (fields.number("successes"), fields.number("attempts"))

ACTIONS = KindTable(
    MemoryKind.ACTION,
    "Actions",
    "action",
    (
        _words("State", "state", stretch=1),
        _words("Action", "action", 140),
        _SUCCESS,
        _TRIES,
        _REWARD,
        _TRIED,
        _AGE,
        _SOURCE,
    ),
    (
        fields.text("state", "hall shooter left hp 31"),
        _ACTION,
        fields.measure("reward", "moving average of rewards"),
        *_COUNTS,
        fields.fixed("at_s"),
        fields.line("tag", "none"),
    ),
    lambda: ActionMemory(state="", action="", at_s=time.time()),
    "State-action memory bank (SA-MB): what an action did in a state is written here once its outcome is "
    "known, and hinted to the controllers when a like state comes again.",
    tried=True,
)
SKILLS = KindTable(
    MemoryKind.SKILL,
    "Skills",
    "skill",
    (
        _words("Skill", "name", 156),
        _words("Trigger", "when", stretch=1),
        _words("Subgoal", "subgoal", 176, least_room=840),
        _words("Status", "status", 84, edits="", least_room=720),
        _figure("Success", 72, lambda one: rate(one.successes, one.uses), "success_rate"),
        _figure("Uses", 60, lambda one: f"{one.uses:,}", "uses"),
        _AGE,
        _SOURCE,
    ),
    (
        fields.line("name", "a short name"),
        fields.condition("when", "health < 30 and not door_open"),
        fields.text("situation", "when it helps, in words"),
        fields.text("subgoal", "what it is to reach"),
        Field(
            key="actions",
            label="Actions",
            kind="code",
            hint="one action a line",
            read=fields.action_lines,
            write="\n".join,
        ),
        fields.line("module", "none: the actions act"),
        fields.condition("stop", "none: when the actions are done"),
        fields.number("priority"),
        fields.number("steps"),
        fields.number("cooldown_steps", "steps"),
        fields.choice("status", "active", "proposed", "retired"),
        fields.fixed("uses"),
        fields.fixed("successes"),
        fields.fixed("evidence"),
        fields.fixed("similar_to"),
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
        _words("Key", "key", 170),
        _words("What the run was like", "text", stretch=1),
        _figure("Run", 58, lambda one: f"{one.run_id:,}" if one.run_id is not None else NONE, "run_id"),
        _AGE,
        _SOURCE,
    ),
    (
        fields.line("key", "as the profile declares it"),
        fields.text("text", "what the run was like, and what to do otherwise"),
        fields.fixed("run_id"),
    ),
    lambda: EpisodeMemory(key="", text=""),
    "After each run its episode is summed up here, by the key that the game declares, and told in later "
    "prompts as layer L4.",
)
KNOWLEDGE = KindTable(
    MemoryKind.KNOWLEDGE,
    "Knowledge",
    "fact",
    (_words("Heading", "heading", 190), _words("Text", "text", stretch=1), _AGE, _SOURCE),
    (fields.line("heading", "Nukage"), fields.text("text", "a fact or a rule of the game")),
    lambda: KnowledgeMemory(heading="", text=""),
    "Facts and rules of the game, told in prompts as layer L3 beside what the game's folder holds.",
)
NOTES = KindTable(
    MemoryKind.NOTE,
    "Notes",
    "note",
    (_words("About", "about", 92), _words("Note", "text", stretch=1), _AGE, _SOURCE),
    (
        fields.choice("about", "failure", "subgoal", "progress"),
        fields.text("text", "one line that every prompt tells"),
    ),
    lambda: GlobalNote(about="progress", text=""),
    "Global memory: failures, subgoals and progress that outlive the recent steps, one line each.",
)
PROCEDURES = KindTable(
    MemoryKind.PROCEDURE,
    "Procedures",
    "procedure",
    (
        _words("Action", "action", 180),
        _words("Construction", "construction", stretch=1),
        _SUCCESS,
        _TRIES,
        _AGE,
        _SOURCE,
    ),
    (
        fields.line("action", "name of an action"),
        fields.text("construction", "keys and durations that worked"),
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
    (_words("State", "text", stretch=1), _NUMBER, _AGE, _SOURCE),
    (fields.text("text", "the state in words"),),
    lambda: StateNode(text=""),
    "States of the knowledge graph come here when what was done in them succeeded and can be explained.",
)
EDGES = KindTable(
    MemoryKind.EDGE,
    "Edges",
    "edge",
    (
        _state("From", "source", stretch=1),
        _words("Action", "action", 150),
        _state("To", "target", stretch=1, least_room=560),
        _SUCCESS,
        _TRIES,
        _figure("Taken", 64, lambda one: f"{one.count:,}", "count", 800),
        _REWARD,
        _AGE,
        _SOURCE,
    ),
    (
        fields.number("source", hint="number of a state"),
        _ACTION,
        Field(
            key="target",
            label=field_title("target"),
            help="Number of a state; 0 where it is not known.",
            read=lambda text: fields.whole_number(text) or None,
            write=lambda value: str(value or 0),
        ),
        fields.number("count"),
        fields.measure("reward"),
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
        _state("State", "first", stretch=1),
        _state("Resembles", "second", stretch=1),
        _figure("Cosine", 72, lambda one: f"{one.cosine:.3f}", "cosine"),
        _AGE,
        _SOURCE,
    ),
    (
        fields.number("first", hint="number of a state"),
        fields.number("second", hint="number of a state"),
        fields.measure("cosine"),
    ),
    lambda: Likeness(first=0, second=0, cosine=0.9),
    "States whose vectors are close.",
)

TABLES: dict[MemoryKind, KindTable] = {
    table.kind: table
    for table in (ACTIONS, SKILLS, EPISODES, KNOWLEDGE, NOTES, PROCEDURES, NODES, EDGES, LIKENESSES)
}
GRAPH_KINDS = (MemoryKind.NODE, MemoryKind.EDGE, MemoryKind.LIKENESS)


def field_of(content: MemoryContent, name: str) -> Field:
    """Return the field of a content by its name."""
    return next(one for one in TABLES[kind_of(content)].fields if one.key == name)


def text_of(content: MemoryContent, name: str) -> str:
    """Write a content's field as it is typed."""
    write, value = field_of(content, name).write, getattr(content, name)
    return write(value) if write is not None else str(value)


def with_text(content: MemoryContent, name: str, text: str) -> MemoryContent:
    """Return the content with one field as it was typed.

    Raises:
        ValueError: it is no such value; its text says why.
    """
    read = field_of(content, name).read
    values: dict[str, Any] = {name: read(text) if read is not None else text}
    return replace(content, **values)
