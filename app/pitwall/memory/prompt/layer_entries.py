"""The entries of each layer, for one role of one game: what may enter a prompt, and when (SPEC §4)."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pitwall.core.actions import ActionForm, ArgumentForm, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.conditions import parse_condition
from pitwall.core.memories import MemoryEntry
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer
from pitwall.core.runs import Episode
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.games.schema.profile import Game, field_of
from pitwall.memory.episodes import episode_key
from pitwall.memory.prompt.gamesense_state import Procedure
from pitwall.memory.prompt.knowledge import by_rank, knowledge_of
from pitwall.memory.prompt.layers import (
    LayerItem,
    PromptCut,
    ask,
    family,
    protocol,
    without_answer,
)
from pitwall.memory.prompt.memory_entries import EntryReader, EpisodeText, PromptEntries, episode_item
from pitwall.memory.prompt.skills import SkillTerms, UsableSkill, merged_skills, profile_skills
from pitwall.memory.value_format import format_value
from pitwall.models.replies.reply_object import clean

_INSTRUCTION_LENGTH = 500
_WITHOUT_GAME = frozenset({Purpose.SUMMARISE, Purpose.JUDGE_SKILL, Purpose.TEST})
"""Purposes that need neither the game's schema nor memory."""
HEADINGS = {
    Layer.KNOWLEDGE: "\nKnowledge of the game:\n",
    Layer.EPISODES: "Earlier runs, newest first:\n",
    Layer.SKILLS: "Skills that apply now, best first:\n",
}
"""What a layer begins with where any of its entries enters."""


