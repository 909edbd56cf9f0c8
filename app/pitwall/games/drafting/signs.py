"""Signs of a draft: what a reading says of the game's state while it stands so, and the keys that lead out.

A sign is a condition: a picture is seen, a box has its colour, or a text says what it says now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError, PitwallError
from pitwall.core.observations import Value
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.fields import (
    BlobField,
    ColourField,
    ReaderField,
    SpriteField,
    TemplateField,
    TextField,
)
from pitwall.games.schema.passages import Passage, PassageStep

NAME_ENTRY = "name_entry"
SIGNS = {
    "": "says nothing of the game's state",
    "terminal": "seen: the game is over",
    "menu": "seen: it is in a menu",
    NAME_ENTRY: "seen: it asks for a name",
    "paused": "seen: it is paused",
    "loading": "seen: it is loading",
}
"""Status that a true field is a sign of → the operator's words."""
RESUME = "resume"
PASSAGES = {"start": "menu", "again": "terminal", NAME_ENTRY: "menu", RESUME: "paused"}
"""Passage that is recorded → the status that it leaves."""
SCREENS = "screens/"
"""Folder of their pictures."""
_OF_SHARE = 0.7
"""A colour is a sign from this part of the share on that it has now."""
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""


def is_sign(field: ReaderField) -> bool:
    """Whether it reads as true or false."""
    return isinstance(field, TemplateField) or (isinstance(field, ColourField) and field.at_least is not None)


def may_be_sign(field: ReaderField) -> bool:
    """Whether it can be made a sign: a picture, a colour, a thing, or text that was read."""
    return isinstance(field, TemplateField | ColourField | BlobField | SpriteField) or (
        isinstance(field, TextField) and not field.number
    )


def sign_condition(field: ReaderField, value: Value) -> str:
    """The condition that holds while a field reads as it does now.

    Raises:
        PitwallError: it reads nothing now, so that nothing can be made of it.
    """
    if is_sign(field):
        return field.name
    if isinstance(field, TextField) and isinstance(value, str) and any(map(str.isalnum, value)):
        return f"says({field.name}, {' '.join(value.split())!r})"
    if isinstance(field, ColourField) and isinstance(value, int | float) and value > 0:
        return f"{field.name} >= {_OF_SHARE * value:.3g}"
    if isinstance(field, BlobField | SpriteField) and value is not None:
        return f"{field.name} != none"
    raise PitwallError(
        f"{field.name} reads nothing now.", "Bring up the screen that it is a sign of, then choose again."
    )


def with_sign(draft: Draft, name: str, status: str, value: Value = None) -> Draft:
    """Set what a field says of the game while it reads as now: a key of SIGNS; empty: nothing.

    Raises:
        PitwallError: it reads nothing now.
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


def without_signs(draft: Draft, name: str) -> Draft:
    """The draft with a field that is a sign of nothing."""
    kept = {key: _without(text, name) for key, text in draft.status}
    return draft.changed(status=kept, name_entry=_without(draft.name_entry, name))


def sign_of(draft: Draft, name: str) -> str:
    """The key of SIGNS that a field is a sign of; empty for none."""
    told = [*draft.status, (NAME_ENTRY, draft.name_entry)]
    return next((key for key, text in told if any(_names(part, name) for part in _parts(text))), "")


def renamed_in(text: str, old: str, new: str) -> str:
    """A condition with another name for a field; what stands in quotes stays."""
    return re.sub(
        rf"{_QUOTED}|\b{re.escape(old)}\b", lambda hit: new if hit.group() == old else hit.group(), text
    )


# ---- the ways out


def passage_of(draft: Draft, name: str) -> Passage | None:
    """The draft's passage of a name of PASSAGES."""
    return next((one for one in draft.passages if one.name == name), None)


def with_passage_step(draft: Draft, name: str, step: PassageStep, picture: str = "") -> Draft:
    """The draft with one more step of a passage.

    Args:
        picture: PNG of the screen that it follows, base64; empty: it follows any.
    """
    there = passage_of(draft, name)
    steps = [*there.steps] if there is not None else []
    pictures = dict(draft.pictures)
    if picture:
        file = f"{SCREENS}{name}_{len(steps) + 1}.png"
        step, pictures[file] = step.model_copy(update={"screen": file}), picture
    passage = Passage.model_validate(
        {"name": name, "leaves": PASSAGES[name], "steps": [one.model_dump() for one in (*steps, step)]}
    )
    others = [one for one in draft.passages if one.name != name]
    return draft.changed(passages=[*others, passage], pictures=pictures)


def without_passage(draft: Draft, name: str) -> Draft:
    """The draft without a passage, and without the pictures of its screens."""
    return draft.changed(passages=[one for one in draft.passages if one.name != name]).tidy()


def finished_passages(draft: Draft) -> Sequence[Passage]:
    """The passages as the game's folder holds them: with the sign of a question for a name, which Enter
    answers where nothing else was recorded, and with what ends a pause."""
    passages = list(draft.passages)
    if draft.name_entry:
        entry = passage_of(draft, NAME_ENTRY)
        steps = entry.steps if entry is not None else [PassageStep(keys=["Enter"])]
        passages = [one for one in passages if one.name != NAME_ENTRY]
        passages.insert(0, Passage(name=NAME_ENTRY, leaves="menu", when=draft.name_entry, steps=steps))
    if shows_pause(draft) and passage_of(draft, RESUME) is None:
        passages.append(Passage(name=RESUME, leaves="paused", steps=[PassageStep(keys=draft.pause)]))
    return passages


def shows_pause(draft: Draft) -> bool:
    """Whether it can be paused, and is seen to be: by a sign, or by the picture of its pause."""
    return bool(draft.pause and (draft.status.paused or passage_of(draft, RESUME)))


def _parts(text: str) -> list[str]:
    """The parts of a condition that "or" joins; the whole one where it is joined otherwise."""
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
