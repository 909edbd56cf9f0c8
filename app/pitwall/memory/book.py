"""The entries of each layer, for one role of one game: what may enter a prompt, and when (SPEC §4)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.actions import ActionForm, ArgumentForm
from pitwall.core.calls import Purpose
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.episodes import Episode
from pitwall.core.errors import ConditionError, IllegalAction, PitwallError
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.games.profile import Game, Skill, field_of
from pitwall.games.vocabulary import Vocabulary
from pitwall.memory.episodes import episode_key
from pitwall.memory.layers import LayerItem, ask, family, protocol, sections_of
from pitwall.memory.wording import quoted, worded
from pitwall.models.reading import clean

_EPISODE_LENGTH = 500
_INSTRUCTION_LENGTH = 500
_WITHOUT_GAME = frozenset({Purpose.SUMMARISE, Purpose.TEST})
"""Purposes that need neither the game's schema nor memory."""
HEADINGS = {
    Layer.KNOWLEDGE: "\nKnowledge of the game:\n",
    Layer.EPISODES: "Earlier runs, newest first:\n",
    Layer.SKILLS: "Skills that apply now, best first:\n",
}
"""What a layer begins with where any of its entries enters."""


@dataclass(frozen=True, slots=True)
class _Triggered:
    """A skill's entry and the conditions under which it stands in a prompt."""

    item: LayerItem
    when: Condition
    stop: Condition | None

    def applies(self, values: Mapping[str, Value]) -> bool:
        return self.when.holds(values) and not (self.stop is not None and self.stop.holds(values))