class PromptLayers:
    """The entries of every layer, for one role of one game.

    Args:
        game: the game's profile and knowledge folder.
        role: name of a role; empty: the first.
        forms: the role's legal actions (`Vocabulary.forms`).
        episodes: summaries of earlier runs, in any order; other games' are ignored.
        remembered: entries of the memory, in any order. Skills, episodes, knowledge, notes and procedures of
            this game are used unless forgotten; `problems` names entries that cannot be used.
        instruction: the task, in words.
        seed: seed of the run, if the profile groups episodes by it.
        alone: there is no planner: the reactive controller is told so and cannot escalate.

    Raises:
        PitwallError: a file of knowledge cannot be read.
        ConditionError: a skill's trigger does not parse.
        IllegalAction: there is no such role.
    """

    def __init__(
        self,
        game: Game,
        role: str = "",
        *,
        forms: Sequence[ActionForm],
        layers: LayerSettings,
        memory: MemorySettings,
        episodes: Sequence[Episode] = (),
        remembered: Sequence[MemoryEntry] = (),
        instruction: str = "",
        seed: int | None = None,
        alone: bool = False,
    ) -> None:
        profile = game.profile
        self._game = game
        self._role = role or (profile.roles[0].name if profile.roles else "")
        self._seed = seed
        self._layers = layers
        self._memory = memory
        self.instruction = instruction
        self.alone = alone
        self.cut = PromptCut()
        self.answer = ""
        """The form in which an action is written; empty: Pitwall's JSON."""
        self.fields = tuple(field.name for field in profile.fields)
        self.modules = tuple(module.name for module in profile.modules)
        self.units: Mapping[str, str] = {field.name: field.unit for field in profile.fields}
        self.lengths: Mapping[str, int] = {field.name: field.shown for field in profile.fields}
        self.shared_tokens = profile.knowledge.shared_tokens
        self.nameable = tuple(
            form.name for form in forms if all(argument.default is not None for argument in form.arguments)
        )
        self._things = frozenset(profile.knowledge.things)
        self._forms = forms
        self._schema = _schema(game, forms, self.fields)
        self._knowledge = knowledge_of(game, self._role)
        terms = SkillTerms.of(profile, self._role)
        self._space = terms.space
        self._own_skills = profile_skills(profile, terms)
        self._shelf = EntryReader(game.game_id, terms)
        self._recorded = episodes
        self._texts: dict[Purpose, tuple[str, ...]] = {}
        self._remember(remembered)

    # ---- what is in force

    def with_settings(
        self, layers: LayerSettings, memory: MemorySettings, *, alone: bool = False
    ) -> PromptLayers:
        """Return these layers with other switches; the same object if nothing changes."""
        if (layers, memory, alone) == (self._layers, self._memory, self.alone):
            return self
        book = self._copy()
        book._layers, book._memory, book.alone = layers, memory, alone
        return book

    def with_cut(self, cut: PromptCut) -> PromptLayers:
        """Return these layers without the parts that a budget leaves out."""
        book = self._copy()
        book.cut = cut
        fields = self.used_fields() if cut.fields else frozenset(self.fields)
        book._schema = _schema(self._game, self._forms, fields) if cut.schema != "none" else ()
        return book

    def used_fields(self, skills: Collection[str] | None = None) -> frozenset[str]:
        """Return the fields that conditions read, that name actions, or that the task mentions.

        Args:
            skills: only these skills' conditions count; None: those of all skills and modules.
        """
        counted = [skill for skill in self._skills if skills is None or skill.skill.name in skills]
        conditions = [condition for skill in counted for condition in (skill.when, skill.stop) if condition]
        if skills is None:
            conditions += [parse_condition(module.ends) for module in self._game.profile.modules]
        named = {field for skill in counted for text in skill.actions if (field := field_of(text))}
        task = {name for name in self.fields if name in self.instruction}
        return frozenset({name for condition in conditions for name in condition.fields} | named | task)

    def ask(self, purpose: Purpose) -> str:
        """Return the last line of a prompt."""
        if self.answer and purpose is Purpose.REACT:
            return f"\n{self.answer}\n"
        return ask(purpose, alone=self.alone, closed=self.cut.closed)

    def with_instruction(self, instruction: str) -> PromptLayers:
        """Return these layers for another task."""
        book = self._copy()
        book.instruction = instruction
        return book

    def with_answer(self, answer: str) -> PromptLayers:
        """Return these layers for a model that writes an action in another form; empty: Pitwall's JSON."""
        if answer == self.answer:
            return self
        book = self._copy()
        book.answer = answer
        return book

    def with_remembered(self, remembered: Sequence[MemoryEntry]) -> PromptLayers:
        """Return these layers with other entries of the memory; unchanged entries are not read again."""
        book = self._copy()
        book._remember(remembered)
        return book

    def _remember(self, remembered: Sequence[MemoryEntry]) -> None:
        self._memories: PromptEntries = self._shelf.take(remembered)
        self._skills: tuple[UsableSkill, ...] = merged_skills(self._own_skills, self._memories.skills)
        self._episodes = _by_key(self._game.game_id, self._recorded, self._memories.episodes)

    @property
    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each entry of the memory that cannot be used."""
        return self._memories.problems

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the lines of the global memory for the state, newest first."""
        return self._memories.notes

    @property
    def procedures(self) -> tuple[Procedure, ...]:
        """Return the procedures that memory holds for the role's actions."""
        return self._memories.procedures

    def _copy(self) -> PromptLayers:
        book = copy.copy(self)
        book._texts = {}
        return book

    def episode_key(self, values: Mapping[str, Value]) -> str:
        """Return the key of this situation's episodes."""
        names = self._game.profile.knowledge.episode_key
        return episode_key(names, role=self._role, seed=self._seed, values=values)

    # ---- entries

    def items(self, layer: Layer, *, purpose: Purpose, values: Mapping[str, Value]) -> tuple[LayerItem, ...]:
        """Return the entries that a prompt for this purpose may contain, best first; none for the state."""
        if layer is Layer.PROTOCOL:
            return self._protocol(purpose)
        if purpose in _WITHOUT_GAME:
            return ()
        match layer:
            case Layer.SCHEMA:
                return self._schema_items(purpose)
            case Layer.KNOWLEDGE:
                return by_rank(self._knowledge_items(), self._things, values)
            case Layer.EPISODES if self._layers.l4 != "disable" and not self._memory.global_only:
                return self._episode_items(self.episode_key(values))
            case Layer.SKILLS:
                if self.alone and purpose is Purpose.REACT:
                    return tuple(skill.with_first(first) for skill, first in self.acting(values))
                return tuple(self._skill_item(skill) for skill in self.applying(values))
        return ()

    def applying(self, values: Mapping[str, Value]) -> tuple[UsableSkill, ...]:
        """Return the skills that a prompt may list now, best first; none if their layer is off."""
        if self._layers.l5 == "disable" or self._memory.global_only:
            return ()
        return tuple(skill for skill in self._skills if skill.applies(values))

    def acting(self, values: Mapping[str, Value]) -> tuple[tuple[UsableSkill, SemanticAction], ...]:
        """Return the applying skills that have an action of their own now, with the first: where nobody plans
        only these are listed, for no module can be started then."""
        firsts = ((skill, skill.first(values, self._space)) for skill in self.applying(values))
        return tuple((skill, first) for skill, first in firsts if first is not None)

    def texts(self, purpose: Purpose) -> tuple[str, ...]:
        """Return every text that a prompt for this purpose may contain, with headings and short forms.

        Skills' first actions are not included: they depend on the values.
        """
        if purpose not in self._texts:
            self._texts[purpose] = self._all_texts(purpose)
        return self._texts[purpose]

    def _all_texts(self, purpose: Purpose) -> tuple[str, ...]:
        items = list(self._protocol(purpose))
        if purpose not in _WITHOUT_GAME:
            items += self._schema_items(purpose)
            items += self._knowledge_items()
            items += [item for some in self._episodes.values() for item in some]
            items += [self._skill_item(skill) for skill in self._skills]
        texts = [text for item in items for text in (item.text, item.brief)]
        texts += [*HEADINGS.values(), self.ask(purpose)]
        return tuple(dict.fromkeys(text for text in texts if text))

    def _protocol(self, purpose: Purpose) -> tuple[LayerItem, ...]:
        if purpose is Purpose.TEST:
            return ()
        short = protocol(purpose, stripped=True, alone=self.alone, closed=self.cut.closed)
        brief = self._layers.l1 == "stripped" or self.cut.brief
        text = short if brief else protocol(purpose, alone=self.alone)
        if self.answer and purpose is Purpose.REACT:
            text, short = without_answer(text), without_answer(short)
        items = [LayerItem(layer=Layer.PROTOCOL, item=family(purpose), text=text, brief=short)]
        if self.instruction and purpose not in _WITHOUT_GAME:
            task = f"\nThe operator's task: {clean(self.instruction, _INSTRUCTION_LENGTH)}\n"
            items.append(LayerItem(layer=Layer.PROTOCOL, item="task", text=task))
        return tuple(items)

    def _schema_items(self, purpose: Purpose) -> tuple[LayerItem, ...]:
        modules = self._layers.modules and purpose is not Purpose.REACT
        items = [item for item in self._schema if item.item != "modules" or modules]
        brief = self._layers.l2 == "stripped" or self.cut.schema == "brief"
        return tuple(replace(item, text=item.brief, brief="") if brief else item for item in items)

    def _skill_item(self, skill: UsableSkill) -> LayerItem:
        return replace(skill.item, text=skill.item.brief, brief="") if self.cut.brief else skill.item

    def _knowledge_items(self) -> tuple[LayerItem, ...]:
        wanted = self._layers.l3_filter.casefold()
        if self._layers.l3 == "off":
            return ()
        learned = () if self._memory.global_only else self._memories.knowledge
        every = (*self._knowledge, *learned)
        return tuple(item for item in every if wanted in item.item.casefold())

    def _episode_items(self, key: str) -> tuple[LayerItem, ...]:
        exact, general = self._episodes.get(key, ()), self._episodes.get("", ())
        return (*exact, *general) if key else general


