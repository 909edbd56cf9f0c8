"""Judges what the operator wrote into an entry before it is sent: conditions, actions, counts. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError, IllegalAction, PitwallError, nearest
from pitwall.core.memories import (
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
from pitwall.core.paths import DataFolder
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Profile, field_of
from pitwall.memory.database.checks import acting_fault, first_fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What entries of one game may name.

    Attributes:
        vocabularies: one a role. Empty: the game is not installed, and only the form is checked.
        missing: why nothing is known of the game; empty where it is.
    """

    game_id: str
    vocabularies: tuple[Vocabulary, ...] = ()
    fields: frozenset[str] | None = None
    modules: tuple[str, ...] = ()
    episode_key: tuple[str, ...] = ()
    missing: str = ""

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the legal actions of any role, for completion."""
        return tuple(dict.fromkeys(name for one in self.vocabularies for name in one.legal))


@dataclass(slots=True)
class _Faults:
    found: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        self.found.setdefault(name, text)


def rules_of(data: DataFolder, game_id: str) -> Rules:
    """Read a game's vocabulary and fields from its folder; nothing of the folder is run."""
    try:
        profile = Registry(data).load(game_id).profile
    except PitwallError as error:
        return Rules(
            game_id=game_id,
            missing=f"Actions and fields are not checked: {error.what}",
        )
    return Rules(
        game_id=game_id,
        vocabularies=tuple(_vocabularies(profile)),
        fields=frozenset(one.name for one in profile.fields),
        modules=tuple(module.name for module in profile.modules),
        episode_key=tuple(profile.knowledge.episode_key),
    )


def _vocabularies(profile: Profile) -> list[Vocabulary]:
    return [Vocabulary(profile, name) for name in [role.name for role in profile.roles] or [""]]


def check(content: MemoryContent, rules: Rules) -> dict[str, str]:
    """What is wrong, by field; empty where the entry may be kept."""
    faults = _Faults()
    _meaning(faults, content, rules)
    if not faults.found and (bound := first_fault(content)) is not None:
        faults.add(bound.field, f"It {bound.problem}; expected {bound.expected}.")
    return faults.found


def _meaning(faults: _Faults, content: MemoryContent, rules: Rules) -> None:
    match content:
        case ActionMemory():
            _needed(faults, "state", content.state, "the state it was done in")
        case Likeness():
            _entry(faults, "first", content.first)
            _entry(faults, "second", content.second)
        case SkillMemory():
            _skill(faults, content, rules)
        case ActionEdge():
            _entry(faults, "source", content.source)
            _counted(faults, "count", content.count)
        case StateNode() | EpisodeMemory() | KnowledgeMemory() | GlobalNote():
            _needed(faults, "text", content.text, "what it says")
        case ProcedureMemory():
            _needed(faults, "construction", content.construction, "how it was constructed")
    if isinstance(content, ActionMemory | ActionEdge | ProcedureMemory):
        if fault := action_fault(content.action, rules):
            faults.add("action", fault)
        _counts(faults, content.successes, content.attempts)


def action_fault(text: str, rules: Rules) -> str:
    """Why a text names no legal action of the game; empty where it does, or where the game is not known."""
    if not text.strip():
        return "Name an action."
    problem: IllegalAction | None = None
    for vocabulary in rules.vocabularies:
        try:
            vocabulary.parse(text)
        except IllegalAction as error:
            if problem is None or vocabulary.knows(text):
                problem = error
        else:
            return ""
    return _said(problem) if problem is not None else ""


def condition_fault(text: str, rules: Rules) -> str:
    """Why a text is no condition on the game's fields; empty where it is."""
    try:
        parse_condition(text, rules.fields)
    except ConditionError as error:
        return _said(error)
    return ""


def _skill(faults: _Faults, skill: SkillMemory, rules: Rules) -> None:
    _needed(faults, "name", skill.name, "a name")
    _needed(faults, "subgoal", skill.subgoal, "what it is to reach")
    _needed(faults, "when", skill.when, "the condition that fires it")
    for name, text in (("when", skill.when), ("stop", skill.stop)):
        if text and (fault := condition_fault(text, rules)):
            faults.add(name, fault)
    if fault_of_acting := acting_fault(skill):
        faults.add(fault_of_acting.field, fault_of_acting.sentence)
    for number, text in enumerate(skill.actions, start=1):
        if fault := _step_fault(text, rules):
            faults.add("actions", f"Line {number}: {fault}")
    if skill.module and rules.fields is not None and skill.module not in rules.modules:
        near = nearest(skill.module, rules.modules)
        known = ", ".join(rules.modules) or "none"
        hint = f"Did you mean {near!r}?" if near else f"Modules: {known}."
        faults.add("module", f"There is no module {skill.module!r}. {hint}")
    if skill.steps < 1:
        faults.add("steps", "At least one step.")
    if skill.cooldown_steps < 0:
        faults.add("cooldown_steps", "Not below 0 steps.")


def _step_fault(text: str, rules: Rules) -> str:
    """As `action_fault`, but "{FIELD}" takes the actions that a field names."""
    named = field_of(text)
    if not named:
        return action_fault(text, rules)
    if rules.fields is None or named in rules.fields:
        return ""
    near = nearest(named, rules.fields)
    return f"There is no field {named!r}." + (f" Did you mean {near!r}?" if near else "")


def _needed(faults: _Faults, name: str, text: str, what: str) -> None:
    if not text.strip():
        faults.add(name, f"Write {what}.")


def _counts(faults: _Faults, successes: int, attempts: int) -> None:
    _counted(faults, "successes", successes)
    _counted(faults, "attempts", attempts)
    if successes > attempts:
        faults.add("successes", f"{successes:,} successes of {attempts:,} attempts cannot be.")


def _counted(faults: _Faults, name: str, number: int) -> None:
    if number < 0:
        faults.add(name, "Not below 0.")


def _entry(faults: _Faults, name: str, entry_id: int) -> None:
    if entry_id < 1:
        faults.add(name, "Name a state by its number, from 1 on.")


def _said(error: PitwallError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
