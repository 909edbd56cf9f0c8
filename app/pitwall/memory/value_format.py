"""Formats values for prompts. Texts from the screen or from a model are in quotes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from pitwall.core.observations import Value
from pitwall.models.replies.reply_object import clean

QUOTED_LENGTH = 120
_IN_A_ROW = 6
_LONG_TEXT = 24
"""Longest text, in characters, whose old and new value a prompt describes."""


def quoted(text: str, most: int = QUOTED_LENGTH) -> str:
    """Return an external text: cleaned, on one line, bounded, in quotes that it cannot close."""
    return json.dumps(clean(text, most), ensure_ascii=False)


def format_value(value: Value, most: int = QUOTED_LENGTH) -> str:
    """Format a field's value: text in quotes, cut to `most` characters; numbers with at most two decimals."""
    match value:
        case None:
            return "unknown"
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value, most)
        case float() if math.isfinite(value) and abs(value) < 1e15:
            return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
    return str(value)


def format_with_unit(value: Value, unit: str, most: int = QUOTED_LENGTH) -> str:
    """Format a value, with the unit if it is a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{format_value(value)} {unit}" if unit and is_number else format_value(value, most)


def field_lines(
    values: Mapping[str, Value], units: Mapping[str, str], lengths: Mapping[str, int] | None = None
) -> list[str]:
    """Return lines with every field that was read, several on each line. lengths: of texts, in characters.

    The schema names the other fields.
    """
    most = lengths or {}
    read = [
        f"{name} = {format_with_unit(value, units.get(name, ''), most.get(name, QUOTED_LENGTH))}"
        for name, value in values.items()
        if value is not None and name != "status"
    ]
    return [f"- {'; '.join(read[at : at + _IN_A_ROW])}" for at in range(0, len(read), _IN_A_ROW)]


def format_changes(
    changed: Mapping[str, tuple[Value, Value]], units: Mapping[str, str], most: int = 6
) -> str:
    """Describe changes of fields, old and new value; empty for none.

    A long text is only marked as changed: its new value is among the fields, and repeating a map for each
    step would fill the prompt.
    """
    parts = [
        f"{name} changed"
        if _is_long(before) or _is_long(after)
        else f"{name} {format_value(before)} -> {format_with_unit(after, units.get(name, ''))}"
        for name, (before, after) in list(changed.items())[:most]
    ]
    if len(changed) > most:
        parts.append(f"{len(changed) - most} more")
    return ", ".join(parts)


def _is_long(value: Value) -> bool:
    return isinstance(value, str) and len(value) > _LONG_TEXT