# ---- L2


def _schema(game: Game, forms: Sequence[ActionForm], shown: Collection[str]) -> tuple[LayerItem, ...]:
    profile = game.profile
    actions = "".join(f"- {call_text(form)}{_about(form.description)}\n" for form in forms)
    known = [field for field in profile.fields if field.name in shown]
    fields = "".join(
        f"- {field.name}{f' ({field.unit})' if field.unit else ''}{_about(field.description)}\n"
        for field in known
    )
    modules = "".join(
        f"- {module.name}{_about(module.description)}; ends when {module.ends}\n"
        for module in profile.modules
    )
    parts = [
        ("actions", "Legal actions", actions, ", ".join(call_text(form) for form in forms)),
        (
            "modules",
            "Modules that may drive instead",
            modules,
            ", ".join(module.name for module in profile.modules),
        ),
        ("fields", "Fields of the state", fields, ", ".join(field.name for field in known)),
    ]
    return tuple(
        LayerItem(layer=Layer.SCHEMA, item=item, text=f"\n{head}:\n{full}", brief=f"\n{head}: {brief}\n")
        for item, head, full, brief in parts
        if full
    )


def call_text(form: ActionForm) -> str:
    """Return an action as a prompt lists it, with the allowed values of its arguments."""
    if not form.arguments:
        return form.name
    return f"{form.name}({', '.join(_argument(argument) for argument in form.arguments)})"


def _argument(form: ArgumentForm) -> str:
    if form.kind == "choice":
        options = "|".join(form.choices)
    elif form.kind == "keys":
        options = f"2 to {form.most} of {'|'.join(form.choices)}, joined by +"
    elif form.kind == "text":
        options = f"'1 to {form.most} of {''.join(form.choices)}'"
    else:
        low, high = (
            format_value(bound) if bound is not None else "" for bound in (form.minimum, form.maximum)
        )
        options = f"{low}..{high}"
    usual = "" if form.default is None else f", usually {form.default}"
    return f"{form.name}={options}{usual}"


def _about(description: str) -> str:
    return f": {description}" if description else ""


# ---- L4


def _by_key(
    game_id: str, episodes: Sequence[Episode], remembered: Sequence[EpisodeText]
) -> dict[str, tuple[LayerItem, ...]]:
    """Return the summaries by key, newest first; a summary that the memory also holds appears once."""
    known = {(episode.key, episode.text) for episode in remembered}
    summaries = list(remembered)
    for summary in sorted(episodes, key=lambda summary: summary.episode_id, reverse=True):
        if summary.game_id == game_id and (summary.key, summary.text) not in known:
            item = episode_item(str(summary.episode_id), summary.run_id, summary.text)
            summaries.append(
                EpisodeText(key=summary.key, at=summary.created_at, text=summary.text, item=item)
            )
    layers: dict[str, list[LayerItem]] = {}
    for episode in sorted(summaries, key=lambda episode: episode.at, reverse=True):
        layers.setdefault(episode.key, []).append(episode.item)
    return {key: tuple(items) for key, items in layers.items()}
