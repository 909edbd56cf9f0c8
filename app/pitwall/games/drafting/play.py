"""Turns templates into the parts of a game's folder: a module of rules, skills, fields and actions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pitwall.core.conditions import parse_condition
from pitwall.core.observations import Value
from pitwall.games.drafting.template_slots import PLAYING, BaseTemplate, slots, title
from pitwall.games.drafting.templates import SECOND, Avoid, Follow, Gap, OnCells, PlacedTemplate, Reflex
from pitwall.games.schema.actions import ActionBinding
from pitwall.games.schema.fields import ReaderField
from pitwall.games.schema.modules import Module, Rule
from pitwall.games.schema.profile import Skill

MODULE = "play"
_TURN_MS = 30
"""Pause of a rule after it acted, so that the rules of other templates can act too."""


@dataclass(slots=True)
class Play:
    """The parts that a draft's templates add to its folder."""

    modules: list[Module] = field(default_factory=list)
    skills: list[Skill] = field(default_factory=list)
    fields: list[ReaderField] = field(default_factory=list)
    actions: list[ActionBinding] = field(default_factory=list)

    @property
    def steers(self) -> bool:
        """Return whether the templates play at all times, so that no default plan is needed."""
        return bool(self.modules or self.actions)


def play_of(named: Sequence[BaseTemplate], fields: Sequence[ReaderField]) -> Play:
    """Build the rules, skills, fields and actions of templates.

    Args:
        fields: the draft's own fields, which the templates name.
    """
    play = Play()
    templates = list(named)
    for at, template in enumerate(named):
        if isinstance(template, PlacedTemplate):
            templates[at], more = template.placed([*fields, *play.fields])
            play.fields += [field for field in more if field not in play.fields]
    rules = [rule for template in templates for rule in template.rules()]
    if rules:
        play.modules.append(_module(templates, rules))
        play.skills.append(
            Skill(
                name=MODULE,
                when=PLAYING,
                situation="What it looks at is read",
                subgoal="; ".join(
                    title(type(template)).casefold() for template in templates if any(template.rules())
                ),
                module=MODULE,
                steps=1000,
                priority=SECOND,
            )
        )
    for template in templates:
        play.skills.extend(template.skills())
        if isinstance(template, OnCells):
            play.fields.extend(template.readings(fields))
            play.actions.extend(template.actions_on(fields))
    return play


def _module(templates: Sequence[BaseTemplate], rules: Sequence[Rule]) -> Module:
    """Put all rules into one module; where several templates steer, a rule that acted pauses for the others.

    The module also ends while nothing to steer by is seen and the condition of a waiting skill holds.
    """
    steering = [template for template in templates if isinstance(template, Follow | Avoid | Gap)]
    rest = _TURN_MS if len(steering) > 1 else 0
    shared = [rule.model_copy(update={"cooldown_ms": rule.cooldown_ms or rest}) for rule in rules]
    ends = "status != 'playing'"
    waiting = [
        f"({template.when})" for template in templates if isinstance(template, Reflex) and template.waits
    ]
    if waiting:
        unseen = " and ".join(f"{template.thing} == none" for template in steering)
        ends += f" or ({unseen} and ({' or '.join(waiting)}))"
    words = "Made of templates: the first rule that holds acts."
    return Module(name=MODULE, description=words, ends=ends, rules=shared)


def now(template: BaseTemplate, fields: Sequence[ReaderField], values: Mapping[str, Value]) -> str:
    """Return the action that a template would take on these values; empty for none."""
    known = {"status": "playing", **values}
    if isinstance(template, PlacedTemplate):
        template, _ = template.placed(fields)
    for rule in template.rules():
        if parse_condition(rule.when).holds(known):
            return rule.action
    for skill in template.skills():
        if parse_condition(skill.when).holds(known):
            return " ".join(skill.actions)
    return ""


def renamed(template: BaseTemplate, old: str, new: str) -> BaseTemplate:
    """Return a template with a field or an action renamed in all of its slots."""
    values = dict(template)
    for slot in slots(type(template)):
        value = values[slot.name]
        if slot.of == "condition":
            values[slot.name] = re.sub(rf"\b{re.escape(old)}\b", new, str(value))
        elif slot.of == "actions":
            values[slot.name] = [new if name == old else name for name in value]
        elif slot.of and value == old:
            values[slot.name] = new
    return type(template).model_validate(values)
