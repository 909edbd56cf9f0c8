"""Signs and passages of a draft: how a screen is recognised, and the keys that leave it.

A sign is a condition: a picture is seen, a box has its colour, or a text reads as it does now.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError, PitwallError
from pitwall.core.observations import Value
from pitwall.games.drafting.draft import Draft, identifier
from pitwall.games.schema import fields as schema
from pitwall.games.schema.passages import Passage, PassageStep

NAME_ENTRY = "name_entry"
SIGNS = {
    "": "is no sign of the game's state",
    "terminal": "seen when the game is over",
    "menu": "seen in a menu",
    NAME_ENTRY: "seen when it asks for a name",
    "paused": "seen while it is paused",
    "loading": "seen while it loads",
}
"""Status that a field is a sign of → the words that the operator chooses it by."""
RESUME = "resume"
PASSAGES = {"start": "menu", "again": "terminal", NAME_ENTRY: "menu", RESUME: "paused"}
"""Name of a recorded passage → the status that it leaves."""
SCREENS = "screens/"
"""Folder of the pictures of a passage's screens."""
_OF_SHARE = 0.7
"""Part of its present share at which a colour counts as seen again."""
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""


def is_sign(field: schema.ReaderField) -> bool:
    """Return whether a field reads as true or false."""
    return isinstance(field, schema.TemplateField) or (
        isinstance(field, schema.ColourField) and field.at_least is not None
    )


def may_be_sign(field: schema.ReaderField) -> bool:
    """Return whether a field can be made a sign: a picture, a colour, a thing, or a text without a number."""
    return isinstance(
        field, schema.TemplateField | schema.ColourField | schema.BlobField | schema.SpriteField
    ) or (isinstance(field, schema.TextField) and not field.number)


def sign_condition(field: schema.ReaderField, value: Value) -> str:
    """Return the condition that holds while a field reads as it does now.

    Raises:
        PitwallError: the field reads nothing now.
    """
    if is_sign(field):
        return field.name
    if isinstance(field, schema.TextField) and isinstance(value, str) and any(map(str.isalnum, value)):
        return f"says({field.name}, {' '.join(value.split())!r})"
    if isinstance(field, schema.ColourField) and isinstance(value, int | float) and value > 0:
        return f"{field.name} >= {_OF_SHARE * value:.3g}"
    if isinstance(field, schema.BlobField | schema.SpriteField) and value is not None:
        return f"{field.name} != none"
    raise PitwallError(
        f"{field.name} reads nothing now.", "Bring up the screen that it is a sign of, then choose again."
    )


def with_sign(draft: Draft, name: str, status: str, value: Value = None) -> Draft:
    """Make a field's present value the sign of a status.

    Args:
        status: a key of SIGNS; empty: the field is a sign of nothing.

    Raises:
        PitwallError: the field reads nothing now.
    """
    field = draft.field(name)
    if field is None:
        return draft
    condition = sign_condition(field, value) if status else ""
    plain = without_signs(draft, name)
    if not status:
        return plain
    if status == NAME_ENTRY:
        return plain.changed(name_entry=_joined(plain.name_entry, condition))
    rules = dict(plain.status)
    return plain.changed(status={**rules, status: _joined(rules[status], condition)})


def with_proposal(draft: Draft, proposal: Mapping[str, Any]) -> Draft:
    """Add a proposal's field to the draft under a free name, and the status that it is a sign of.

    Args:
        proposal: "field", "pictures" and "sign", as `Proposal.as_json` has them.

    Raises:
        pydantic.ValidationError: the field does not fit.
    """
    taken = frozenset(field.name for field in draft.fields)
    read = {**proposal["field"], "name": identifier(str(proposal["field"]["name"]), taken)}
    made = draft.changed(fields=[*draft.fields, read], pictures={**draft.pictures, **proposal["pictures"]})
    return with_sign(made, read["name"], proposal["sign"]) if proposal.get("sign") else made


def without_signs(draft: Draft, name: str) -> Draft:
    """Return the draft with a field that is a sign of nothing."""
    kept = {key: _without(text, name) for key, text in draft.status}
    return draft.changed(status=kept, name_entry=_without(draft.name_entry, name))


def sign_of(draft: Draft, name: str) -> str:
    """Return the key of SIGNS that a field is a sign of; empty for none."""
    conditions = [*draft.status, (NAME_ENTRY, draft.name_entry)]
    return next((key for key, text in conditions if any(_names(part, name) for part in _parts(text))), "")


def renamed_in(text: str, old: str, new: str) -> str:
    """Rename a field in a condition, but not inside quotes."""
    return re.sub(
        rf"{_QUOTED}|\b{re.escape(old)}\b", lambda hit: new if hit.group() == old else hit.group(), text
    )


# ---- passages


def passage_of(draft: Draft, name: str) -> Passage | None:
    """Return the draft's passage of this name."""
    return next((passage for passage in draft.passages if passage.name == name), None)


def with_passage_step(draft: Draft, name: str, step: PassageStep, picture: str = "") -> Draft:
    """Add a step to the end of a passage.

    Args:
        picture: PNG of the screen that the step leaves, base64; empty: any screen.
    """
    there = passage_of(draft, name)
    steps = [*there.steps] if there is not None else []
    pictures = dict(draft.pictures)
    if picture:
        file = f"{SCREENS}{name}_{len(steps) + 1}.png"
        step, pictures[file] = step.model_copy(update={"screen": file}), picture
    passage = Passage.model_validate(
        {"name": name, "leaves": PASSAGES[name], "steps": [part.model_dump() for part in (*steps, step)]}
    )
    others = [passage for passage in draft.passages if passage.name != name]
    return draft.changed(passages=[*others, passage], pictures=pictures)


def without_passage(draft: Draft, name: str) -> Draft:
    """Remove a passage and the pictures of its screens."""
    return draft.changed(passages=[passage for passage in draft.passages if passage.name != name]).tidy()


def finished_passages(draft: Draft) -> Sequence[Passage]:
    """Return the passages as the game's folder holds them.

    A question for a name is answered by Enter where nothing else was recorded; a pause ends by its own keys.
    """
    passages = list(draft.passages)
    if draft.name_entry:
        entry = passage_of(draft, NAME_ENTRY)
        steps = entry.steps if entry is not None else [PassageStep(keys=["Enter"])]
        passages = [passage for passage in passages if passage.name != NAME_ENTRY]
        passages.insert(0, Passage(name=NAME_ENTRY, leaves="menu", when=draft.name_entry, steps=steps))
    if shows_pause(draft) and passage_of(draft, RESUME) is None:
        passages.append(Passage(name=RESUME, leaves="paused", steps=[PassageStep(keys=draft.pause)]))
    return passages


def shows_pause(draft: Draft) -> bool:
    """Return whether the game can be paused and the pause can be recognised."""
    return bool(draft.pause and (draft.status.paused or passage_of(draft, RESUME)))


def _parts(text: str) -> list[str]:
    """Split a condition at its outer "or"; a condition that cannot be split stays whole."""
    marked = re.sub(_QUOTED, lambda hit: hit.group().replace(" or ", " \0 "), text)
    parts = [part.replace("\0", "or") for part in marked.split(" or ") if part]
    try:
        for part in parts:
            parse_condition(part)
    except ConditionError:
        return [text]
    return parts


def _names(part: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", re.sub(_QUOTED, "", part)) is not None


def _without(text: str, name: str) -> str:
    return " or ".join(part for part in _parts(text) if not _names(part, name))


def _joined(text: str, part: str) -> str:
    return f"{text} or {part}" if text else part
