"""Builds the table and the form of each kind of entries from the kind's declared fields."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.table.model import Column
from pitwall.console.kit.theme import SMALL_PX, TEXT_PX
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import GREATEST, LINE_LENGTH, KindFacts, MemoryField, MemoryKind
from pitwall.core.memory_kinds import BETWEEN_STATES, CONTENT_TYPES, MemoryContent, fields_of
from pitwall.core.quantities import NONE, age, seconds_since
from pitwall_evaluation.console.memory_changes.differences import value_text
from pitwall_memory_editor.console.format import rate, source, tries


@dataclass(frozen=True, slots=True)
class EntryColumn(Column[MemoryEntry]):
    """A column of a kind's table.

    Attributes:
        order: name that the reader sorts by; empty: the column cannot be sorted.
        edits: field that is edited in place; empty: none.
        state: field that holds a state's id, whose text the cell shows; empty: none.
    """

    order: str = ""
    edits: str = ""
    state: str = ""


GAME = EntryColumn("Game", lambda entry: entry.game_id, tone="dim", width=96, order="game_id")
"""Shown where a table holds entries of all games."""


@dataclass(frozen=True, slots=True)
class KindTable:
    """The table of a kind, and the form of its entries.

    Attributes:
        fields: a form field for each field of the contents.
        tried: whether its entries count successes and tries.
    """

    kind: MemoryKind
    facts: KindFacts
    columns: tuple[EntryColumn, ...]
    fields: tuple[Field, ...]
    tried: bool

    def blank(self) -> MemoryContent:
        """Return the contents of a new entry."""
        values = {
            field.name: time.time() if field.about.moment else field.start
            for field in fields_of(self.kind).values()
        }
        return cast(MemoryContent, CONTENT_TYPES[self.kind](**values))


# ---- forms


def _form_field(field: MemoryField) -> Field:
    about = field.about
    label = f"{about.label}, {about.unit}" if about.unit else about.label
    if about.fixed:
        return Field(key=field.name, label=label, kind="fixed")
    if field.options:
        return Field(key=field.name, label=label, kind="choice", options=field.options)
    plain = Field(key=field.name, label=label, hint=about.hint, help=about.help, write=str)
    if field.type is tuple:
        return replace(plain, kind="code", read=_lines, write="\n".join)
    if field.type is float:
        return replace(plain, read=_decimal, write=lambda value: value_text(field, value))
    if field.type is int and field.optional:
        return replace(plain, read=lambda text: _whole(text) or None, write=lambda value: str(value or 0))
    if field.type is int:
        return replace(plain, read=_whole)
    if about.several_lines or about.longest > LINE_LENGTH:
        return replace(plain, kind="lines", read=str.strip)
    return replace(plain, kind="code" if about.term == "condition" else "text", read=_one_line)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _whole(text: str) -> int:
    try:
        number = int(text.replace(",", "").replace(" ", "") or "0")
    except ValueError:
        raise ValueError("Write a whole number.") from None
    if abs(number) > GREATEST:
        raise ValueError("That is too large a number.")
    return number


def _decimal(text: str) -> float:
    try:
        number = float(text.strip().replace(",", ".").replace("−", "-") or "0")
    except ValueError:
        raise ValueError("Write a number.") from None
    if not math.isfinite(number):
        raise ValueError("Write a finite number.")
    return number


# ---- tables


def _columns(kind: str) -> tuple[EntryColumn, ...]:
    successes = {field.about.tries: field.name for field in fields_of(kind).values()}
    shown = [field for field in fields_of(kind).values() if field.about.cell is not None]
    number = (_NUMBER,) if CONTENT_TYPES[kind].facts.numbered else ()
    return (*(_column(field, successes.get(field.name, "")) for field in shown), *number, _AGE, _SOURCE)


def _column(field: MemoryField, successes: str) -> EntryColumn:
    about, cell = field.about, field.about.cell
    assert cell is not None
    text = _cell_text(field, successes)
    computed = bool(about.tries) or cell.shows == "tries"
    names_state = about.refers_to == MemoryKind.NODE
    return EntryColumn(
        cell.heading,
        lambda entry: text(entry.content),
        number=field.type is not str and not names_state,
        tone="dim" if about.moment else "text",
        px=SMALL_PX if about.moment else TEXT_PX,
        width=cell.width,
        stretch=0 if cell.width else 1,
        least_room=cell.least_room,
        order="success_rate" if about.tries else field.name,
        edits=field.name if cell.edited and not computed else "",
        state=field.name if names_state else "",
    )


def _cell_text(field: MemoryField, successes: str) -> Callable[[Any], str]:
    """Return what writes a field of contents into a cell.

    Args:
        successes: field that counts the successes among the tries that this field counts.
    """
    about, name = field.about, field.name
    if about.refers_to == MemoryKind.NODE:
        return lambda content: _state_number(getattr(content, name))
    if about.tries:
        return lambda content: rate(getattr(content, name), getattr(content, about.tries))
    if about.cell is not None and about.cell.shows == "tries":
        return lambda content: tries(getattr(content, successes), getattr(content, name))
    if about.moment:
        return lambda content: age(seconds_since(at)) if (at := getattr(content, name)) else NONE
    if field.type in (int, float):
        return lambda content: _figure(field, getattr(content, name))
    return lambda content: _one_line(str(getattr(content, name)))


def _state_number(number: int | None) -> str:
    return f"state {number}" if number is not None else "not known"


def _figure(field: MemoryField, value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:,}" if field.type is int else f"{value:.{field.about.decimals}f}"


_AGE = EntryColumn(
    "Changed",
    lambda entry: age(seconds_since(entry.changed_at)),
    number=True,
    tone="dim",
    width=88,
    order="changed_at",
    least_room=460,
)
_SOURCE = EntryColumn(
    "Source", lambda entry: source(entry.changed_by), tone="dim", width=124, order="author", least_room=560
)
_NUMBER = EntryColumn(
    "No.",
    lambda entry: f"{entry.entry_id}",
    number=True,
    tone="dim",
    width=64,
    order="entry_id",
    least_room=700,
)


# ---- kinds

GRAPH_KINDS = (MemoryKind.NODE, *map(MemoryKind, BETWEEN_STATES))
TABLES: dict[MemoryKind, KindTable] = {
    kind: KindTable(
        kind,
        CONTENT_TYPES[kind].facts,
        _columns(kind),
        tuple(map(_form_field, fields_of(kind).values())),
        tried=any(field.about.tries for field in fields_of(kind).values()),
    )
    for kind in sorted(MemoryKind, key=lambda kind: kind in GRAPH_KINDS)
}
"""The kinds that the graph shows come last."""


def field_of(content: MemoryContent, name: str) -> Field:
    """Return the form field of a content's field."""
    return next(field for field in TABLES[MemoryKind(content.kind)].fields if field.key == name)


def text_of(content: MemoryContent, name: str) -> str:
    """Return the value of a field as it is typed."""
    write, value = field_of(content, name).write, getattr(content, name)
    return write(value) if write is not None else str(value)


def with_text(content: MemoryContent, name: str, text: str) -> MemoryContent:
    """Return the content with the typed value of one field.

    Raises:
        ValueError: the text is not a value of the field; its message says why.
    """
    read = field_of(content, name).read
    values: dict[str, Any] = {name: read(text) if read is not None else text}
    return replace(content, **values)
