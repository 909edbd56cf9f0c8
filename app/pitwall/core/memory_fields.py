"""Declarations of memory entries: the facts of a kind and of its fields that types alone do not tell.

The kinds in `core/memory_kinds.py` are built from these declarations. Checks, database columns, tables,
forms, imports and prompts read them, so a new field is declared once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from pydantic_core import PydanticUndefined

LINE_LENGTH = 2_000
"""Longest name, condition, action or list item, in characters."""
TEXT_LENGTH = 16_000
"""Longest free text, in characters."""
LIST_LENGTH = 64
"""Most items of a list."""
GREATEST = 2**53
"""Greatest whole number that JSON readers keep exact."""


class MemoryKind(StrEnum):
    """Kinds of entries; `core/memory_kinds.py` has the model of each."""

    ACTION = "action"
    NODE = "node"
    EDGE = "edge"
    LIKENESS = "likeness"
    SKILL = "skill"
    EPISODE = "episode"
    KNOWLEDGE = "knowledge"
    NOTE = "note"
    PROCEDURE = "procedure"


@dataclass(frozen=True, slots=True)
class Cell:
    """The table column that shows a field.

    Attributes:
        heading: head of the column.
        width: width in pixels; 0: the column takes the room that the others leave.
        least_room: narrowest table, in pixels, that still shows the column.
        shows: the field's value, or "n of m" for a number of tries.
        edited: whether the value can be edited in place.
    """

    heading: str
    width: int = 0
    least_room: int = 0
    shows: Literal["value", "tries"] = "value"
    edited: bool = True


@dataclass(frozen=True, slots=True)
class About:
    """Everything that is known of a field beside its type and default.

    Bounds are not enforced on construction: an entry that is being typed, or that an older version kept,
    may exceed them. `memory/database/checks.py` applies them.

    Attributes:
        label: name of the field in forms and comparisons.
        hint: grey text of the empty editor. help: sentence below the editor. unit: unit of a number.
        expected: what an empty field lacks, as a noun phrase; a field without it may be empty.
        longest: most characters of a text, or of each item of a list.
        several_lines: the editor of a text has several lines; longer texts always have them.
        least, most: bounds of a number. decimals: digits of a fraction in tables.
        column: column of the table `entries` that repeats the value; empty: none does.
        refers_to: kind of the entry whose id the field holds.
        tries: name of the field that counts the tries of which these are the successes.
        term: the word of the game's vocabulary that the text must be. Lists hold one in each item.
        moment: the number is a time, in seconds since 1970 (UTC).
        fixed: the form shows the value but does not edit it.
        quoted: most characters of the text that a prompt quotes.
        starts: value of a new entry; None: the default, or the empty value of the type.
        cell: column of the kind's table; None: the table does not show the field.
    """

    label: str
    hint: str = ""
    help: str = ""
    unit: str = ""
    expected: str = ""
    longest: int = LINE_LENGTH
    several_lines: bool = False
    least: float = 0
    most: float = GREATEST
    decimals: int = 2
    column: str = ""
    refers_to: str = ""
    tries: str = ""
    term: Literal["", "action", "condition", "module"] = ""
    moment: bool = False
    fixed: bool = False
    quoted: int = 0
    starts: Any = None
    cell: Cell | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryField:
    """A field of a kind: its declaration and what its type says.

    Attributes:
        type: str, int, float or tuple. optional: it may hold None.
        options: the allowed values of a choice. default: None where a value is required.
    """

    name: str
    about: About
    type: type
    optional: bool = False
    options: tuple[str, ...] = ()
    default: Any = None

    @property
    def start(self) -> Any:
        """Return the value of the field in a new entry; a moment starts at 0."""
        if self.about.starts is not None:
            return self.about.starts
        return self.type() if self.default is None and not self.optional else self.default


@dataclass(frozen=True, slots=True)
class KindFacts:
    """Everything that is known of a kind beside its fields.

    Attributes:
        title: name of its table. noun: word for one entry.
        purpose: what the kind holds and what writes it, for its empty table.
        headline: field whose text labels an entry.
        tells_state: the headline describes a state of the game, so the table shows its words as chips.
        same_by: fields that entries of different memories must share to count as the same; without any,
            the label decides.
        numbered: the table shows the entries' numbers.
        in_prompts: layers of prompts are made of its entries.
    """

    title: str
    noun: str
    purpose: str
    headline: str = ""
    tells_state: bool = False
    same_by: tuple[str, ...] = ()
    numbered: bool = False
    in_prompts: bool = False

    @property
    def plural(self) -> str:
        return self.noun + ("es" if self.noun.endswith("ss") else "s")


class MemoryModel:
    """Base of the kinds' models."""

    __slots__ = ()
    facts: ClassVar[KindFacts]

    @property
    def label(self) -> str:
        """Return the text that labels the entry in lists and in the database."""
        return str(getattr(self, self.facts.headline))

    @property
    def words(self) -> str:
        """Return the text by which a person recognises the entry."""
        return self.label

    @property
    def figures(self) -> str:
        """Return further facts for a list in a terminal; empty for none."""
        return ""


def declared_fields(model: type[MemoryModel]) -> Mapping[str, MemoryField]:
    """Return the fields of a kind's model by name, in their order, without `kind` itself."""
    hints = get_type_hints(model, include_extras=True)
    defaults: Mapping[str, Any] = {
        name: None if info.default is PydanticUndefined else info.default
        for name, info in getattr(model, "__pydantic_fields__").items()  # noqa: B009
    }
    return {name: _field(name, hints[name], default) for name, default in defaults.items() if name != "kind"}


def _field(name: str, hint: Any, default: Any) -> MemoryField:
    assert get_origin(hint) is Annotated, f"{name} has no About"
    plain, about = get_args(hint)[:2]
    members = get_args(plain)
    optional = NoneType in members
    if optional:
        plain = next(member for member in members if member is not NoneType)
    options = members if get_origin(plain) is Literal else ()
    kind = str if options else (get_origin(plain) or plain)
    return MemoryField(name=name, about=about, type=kind, optional=optional, options=options, default=default)
