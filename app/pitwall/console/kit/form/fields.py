"""Declarations of form fields: labels, units, bounds, checks. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel

Kind = Literal[
    "text",
    "lines",
    "code",
    "number",
    "choice",
    "segments",
    "radio",
    "switch",
    "flag",
    "flags",
    "list",
    "file",
    "new_file",
    "folder",
    "chord",
    "fixed",
]
"""Type of a field, with the type of its value:

text, lines (several), code (several, fixed width), file, new_file (to write), folder, chord,
fixed (shown only): str;
number: int, or float where `decimals` is not 0; choice (list to open), segments, radio: an option's value;
switch ("On"/"Off"), flag (a tick with its label): bool; flags: list of the ticked options' values;
list (numbers with commas): list[int].
"""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a choice.

    Attributes:
        word: as it is shown. help: tooltip, under a radio button its note.
        refused: why it cannot be chosen now; empty where it can.
    """

    value: Any
    word: str
    help: str = ""
    refused: str = ""


OptionLike = Option | str | tuple[Any, str] | tuple[Any, str, str]
"""An option, or a word that is its own value, or (value, word), or (value, word, help)."""


def options_of(options: Iterable[OptionLike]) -> tuple[Option, ...]:
    """Return the options in whatever form they were written."""
    return tuple(_option(option) for option in options)


def _option(option: OptionLike) -> Option:
    if isinstance(option, Option):
        return option
    return Option(option, option) if isinstance(option, str) else Option(*option)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Declares a field of a form.

    Attributes:
        label: text beside or above the editor. name: accessible name, where the label is not enough.
        default: the initial value; None means the empty value of the kind.
        help: a phrase beside the field, or its tooltip in a compact form.
        more: tooltip of the editor, which a screen reader reads after the help.
        hint: shown in the editor while it is empty.
        unit, least, most, step, decimals: of a number; step 0 is derived from the bounds.
        special: shown in place of the least number.
        options: of choice, segments, radio, flags. files: filter of the file dialog.
        read: text to value; raises ValueError with a sentence for invalid text. write: the reverse.
        check: returns a sentence on what is wrong with a value; empty where it fits.
        joins: put the field in the line of the field before it. width: pixels, 0 for the form's own.
    """

    key: str
    label: str
    kind: Kind = "text"
    name: str = ""
    default: Any = None
    help: str = ""
    more: str = ""
    hint: str = ""
    unit: str = ""
    least: float = 0
    most: float = 1_000_000_000
    step: float = 0
    decimals: int = 0
    special: str = ""
    prefix: str = ""
    options: tuple[OptionLike, ...] = ()
    files: str = ""
    read: Callable[[str], Any] | None = None
    write: Callable[[Any], str] | None = None
    check: Callable[[Any], str] | None = None
    joins: bool = False
    width: int = 0

    @property
    def spoken(self) -> str:
        """Return the accessible name with the unit."""
        return self.name or (f"{self.label}, {self.unit}" if self.unit else self.label)


def declared_field(model: type[BaseModel], key: str, /, **changes: Any) -> Field:
    """Return the form's field for a field of a pydantic model: its type, bounds, default, description.

    Args:
        changes: replace parts of it, its label for example.
    """
    info = model.model_fields[key]
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    plain = info.annotation
    if get_origin(plain) in (Union, UnionType):
        plain = next(kind for kind in get_args(plain) if kind is not NoneType)
    options = get_args(plain) if get_origin(plain) is Literal else ()
    kinds: dict[Any, Kind] = {bool: "switch", int: "number", float: "number"}
    decimals = int(changes.get("decimals", 0 if plain is int else 3))
    field = Field(
        key=key,
        label=str(extra.get("label", "")) or info.description or key,
        help=(info.description or "") if extra.get("label") else "",
        kind="choice" if options else kinds.get(plain, "text"),
        default=None if info.is_required() else info.get_default(call_default_factory=False),
        unit=str(extra.get("unit", "")),
        options=options,
        decimals=decimals,
        **_bounds(info.metadata, 10.0**-decimals),
    )
    return replace(field, **changes)


def _bounds(rules: Iterable[Any], nudge: float) -> dict[str, Any]:
    """Bounds that a model declares; those that are themselves outside are moved inside by `nudge`."""
    attributes: dict[str, Any] = {}
    for rule in rules:
        if isinstance(rule, Ge | Gt):
            edge: Any = rule.ge if isinstance(rule, Ge) else rule.gt
            attributes["least"] = edge if isinstance(rule, Ge) else edge + nudge
        elif isinstance(rule, Le | Lt):
            edge = rule.le if isinstance(rule, Le) else rule.lt
            attributes["most"] = edge if isinstance(rule, Le) else edge - nudge
    return attributes


def read_numbers(text: str) -> list[int]:
    """Parse whole numbers that are separated by commas or spaces.

    Raises:
        ValueError: a part is not a whole number.
    """
    parts = text.replace(",", " ").split()
    if not all(part.isdecimal() for part in parts):
        raise ValueError("Whole numbers with commas between them, as 64, 64.")
    return [int(part) for part in parts]


def write_numbers(numbers: Iterable[int]) -> str:
    """Write whole numbers as they are typed: "64, 64"."""
    return ", ".join(str(number) for number in numbers)
