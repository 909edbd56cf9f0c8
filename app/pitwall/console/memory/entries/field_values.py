"""From what was typed to a content's field and back. No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pitwall.console.memory.format import kind_of, value_text
from pitwall.console.memory.kinds import TABLES, Field
from pitwall.core.memories import MemoryContent


class Unreadable(ValueError):
    """What was typed is no value of the field; its text says why."""


def field_of(content: MemoryContent, name: str) -> Field:
    """A content's field by its name."""
    return next(field for field in TABLES[kind_of(content)].fields if field.name == name)


def text_of(content: MemoryContent, field: Field) -> str:
    """What an editor of the field shows."""
    value = getattr(content, field.name)
    if field.name == "target":
        return str(value or 0)
    if field.edit == "integer":
        return f"{value}"
    return "" if value is None else value_text(field.name, value)


def with_text(content: MemoryContent, field: Field, text: str) -> MemoryContent:
    """The content with one field as it was typed.

    Raises:
        Unreadable: it is no such value.
    """
    values: dict[str, Any] = {field.name: _value(field, text)}
    return replace(content, **values)


def _value(field: Field, text: str) -> Any:
    typed = text.strip()
    match field.edit:
        case "integer":
            return _integer(field, typed)
        case "number":
            return _number(typed)
        case "actions":
            return tuple(line.strip() for line in text.splitlines() if line.strip())
        case "choice":
            if typed not in field.choices:
                raise Unreadable(f"One of {', '.join(field.choices)}.")
            return typed
        case "text":
            return text.strip()
        case _:
            return " ".join(text.split())


def _integer(field: Field, typed: str) -> int | None:
    try:
        number = int(typed.replace(",", "").replace(" ", "") or "0")
    except ValueError:
        raise Unreadable("Write a whole number.") from None
    if abs(number) > 2**53:
        raise Unreadable("That is too large a number.")
    return None if field.name == "target" and number == 0 else number


def _number(typed: str) -> float:
    try:
        number = float(typed.replace(",", ".").replace("−", "-") or "0")
    except ValueError:
        raise Unreadable("Write a number.") from None
    if number != number or abs(number) == float("inf"):
        raise Unreadable("Write a finite number.")
    return number
