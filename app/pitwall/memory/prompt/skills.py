"""Skills between memory, profile and prompt: the same skill in each one's form, and checked (layer L5).

A skill of the memory may have been edited, imported or proposed by a model: nothing of it is believed
before it parses, names known fields, and has something legal to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from pitwall.core.actions import SemanticAction
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.errors import ConditionError, IllegalAction, PitwallError, suggestion
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer
from pitwall.core.validation import first_fault
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile, Skill, field_of, named_actions
from pitwall.memory.database.checks import acting_fault
from pitwall.memory.prompt.layers import LayerItem
from pitwall.memory.value_format import quoted
from pitwall.models.replies.reply_object import clean

_NAME_LENGTH, _TEXT_LENGTH, _CONDITION_LENGTH = 80, 160, 400
TRUSTED_AUTHORS = frozenset({"operator", "profile"})
"""Authors whose texts prompts contain without quotes."""


class UnusableSkill(PitwallError):
    """A skill that cannot be used in this game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTerms:
    """Holds the names that a skill of one role of one game may use."""

    fields: frozenset[str]
    modules: frozenset[str]
    space: Vocabulary

    @classmethod
    def of(cls, profile: Profile, role: str = "") -> SkillTerms:
        """Return a profile's terms.

        Raises:
            IllegalAction: there is no such role.
        """
        return cls(
            fields=frozenset(field.name for field in profile.fields),
            modules=frozenset(module.name for module in profile.modules),
            space=Vocabulary(profile, role),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UsableSkill:
    """A skill that was checked.

    Attributes:
        when, stop: parsed conditions; stop is None if there is none.
        actions: texts of its legal actions, "{FIELD}" for those that a field names; empty for a module.
        item: its item in a prompt.
        entry_id: id of its entry in the memory; 0 for the profile's skills.
    """

    skill: Skill
    when: Condition
    stop: Condition | None
    actions: tuple[str, ...]
    item: LayerItem
    entry_id: int = 0

    def applies(self, values: Mapping[str, Value]) -> bool:
        """Return whether its trigger holds, its stop condition does not, and its actions are known."""
        if not self.when.holds(values) or (self.stop is not None and self.stop.holds(values)):
            return False
        fields = [field_of(text) for text in self.actions]
        return not fields or any(not field or values.get(field) for field in fields)

    def first(self, values: Mapping[str, Value], space: Vocabulary) -> SemanticAction | None:
        """Return its first legal action for these values; None if there is none or a module acts."""
        for text in (part for action in self.actions for part in named_actions(action, values)):
            try:
                return space.parse(text)
            except IllegalAction:
                continue
        return None

    def with_first(self, first: SemanticAction) -> LayerItem:
        """Return the skill's line for a prompt where nobody plans: with its first action of now."""
        return replace(self.item, text=f"{self.item.text.rstrip()}; first {quoted(str(first))}\n")


# ---- from one form to the other


def as_profile_skill(skill: SkillMemory) -> Skill:
    """Convert it into a profile's skill, for the skill planner. Numbers outside a profile's bounds are
    brought inside.

    Raises:
        UnusableSkill: it has no name, or both actions and a module, or neither.
    """
    name = clean(skill.name, _NAME_LENGTH)
    if not name:
        raise UnusableSkill("a skill has no name.", "Give it one.")
    if fault := acting_fault(skill):
        raise UnusableSkill(f"the skill {name!r}: {fault}.")
    try:
        return Skill(
            name=name,
            when=skill.when,
            subgoal=clean(skill.subgoal, _TEXT_LENGTH) or name,
            situation=clean(skill.situation, _TEXT_LENGTH),
            actions=list(skill.actions),
            module=skill.module,
            stop=skill.stop,
            priority=skill.priority,
            steps=max(1, min(1000, skill.steps)),
            cooldown_steps=max(0, min(1000, skill.cooldown_steps)),
        )
    except ValidationError as error:
        raise UnusableSkill(f"the skill {name!r}: {': '.join(first_fault(error))}.") from None


def as_memory_skill(skill: Skill) -> SkillMemory:
    """Convert a profile's skill to contents of the memory."""
    return SkillMemory(
        name=skill.name,
        when=skill.when,
        subgoal=skill.subgoal,
        situation=skill.situation,
        actions=tuple(skill.actions),
        module=skill.module,
        stop=skill.stop,
        priority=skill.priority,
        steps=skill.steps,
        cooldown_steps=skill.cooldown_steps,
    )


def profile_entries(profile: Profile) -> tuple[MemoryEntry, ...]:
    """Return the profile's skills as entries with the id 0, for comparisons; no memory holds them."""
    by = Provenance(author="profile")
    return tuple(
        MemoryEntry(
            entry_id=0,
            game_id=profile.game.id,
            content=as_memory_skill(skill),
            provenance=by,
            changed_by=by,
        )
        for skill in profile.skills
    )


# ---- checking


def usable_skill(
    skill: Skill, terms: SkillTerms, *, entry_id: int = 0, trusted: bool = True
) -> UsableSkill | None:
    """Return a skill ready for use; None if the role can do none of its actions.

    Args:
        trusted: its text may appear in a prompt without quotes.

    Raises:
        ConditionError: a condition does not parse, is too long, or names an unknown field.
        UnusableSkill: there is no such module or field.
    """
    when = _condition(skill, skill.when, terms)
    stop = _condition(skill, skill.stop, terms) if skill.stop else None
    if skill.module and skill.module not in terms.modules:
        raise UnusableSkill(
            f"the skill {skill.name!r} names an unknown module {skill.module[:60]!r}.",
            suggestion(
                skill.module, terms.modules, f"Modules: {', '.join(sorted(terms.modules)) or 'none'}."
            ),
        )
    actions = () if skill.module else _legal(skill, terms)
    if not skill.module and not actions:
        return None
    return UsableSkill(
        skill=skill,
        when=when,
        stop=stop,
        actions=actions,
        item=_item(skill, actions, trusted, entry_id),
        entry_id=entry_id,
    )


def profile_skills(profile: Profile, terms: SkillTerms) -> tuple[UsableSkill, ...]:
    """Return the profile's skills that the role can do, in the profile's order.

    A skill whose module or field was dropped from a damaged profile is dropped too.

    Raises:
        ConditionError: a condition does not parse, or names an unknown field.
    """
    problems = []
    for skill in profile.skills:
        try:
            usable = usable_skill(skill, terms)
        except UnusableSkill:
            continue
        if usable is not None:
            problems.append(usable)
    return tuple(problems)


def usable_entry(entry: MemoryEntry, terms: SkillTerms) -> UsableSkill:
    """Return a skill of the memory, ready for use.

    Raises:
        ConditionError, UnusableSkill: it cannot be used; the message says why.
    """
    assert isinstance(entry.content, SkillMemory)
    usable = usable_skill(
        as_profile_skill(entry.content), terms, entry_id=entry.entry_id, trusted=is_trusted(entry)
    )
    if usable is None:
        raise UnusableSkill(
            f"the skill {entry.content.name!r} has no action that the role may do.",
            f"Legal: {', '.join(terms.space.legal)}.",
        )
    return usable


def merged_skills(own: Sequence[UsableSkill], learnt: Sequence[UsableSkill]) -> tuple[UsableSkill, ...]:
    """Return the profile's and the memory's skills by priority; at equal priority the profile's come first.

    A skill of the memory replaces the profile's skill of the same name.
    """
    by_name = {skill.skill.name: skill for skill in learnt}
    placed = [by_name.pop(skill.skill.name, skill) for skill in own]
    return tuple(sorted((*placed, *by_name.values()), key=lambda skill: -skill.skill.priority))


def is_trusted(entry: MemoryEntry) -> bool:
    """Return whether prompts contain an entry's text without quotes. What the operator took in from a file,
    pinned or accepted is the text of others until the operator changes it."""
    return entry.text_author in TRUSTED_AUTHORS


def is_active(entry: MemoryEntry) -> bool:
    """Return whether an entry is an active skill."""
    return isinstance(entry.content, SkillMemory) and entry.content.status == "active" and not entry.forgotten


def problem_of(entry: MemoryEntry, error: PitwallError) -> str:
    """Describe for the operator why an entry is left out."""
    return f"entry {entry.entry_id}: {error.what} {error.fix}".strip()


def _condition(skill: Skill, text: str, terms: SkillTerms) -> Condition:
    if len(text) > _CONDITION_LENGTH:
        raise ConditionError(
            f"skill {skill.name!r}: a condition has {len(text)} characters; at most {_CONDITION_LENGTH}."
        )
    try:
        return parse_condition(text, terms.fields)
    except ConditionError as error:
        raise ConditionError(f"skill {skill.name!r}: {error.what}", error.fix) from None


def _legal(skill: Skill, terms: SkillTerms) -> tuple[str, ...]:
    texts = []
    for text in skill.actions:
        field = field_of(text)
        if field:
            if field not in terms.fields:
                raise UnusableSkill(f"the skill {skill.name!r} names an unknown field {field[:60]!r}.")
            texts.append(f"{{{field}}}")
            continue
        try:
            texts.append(str(terms.space.parse(text)))
        except IllegalAction:
            continue
    return tuple(texts)


# ---- in words


def _item(skill: Skill, actions: Sequence[str], trusted: bool, entry_id: int) -> LayerItem:
    name, subgoal = skill.name, skill.subgoal
    if not trusted:
        name, subgoal = quoted(name, _NAME_LENGTH), quoted(subgoal, _TEXT_LENGTH)
    text = f"- {name}: when {_one_line(skill.when)} -> {subgoal}; {_deeds(skill.module, actions)}"
    text += f"; until {_one_line(skill.stop)}" if skill.stop else f"; {skill.steps} steps"
    brief = f"- {name}: {subgoal}\n"
    return LayerItem(layer=Layer.SKILLS, item=skill.name, text=f"{text}\n", brief=brief, entry_id=entry_id)


def _deeds(module: str, actions: Sequence[str]) -> str:
    if module:
        return f"module {module}"
    return ", ".join(
        f"the actions that {field_of(text)} names" if field_of(text) else text for text in actions
    )


def _one_line(condition: str) -> str:
    return clean(condition, _CONDITION_LENGTH)


def skill_sentence(skill: SkillMemory) -> str:
    """Return a skill in one line, for the write gate's embedding, the judge and lists."""
    parts = [f"when {_one_line(skill.when)}", clean(skill.subgoal, _TEXT_LENGTH)]
    parts.append(_deeds(skill.module, [clean(text, _TEXT_LENGTH) for text in skill.actions]))
    if skill.stop:
        parts.append(f"until {_one_line(skill.stop)}")
    if skill.situation:
        parts.insert(0, clean(skill.situation, _TEXT_LENGTH))
    return "; ".join(part for part in parts if part)
