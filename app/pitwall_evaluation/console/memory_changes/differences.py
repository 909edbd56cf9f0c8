"""The fields in which two versions of an entry differ, in words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pitwall.core.memory_fields import MemoryField
from pitwall.core.memory_kinds import MemoryContent, fields_of
from pitwall.core.quantities import NONE, date_time

_LONG = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that differs: its label, and its text on both sides."""

    title: str
    before: str
    after: str


def value_text(field: MemoryField, value: Any) -> str:
    """Return a field's value as text; a list has one item on each line."""
    if value is None:
        return NONE
    if field.about.moment:
        return date_time(float(value))
    if field.type is tuple:
        return "\n".join(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def content_fields(content: MemoryContent) -> dict[str, Any]:
    """Return the values of a content by field, without its kind."""
    return {name: getattr(content, name) for name in fields_of(content.kind)}


def differences(before: MemoryContent | None, after: MemoryContent | None) -> list[Difference]:
    """Return the fields that differ, in their order; all fields where one side is missing."""
    sides = [content_fields(side) if side is not None else {} for side in (before, after)]
    declared = {
        name: field for side in (before, after) if side for name, field in fields_of(side.kind).items()
    }
    rows = []
    for name, field in declared.items():
        left, right = ([side[name]] if name in side else [] for side in sides)
        if left != right:
            texts = [value_text(field, side[0]) if side else "" for side in (left, right)]
            if any(texts):
                rows.append(Difference(field.about.label, *texts))
    return rows


def cut(text: str, most: int = _LONG) -> str:
    """Cut a text to one line, at most so long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
