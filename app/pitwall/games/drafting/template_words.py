"""Reads templates from words: those of a command line, or of a form's slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import ValidationError

from pitwall.core.errors import PitwallError, nearest
from pitwall.core.validation import first_fault
from pitwall.games.drafting.templates import TEMPLATES, BaseTemplate, slots


def template_of(text: str) -> BaseTemplate:
    """`KIND:SLOT=VALUE,…`, like `follow:me=paddle,thing=ball,less=left,more=right`.

    Raises:
        PitwallError: there is no such template or slot, or a value does not fit; names the nearest.
    """
    kind, _, rest = (part.strip() for part in text.partition(":"))
    if kind not in TEMPLATES:
        raise _unknown(f"there is no template {kind!r}", kind, TEMPLATES)
    known = [slot.name for slot in slots(TEMPLATES[kind])]
    words: dict[str, str] = {}
    for part in filter(None, re.split(r",(?=[a-z_]+=(?!=))", rest)):
        name, _, words[name] = (one.strip() for one in part.partition("="))
        if name not in known:
            raise _unknown(f"the template {kind!r} has no {name!r}", name, known)
    return template_from(kind, words)


def template_from(kind: str, words: Mapping[str, str]) -> BaseTemplate:
    """A template whose slots are filled with these words.

    Raises:
        PitwallError: one is missing or does not fit; says what belongs there.
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
        return [one.strip() for one in value.split(",")]
    return [one.strip() for one in value.split(";")] if name == "actions" else value


def _unknown(what: str, name: str, known: Iterable[str]) -> PitwallError:
    near = nearest(name, known)
    return PitwallError(f"{what}.", f"Did you mean {near!r}?" if near else f"One of: {', '.join(known)}.")


def with_templates(
    templates: Sequence[BaseTemplate], *, fields: Sequence[str], actions: Sequence[str]
) -> list[BaseTemplate]:
    """Return these templates, as far as a draft has what they name.

    Raises:
        PitwallError: one names a field or an action that is not there; names the nearest.
    """
    for one in templates:
        for of, there in (("field", fields), ("action", actions)):
            for name in one.named(of):
                if name not in there:
                    what = f"a template names the {of} {name!r}, which is not there"
                    raise _unknown(what, name, there)
    return list(templates)
