"""Reads templates from the words of a command line, or of a form's slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import ValidationError

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.validation import first_fault
from pitwall.games.drafting.template_slots import BaseTemplate, slots
from pitwall.games.drafting.templates import TEMPLATES


def template_of(text: str) -> BaseTemplate:
    """Parse `KIND:SLOT=VALUE,…`, like `follow:me=paddle,thing=ball,less=left,more=right`.

    Raises:
        PitwallError: there is no such template or slot, or a value does not fit; names the nearest.
    """
    kind, _, rest = (part.strip() for part in text.partition(":"))
    if kind not in TEMPLATES:
        raise _unknown(f"there is no template {kind!r}", kind, TEMPLATES)
    known = [slot.name for slot in slots(TEMPLATES[kind])]
    words: dict[str, str] = {}
    for part in filter(None, re.split(r",(?=[a-z_]+=(?!=))", rest)):
        name, _, words[name] = (piece.strip() for piece in part.partition("="))
        if name not in known:
            raise _unknown(f"the template {kind!r} has no {name!r}", name, known)
    return template_from(kind, words)


def template_from(kind: str, words: Mapping[str, str]) -> BaseTemplate:
    """Build a template from the texts of its slots.

    Raises:
        PitwallError: a slot is missing or does not fit; explains the slot.
    """
    made = TEMPLATES[kind]
    try:
        return made.model_validate(
            {"kind": kind, **{name: _listed(name, text) for name, text in words.items()}}
        )
    except ValidationError as error:
        key, problem = first_fault(error)
        about = next((slot.words for slot in slots(made) if slot.name == key.split(".")[0]), "")
        raise PitwallError(f"template {kind}: {key}: {problem}.", f"{about}.") from None


def _listed(name: str, value: str) -> object:
    if name in ("box", "colour"):
        return [part.strip() for part in value.split(",")]
    return [part.strip() for part in value.split(";")] if name == "actions" else value


def _unknown(problem: str, name: str, known: Iterable[str]) -> PitwallError:
    return PitwallError(f"{problem}.", suggestion(name, known, f"One of: {', '.join(known)}."))


def with_templates(
    templates: Sequence[BaseTemplate], *, fields: Sequence[str], actions: Sequence[str]
) -> list[BaseTemplate]:
    """Check that a draft has the fields and actions that templates name, and return the templates.

    Raises:
        PitwallError: a field or an action is unknown; names the nearest.
    """
    for template in templates:
        for of, there in (("field", fields), ("action", actions)):
            for name in template.named(of):
                if name not in there:
                    problem = f"a template names the {of} {name!r}, which is not there"
                    raise _unknown(problem, name, there)
    return list(templates)