class LayerBook:
    """Every layer's entries for one role of one game.

    Args:
        game: its profile, and the folder that its knowledge lies in.
        role: name of a role; empty: the first.
        forms: the role's legal actions (`Vocabulary.forms`).
        episodes: summaries of earlier runs, in any order; only this game's are taken.
        instruction: what to do, in words.
        seed: of the run, where the profile keeps episodes by it.

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
        instruction: str = "",
        seed: int | None = None,
    ) -> None:
        profile = game.profile
        self._game = game
        self._role = role or (profile.roles[0].name if profile.roles else "")
        self._seed = seed
        self._layers = layers
        self._memory = memory
        self.instruction = instruction
        self.fields = tuple(field.name for field in profile.fields)
        self.modules = tuple(module.name for module in profile.modules)
        self.units: Mapping[str, str] = {field.name: field.unit for field in profile.fields}
        self._schema = _schema(game, forms)
        self._knowledge = _knowledge(game, self._role)
        self._skills = _skills(game, Vocabulary(profile, self._role))
        self._episodes: dict[str, tuple[LayerItem, ...]] = {}
        self._set_episodes(episodes)
        self._texts: dict[Purpose, tuple[str, ...]] = {}

    # ---- what is in force

    def with_settings(self, layers: LayerSettings, memory: MemorySettings) -> LayerBook:
        """This book under other switches; itself where they are the same."""
        if layers == self._layers and memory == self._memory:
            return self
        book = self._copy()
        book._layers, book._memory = layers, memory
        return book

    def with_instruction(self, instruction: str) -> LayerBook:
        """This book for another task."""
        book = self._copy()
        book.instruction = instruction
        return book

    def with_episodes(self, episodes: Sequence[Episode]) -> LayerBook:
        """This book with other summaries of earlier runs."""
        book = self._copy()
        book._set_episodes(episodes)
        return book

    def _copy(self) -> LayerBook:
        book = copy.copy(self)
        book._texts = {}
        return book

    def episode_key(self, values: Mapping[str, Value]) -> str:
        """What an episode of this situation is kept by."""
        names = self._game.profile.knowledge.episode_key
        return episode_key(names, role=self._role, seed=self._seed, values=values)

    # ---- entries

    def items(self, layer: Layer, *, purpose: Purpose, values: Mapping[str, Value]) -> tuple[LayerItem, ...]:
        """Entries that may enter a prompt for this purpose now, best first. The state has none.

        Args:
            values: the observation's fields, `status` among them.
        """
        if layer is Layer.PROTOCOL:
            return self._protocol(purpose)
        if purpose in _WITHOUT_GAME or (self._memory.global_only and layer is not Layer.SCHEMA):
            return ()
        match layer:
            case Layer.SCHEMA:
                return self._schema_items(purpose)
            case Layer.KNOWLEDGE:
                return self._knowledge_items()
            case Layer.EPISODES if self._layers.l4 != "disable":
                return self._episode_items(self.episode_key(values))
            case Layer.SKILLS if self._layers.l5 != "disable":
                return tuple(one.item for one in self._skills if one.applies(values))
        return ()

    def texts(self, purpose: Purpose) -> tuple[str, ...]:
        """Every text that may enter a prompt for this purpose, headings and short forms too."""
        if purpose not in self._texts:
            self._texts[purpose] = self._all_texts(purpose)
        return self._texts[purpose]

    def _all_texts(self, purpose: Purpose) -> tuple[str, ...]:
        items = list(self._protocol(purpose))
        if purpose not in _WITHOUT_GAME:
            items += self._schema_items(purpose)
            items += self._knowledge_items()
            items += [item for some in self._episodes.values() for item in some]
            items += [one.item for one in self._skills]
        texts = [text for item in items for text in (item.text, item.brief)]
        return tuple(dict.fromkeys(text for text in (*texts, *HEADINGS.values(), ask(purpose)) if text))

    def _protocol(self, purpose: Purpose) -> tuple[LayerItem, ...]:
        if purpose is Purpose.TEST:
            return ()
        short = protocol(purpose, stripped=True)
        text = short if self._layers.l1 == "stripped" else protocol(purpose)
        items = [LayerItem(layer=Layer.PROTOCOL, item=family(purpose), text=text, brief=short)]
        if self.instruction and purpose not in _WITHOUT_GAME:
            task = f"\nThe operator's task: {clean(self.instruction, _INSTRUCTION_LENGTH)}\n"
            items.append(LayerItem(layer=Layer.PROTOCOL, item="task", text=task))
        return tuple(items)

    def _schema_items(self, purpose: Purpose) -> tuple[LayerItem, ...]:
        items = [one for one in self._schema if one.item != "modules" or purpose is not Purpose.REACT]
        if self._layers.l2 == "stripped":
            return tuple(LayerItem(layer=one.layer, item=one.item, text=one.brief) for one in items)
        return tuple(items)

    def _knowledge_items(self) -> tuple[LayerItem, ...]:
        wanted = self._layers.l3_filter.casefold()
        if self._layers.l3 == "off":
            return ()
        return tuple(one for one in self._knowledge if wanted in one.item.casefold())

    def _episode_items(self, key: str) -> tuple[LayerItem, ...]:
        exact, general = self._episodes.get(key, ()), self._episodes.get("", ())
        return (*exact, *general) if key else general

    def _set_episodes(self, episodes: Sequence[Episode]) -> None:
        self._episodes = {}
        mine = [one for one in episodes if one.game_id == self._game.game_id]
        for one in sorted(mine, key=lambda one: (one.created_at, one.episode_id), reverse=True):
            item = LayerItem(
                layer=Layer.EPISODES,
                item=str(one.episode_id),
                text=f"- run {one.run_id}: {quoted(one.text, _EPISODE_LENGTH)}\n",
            )
            self._episodes[one.key] = (*self._episodes.get(one.key, ()), item)


# ---- L2


def _schema(game: Game, forms: Sequence[ActionForm]) -> tuple[LayerItem, ...]:
    profile = game.profile
    actions = "".join(f"- {_call(form)}{_about(form.description)}\n" for form in forms)
    fields = "".join(
        f"- {field.name}{f' ({field.unit})' if field.unit else ''}{_about(field.description)}\n"
        for field in profile.fields
    )
    modules = "".join(
        f"- {module.name}{_about(module.description)}; ends when {module.ends}\n"
        for module in profile.modules
    )
    parts = [
        ("actions", "Legal actions", actions, ", ".join(_call(form) for form in forms)),
        (
            "modules",
            "Modules that may drive instead",
            modules,
            ", ".join(one.name for one in profile.modules),
        ),
        ("fields", "Fields of the state", fields, ", ".join(field.name for field in profile.fields)),
    ]
    return tuple(
        LayerItem(layer=Layer.SCHEMA, item=item, text=f"\n{head}:\n{full}", brief=f"\n{head}: {brief}\n")
        for item, head, full, brief in parts
        if full
    )


def _call(form: ActionForm) -> str:
    if not form.arguments:
        return form.name
    return f"{form.name}({', '.join(_argument(one) for one in form.arguments)})"


def _argument(form: ArgumentForm) -> str:
    if form.kind == "choice":
        options = "|".join(form.choices)
    else:
        low, high = (worded(bound) if bound is not None else "" for bound in (form.minimum, form.maximum))
        options = f"{low}..{high}"
    usual = "" if form.default is None else f", usually {form.default}"
    return f"{form.name}={options}{usual}"


def _about(description: str) -> str:
    return f": {description}" if description else ""


# ---- L3


def _knowledge(game: Game, role: str) -> tuple[LayerItem, ...]:
    profile = game.profile
    items = []
    if profile.knowledge.rules:
        for section in sections_of(_read(game, profile.knowledge.rules)):
            text = f"## {section.heading}\n{section.text}\n" if section.heading else f"{section.text}\n"
            items.append(LayerItem(layer=Layer.KNOWLEDGE, item=section.heading, text=text))
    prompt = next((one.prompt for one in profile.roles if one.name == role), "")
    if prompt:
        text = f"## Your role: {role}\n{_read(game, prompt).strip()}\n"
        items.insert(0, LayerItem(layer=Layer.KNOWLEDGE, item=f"role {role}", text=text))
    return tuple(items)


def _read(game: Game, name: str) -> str:
    path = game.folder / name
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PitwallError(f"{path} cannot be read: {error}.", "It must be text in UTF-8.") from None


# ---- L5


def _skills(game: Game, space: Vocabulary) -> tuple[_Triggered, ...]:
    known = frozenset(field.name for field in game.profile.fields)
    found = []
    for skill in sorted(game.profile.skills, key=lambda one: -one.priority):
        deeds = f"module {skill.module}" if skill.module else ", ".join(_legal(skill, space))
        if not deeds:
            continue
        text = f"- {skill.name}: when {skill.when} -> {skill.subgoal}; {deeds}"
        text += f"; until {skill.stop}" if skill.stop else f"; {skill.steps} steps"
        item = LayerItem(layer=Layer.SKILLS, item=skill.name, text=f"{text}\n")
        try:
            when = parse_condition(skill.when, known)
            stop = parse_condition(skill.stop, known) if skill.stop else None
        except ConditionError as error:
            raise ConditionError(f"skill {skill.name!r}: {error.what}", error.fix) from None
        found.append(_Triggered(item, when, stop))
    return tuple(found)


def _legal(skill: Skill, space: Vocabulary) -> list[str]:
    texts = []
    for text in skill.actions:
        field = field_of(text)
        if field:
            texts.append(f"the actions that {field} names")
            continue
        try:
            texts.append(str(space.parse(text)))
        except IllegalAction:
            continue
    return texts
