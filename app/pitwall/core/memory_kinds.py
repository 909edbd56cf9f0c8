"""The kinds of memory entries: one pydantic model each, whose fields declare all that is known of them.

A new field is declared here, with its bounds, its words, and its place in tables. One that the database shall
sort or search by also needs a column (`About.column`). A new kind also needs a member of `MemoryKind` and
a reader: `memory/retrieval/` or `memory/prompt/memory_entries.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal, get_args

from pydantic import Field
from pydantic.dataclasses import dataclass

from pitwall.core.memory_fields import (
    TEXT_LENGTH,
    About,
    Cell,
    KindFacts,
    MemoryField,
    MemoryModel,
    declared_fields,
)


def _action(hint: str, width: int) -> About:
    cell = Cell("Action", width)
    return About("Action", hint, expected="an action", term="action", column="action", cell=cell)


def _text(
    hint: str, heading: str, quoted: int = 0, *, label: str = "Text", expected: str = "a text"
) -> About:
    cell = Cell(heading)
    return About(label, hint, expected=expected, longest=TEXT_LENGTH, quoted=quoted, cell=cell)


def _state_number(label: str, column: str, heading: str, least_room: int = 0, help: str = "") -> About:
    return About(
        label,
        "" if help else "number of a state",
        help,
        least=1,
        column=column,
        refers_to="node",
        cell=Cell(heading, least_room=least_room, edited=False),
    )


_Reward = Annotated[
    float,
    About(
        "Reward average",
        "moving average of rewards",
        least=-1e9,
        most=1e9,
        column="reward",
        cell=Cell("Reward", 68, 780),
    ),
]
_Successes = Annotated[
    int, About("Successes", tries="attempts", column="successes", cell=Cell("Success", 72))
]
_Attempts = Annotated[int, About("Attempts", column="attempts", cell=Cell("Tries", 84, 620, shows="tries"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionMemory(MemoryModel):
    """SA-MB: the outcome of an action, or of a short sequence of actions, in states like this one.

    The state is normalised: lower case, no punctuation, single blanks. The reward is a moving average:
    0.7 of the old value and 0.3 of the newest reward.
    """

    facts = KindFacts(
        "Actions",
        "action",
        "State-action memory bank (SA-MB). An action is stored here with its state once its outcome is "
        "known; in similar states the controllers get it as a hint.",
        headline="state",
        tells_state=True,
        same_by=("state", "action", "tag"),
    )
    kind: Literal["action"] = "action"
    state: Annotated[
        str, _text("hall shooter left hp 31", "State", label="State", expected="the state it was done in")
    ]
    action: Annotated[str, _action("name, or name(arg=value)", 140)]
    successes: _Successes = 0
    attempts: _Attempts = 0
    reward: _Reward = 0.0
    at_s: Annotated[
        float,
        About(
            "Last tried",
            most=1e11,
            column="at_s",
            moment=True,
            fixed=True,
            cell=Cell("Tried", 64, 860, edited=False),
        ),
    ] = 0.0
    tag: Annotated[str, About("Source tag", "none", column="facet")] = ""

    @property
    def words(self) -> str:
        return f"{self.state} → {self.action}"

    @property
    def figures(self) -> str:
        return f"{self.action} · reward {self.reward:.2f} · {self.successes} of {self.attempts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateNode(MemoryModel):
    """SA-KG: a state. Its vectors are kept in a table of their own, one for each embedder."""

    facts = KindFacts(
        "States",
        "state",
        "States of the knowledge graph. A state is stored when an action in it succeeded and the "
        "success can be explained.",
        headline="text",
        tells_state=True,
        numbered=True,
    )
    kind: Literal["node"] = "node"
    text: Annotated[str, _text("the state in words", "State")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionEdge(MemoryModel):
    """SA-KG: an action that led from one state to another. Without a target, its destination is unknown."""

    facts = KindFacts(
        "Edges",
        "edge",
        "Actions that lead from state to state, with how often each was taken and how often it succeeded.",
        headline="action",
        same_by=("action",),
    )
    kind: Literal["edge"] = "edge"
    source: Annotated[int, _state_number("From state", "first", "From")]
    action: Annotated[str, _action("name, or name(arg=value)", 150)]
    target: Annotated[
        int | None, _state_number("To state", "second", "To", 560, "Number of a state; 0: not known.")
    ] = None
    successes: _Successes = 0
    attempts: _Attempts = 0
    count: Annotated[
        int, About("Times taken", column="amount", cell=Cell("Taken", 64, 800, edited=False))
    ] = 0
    reward: _Reward = 0.0

    @property
    def figures(self) -> str:
        return f"{self.source} → {self.target} · {self.count} times · {self.successes} good"


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness(MemoryModel):
    """SA-KG: two states whose vectors are close."""

    facts = KindFacts("Similar", "likeness", "Pairs of states whose vectors are close.")
    kind: Literal["likeness"] = "likeness"
    first: Annotated[int, _state_number("State", "first", "State")]
    second: Annotated[int, _state_number("Resembles", "second", "Resembles")]
    cosine: Annotated[
        float,
        About(
            "Cosine",
            least=-1,
            most=1,
            decimals=3,
            column="reward",
            starts=0.9,
            cell=Cell("Cosine", 72, edited=False),
        ),
    ]

    @property
    def label(self) -> str:
        return f"{self.first} ~ {self.second}"

    @property
    def words(self) -> str:
        return f"cosine {self.cosine:.3f}"

    @property
    def figures(self) -> str:
        return f"{self.cosine:.3f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillMemory(MemoryModel):
    """L5: a trigger, a short plan that it starts, and a condition that ends it.

    Proposed skills wait for the operator; retired ones are not used any more. `uses` counts the times that
    the skill fired, `successes` those that reached the subgoal or made progress. `evidence` holds sentences:
    what the skill was learnt from and what the write gate measured. `similar_to` is the skill that the write
    gate found too similar; the two can be merged.
    """

    facts = KindFacts(
        "Skills",
        "skill",
        "A skill makes a short plan when its trigger is true. Skills that the agent discovers "
        "wait in the inbox after a run; the game's own skills stay in its folder.",
        headline="name",
        in_prompts=True,
    )
    kind: Literal["skill"] = "skill"
    name: Annotated[str, About("Name", "a short name", expected="a name", cell=Cell("Skill", 156))]
    when: Annotated[
        str,
        About(
            "Trigger",
            "health < 30 and not door_open",
            expected="the condition that fires it",
            term="condition",
            cell=Cell("Trigger"),
        ),
    ]
    situation: Annotated[str, About("Situation", "when the skill helps, in words", several_lines=True)] = ""
    subgoal: Annotated[
        str,
        About(
            "Subgoal",
            "the goal of the skill",
            expected="the goal of the skill",
            several_lines=True,
            cell=Cell("Subgoal", 176, 840),
        ),
    ]
    actions: Annotated[tuple[str, ...], About("Actions", "one action a line", term="action")] = ()
    module: Annotated[str, About("Module", "none: the skill uses its actions", term="module")] = ""
    stop: Annotated[str, About("Stop condition", "none: when the actions are done", term="condition")] = ""
    priority: Annotated[int, About("Priority", least=-1_000_000, most=1_000_000, column="amount")] = 0
    steps: Annotated[int, About("Most steps", least=1, most=1000)] = 8
    cooldown_steps: Annotated[int, About("Cooldown", unit="steps", most=1000)] = 0
    status: Annotated[
        Literal["active", "proposed", "retired"],
        About("Status", column="facet", cell=Cell("Status", 84, 720, edited=False)),
    ] = "active"
    successes: Annotated[
        int, About("Successes", tries="uses", column="successes", fixed=True, cell=Cell("Success", 72))
    ] = 0
    uses: Annotated[
        int, About("Uses", column="attempts", fixed=True, cell=Cell("Uses", 60, edited=False))
    ] = 0
    evidence: Annotated[tuple[str, ...], About("Evidence", fixed=True)] = ()
    similar_to: Annotated[
        int | None, About("Similar to", least=1, column="first", refers_to="skill", fixed=True)
    ] = None

    @property
    def figures(self) -> str:
        return f"when {self.when} · {self.status} · {self.successes} of {self.uses}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeMemory(MemoryModel):
    """L4: the summary of a run, under the key that the game's profile declares."""

    facts = KindFacts(
        "Episodes",
        "episode",
        "After each run a summary is stored here under the key that the game declares. Later "
        "prompts contain it as layer L4.",
        headline="text",
        same_by=("key", "run_id"),
        in_prompts=True,
    )
    kind: Literal["episode"] = "episode"
    key: Annotated[str, About("Key", "as the profile declares it", column="facet", cell=Cell("Key", 170))]
    text: Annotated[str, _text("what happened in the run, and what to do differently", "Summary", 500)]
    run_id: Annotated[int | None, About("Run", least=1, fixed=True, cell=Cell("Run", 58, edited=False))] = (
        None
    )

    @property
    def words(self) -> str:
        return f"{self.key}: {self.text}" if self.key else self.text

    @property
    def figures(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeMemory(MemoryModel):
    """L3: a fact or a rule of the game."""

    facts = KindFacts(
        "Knowledge",
        "fact",
        "Facts and rules of the game. Prompts contain them as layer L3, together with those of "
        "the game's folder.",
        headline="heading",
        in_prompts=True,
    )
    kind: Literal["knowledge"] = "knowledge"
    heading: Annotated[str, About("Heading", "Nukage", quoted=80, cell=Cell("Heading", 190))]
    text: Annotated[str, _text("a fact or a rule of the game", "Text", 700)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalNote(MemoryModel):
    """Global memory: one line that prompts contain beside the recent steps."""

    facts = KindFacts(
        "Notes",
        "note",
        "Global memory: failures, subgoals and progress that stay in prompts after their steps "
        "are gone, one line each.",
        headline="text",
        same_by=("about", "text"),
        in_prompts=True,
    )
    kind: Literal["note"] = "note"
    about: Annotated[
        Literal["failure", "subgoal", "progress"],
        About("About", column="facet", starts="progress", cell=Cell("About", 92)),
    ]
    text: Annotated[str, _text("one line for every prompt", "Note", 160)]

    @property
    def figures(self) -> str:
        return self.about


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureMemory(MemoryModel):
    """The keys and durations with which an action last had its effect, looked up by the action's name."""

    facts = KindFacts(
        "Procedures",
        "procedure",
        "The keys and durations with which an action last worked, by the action's name.",
        headline="action",
        in_prompts=True,
    )
    kind: Literal["procedure"] = "procedure"
    action: Annotated[str, _action("name of an action", 180)]
    construction: Annotated[
        str,
        _text(
            "keys and durations that worked",
            "Construction",
            label="Construction",
            expected="how it was constructed",
        ),
    ]
    successes: _Successes = 0
    attempts: _Attempts = 0

    @property
    def figures(self) -> str:
        return f"{self.construction} · {self.successes} of {self.attempts}"


MemoryContent = Annotated[
    ActionMemory
    | StateNode
    | ActionEdge
    | Likeness
    | SkillMemory
    | EpisodeMemory
    | KnowledgeMemory
    | GlobalNote
    | ProcedureMemory,
    Field(discriminator="kind"),
]
CONTENT_TYPES: Mapping[str, type[MemoryModel]] = {
    model.__pydantic_fields__["kind"].default: model for model in get_args(get_args(MemoryContent)[0])
}
"""The models by kind."""


@cache
def fields_of(kind: str) -> Mapping[str, MemoryField]:
    """Return the declared fields of a kind by name, without `kind` itself."""
    return declared_fields(CONTENT_TYPES[kind])


BETWEEN_STATES = tuple(
    kind for kind in CONTENT_TYPES if "node" in {field.about.refers_to for field in fields_of(kind).values()}
)
"""Kinds whose entries join states, and so cannot exist without them."""
