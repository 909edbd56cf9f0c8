"""Makes of templates what a game's folder holds: a module of rules, skills, and what these read and press."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pitwall.core.conditions import parse_condition
from pitwall.core.observations import Value
from pitwall.games.drafting.templates import (
    PLAYING,
    SECOND,
    Avoid,
    BaseTemplate,
    Follow,
    Gap,
    OnCells,
    PlacedTemplate,
    Reflex,
    slots,
    title,
)
from pitwall.games.schema.actions import ActionBinding
from pitwall.games.schema.fields import ReaderField
from pitwall.games.schema.modules import Module, Rule
from pitwall.games.schema.profile import Skill

MODULE = "play"
_TURN_MS = 30
"""A rule that moves rests so long where others want their turn."""


@dataclass(slots=True)
class Play:
    """Holds what a draft's templates add to its folder."""

    modules: list[Module] = field(default_factory=list)
    skills: list[Skill] = field(default_factory=list)
    fields: list[ReaderField] = field(default_factory=list)
    actions: list[ActionBinding] = field(default_factory=list)

    @property
    def steers(self) -> bool:
        """Whether something plays at all times, so that no plan of every action is wanted beside it."""
        return bool(self.modules or self.actions)


def play_of(named: Sequence[BaseTemplate], fields: Sequence[ReaderField]) -> Play:
    """The rules, skills, fields and actions that templates amount to.

    Args:
        fields: that the templates name.
    """
    play = Play()
    templates = list(named)
    for at, one in enumerate(named):
        if isinstance(one, PlacedTemplate):
            templates[at], more = one.placed([*fields, *play.fields])
            play.fields += [field for field in more if field not in play.fields]
    rules = [rule for one in templates for rule in one.rules()]
    if rules:
        play.modules.append(_module(templates, rules))
        play.skills.append(
            Skill(
                name=MODULE,
                when=PLAYING,
                situation="What it looks at is read",
                subgoal="; ".join(title(type(one)).casefold() for one in templates if any(one.rules())),
                module=MODULE,
                steps=1000,
                priority=SECOND,
            )
        )
    for one in templates:
        play.skills.extend(one.skills())
        if isinstance(one, OnCells):
            play.fields.extend(one.readings(fields))
            play.actions.extend(one.actions_on(fields))
    return play


def _module(templates: Sequence[BaseTemplate], rules: Sequence[Rule]) -> Module:
    """One module of all rules; where several templates steer, a rule that acted lets the next have a turn.

    It also ends where nothing to steer by is seen while the condition of a skill that waits holds.
    """
    steering = [one for one in templates if isinstance(one, Follow | Avoid | Gap)]
    rest = _TURN_MS if len(steering) > 1 else 0
    shared = [rule.model_copy(update={"cooldown_ms": rule.cooldown_ms or rest}) for rule in rules]
    ends = "status != 'playing'"
    waiting = [f"({one.when})" for one in templates if isinstance(one, Reflex) and one.waits]
    if waiting:
        unseen = " and ".join(f"{one.thing} == none" for one in steering)
        ends += f" or ({unseen} and ({' or '.join(waiting)}))"
    words = "Made of templates: the first rule that holds acts."
    return Module(name=MODULE, description=words, ends=ends, rules=shared)


def now(template: BaseTemplate, fields: Sequence[ReaderField], values: Mapping[str, Value]) -> str:
    """Say what a template would do on these values: an action's name, or empty for nothing."""
    said = {"status": "playing", **values}
    if isinstance(template, PlacedTemplate):
        template, _ = template.placed(fields)
    for rule in template.rules():
        if parse_condition(rule.when).holds(said):
            return rule.action
    for skill in template.skills():
        if parse_condition(skill.when).holds(said):
            return " ".join(skill.actions)
    return ""


def renamed(template: BaseTemplate, old: str, new: str) -> BaseTemplate:
    """A template with another name for a field or an action, wherever it names it."""
    values = dict(template)
    for slot in slots(type(template)):
        value = values[slot.name]
        if slot.of == "condition":
            values[slot.name] = re.sub(rf"\b{re.escape(old)}\b", new, str(value))
        elif slot.of == "actions":
            values[slot.name] = [new if one == old else one for one in value]
        elif slot.of and value == old:
            values[slot.name] = new
    return type(template).model_validate(values)
