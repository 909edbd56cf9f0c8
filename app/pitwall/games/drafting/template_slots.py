"""The form of a template of play: its slots, their likely values, and the conditions it offers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pitwall.games.schema import fields as schema
from pitwall.games.schema.modules import Rule
from pitwall.games.schema.profile import Skill

PLAYING = "status == 'playing'"
LOCATED = (schema.BlobField, schema.SpriteField, schema.DetectedField)
"""Readings of a thing's place."""
ReadBy = Annotated[schema.Identifier, "field"]
DoneBy = Annotated[schema.Identifier, "action"]
Spared = Annotated[str, "action"]
"""Action that may be left out."""


class BaseTemplate(schema.Table):
    """Base of all templates: rules, skills, and the names that its slots hold."""

    def rules(self) -> Iterator[Rule]:
        """Yield rules at frame rate; the first that holds acts."""
        yield from ()

    def skills(self) -> Iterator[Skill]:
        """Yield the template's own skills."""
        yield from ()

    def named(self, of: str) -> tuple[str, ...]:
        """Return the names of the draft's fields, or of its actions, that the template needs."""
        values = (getattr(self, slot.name) for slot in slots(type(self)) if slot.of in (of, f"{of}s"))
        return tuple(
            name for value in values for name in ([value] if isinstance(value, str) else value) if name
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place of a template's form.

    Attributes:
        of: "field", "action", "actions", "condition", or empty for a value.
    """

    name: str
    of: str
    words: str
    required: bool
    default: object


def slots(template: type[BaseTemplate]) -> tuple[Slot, ...]:
    """Return the slots of a template's form, required ones first."""
    entries = [
        Slot(
            name=name,
            of=next((rule for rule in info.metadata if isinstance(rule, str)), ""),
            words=info.description or name,
            required=info.is_required(),
            default=None if info.is_required() else info.default,
        )
        for name, info in template.model_fields.items()
        if name != "kind"
    ]
    return tuple(sorted(entries, key=lambda slot: not slot.required))


_LIKELY = {
    "me": r"me|player|paddle|ship|bat|hero",
    "less": r"left|up",
    "more": r"right|down",
    "fire": r"fire|shoot|space",
    "up": r"up|jump|flap|space",
    "down": r"down|sink",
}
"""Slot → names that likely belong into it."""


def likely(slot: Slot, fields: Sequence[schema.ReaderField], actions: Sequence[str]) -> str:
    """Return the reading or action that likely belongs into a slot; empty for none."""
    moving = [field.name for field in fields if isinstance(field, LOCATED)]
    names = actions if slot.of == "action" else moving
    pattern = re.compile(_LIKELY.get(slot.name, r"(?!)"), re.IGNORECASE)
    others = [name for name in names if slot.name == "thing" and not re.search(_LIKELY["me"], name, re.I)]
    return next((name for name in names if pattern.fullmatch(name)), others[0] if others else "")


def conditions(fields: Sequence[schema.ReaderField]) -> Iterator[str]:
    """Yield conditions that a draft's fields allow: the game plays, a thing is seen, a number is high."""
    yield PLAYING
    for field in fields:
        match field.kind:
            case "template":
                yield field.name
                yield f"not {field.name}"
            case "blob" | "sprite" | "detected":
                yield f"{PLAYING} and {field.name} != none"
            case "bar":
                yield f"{PLAYING} and {field.name} < 50"
            case _:
                yield f"{PLAYING} and {field.name} > 10"


def title(template: type[BaseTemplate]) -> str:
    """Return a template's title: "Follow a thing"."""
    return re.split(r"[:,]", template.__doc__ or "")[0].strip()
