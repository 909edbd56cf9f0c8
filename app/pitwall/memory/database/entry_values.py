"""Prepares values from outside: words of a command line, cells of a table, contents of files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pitwall.core.memory_kinds import CONTENT_TYPES, MemoryContent
from pitwall.core.validation import expectation
from pitwall.memory.database.checks import FieldFault
from pitwall.memory.text import normalise

_GAME = re.compile(r"[a-z][a-z0-9-]{0,59}")


class UnfitValue(Exception):
    """A value does not fit its field."""

    def __init__(self, fault: FieldFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(CONTENT_TYPES[kind])


def content_of(kind: str, values: Mapping[str, object]) -> MemoryContent:
    """Return contents of a kind; texts that say a number count as the number.

    Raises:
        UnfitValue: a field is missing, or its value is of another type.
    """
    try:
        content: MemoryContent = _adapter(kind).validate_python({**values, "kind": kind})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            raise UnfitValue(FieldFault(field, "is missing", "a value")) from None
        expected = expectation(first)
        raise UnfitValue(FieldFault(field, f"is {first['input']!r}", expected)) from None
    return content


def listed(text: str, separator: str = "") -> list[str]:
    """Return the texts in a value of a list field: a JSON list, or one text, or texts between separators.

    Raises:
        ValueError: it begins like a JSON list, and is none.
    """
    if text.lstrip().startswith("["):
        return [str(item) for item in json.loads(text)]
    parts = text.split(separator) if separator else [text]
    return [part.strip() if separator else part for part in parts if part.strip()]


def is_game_id(game_id: str) -> bool:
    """Return whether a text has the form of a game's id."""
    return _GAME.fullmatch(game_id) is not None


def normalised(content: MemoryContent) -> MemoryContent:
    """Return contents as the memory stores them: the state of an SA-MB item is normalised."""
    if content.kind != "action":
        return content
    state = normalise(content.state)
    return content if state == content.state else replace(content, state=state)
