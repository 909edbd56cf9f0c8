"""The parts of a reply's form, each as GBNF and as JSON schema side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pitwall.models.grammars.gbnf import an_object, either, free_text, string_of
from pitwall.models.replies.plan import MOST_STEPS

Schema = dict[str, Any]
Part = tuple[str, Schema]
"""A piece of a reply: GBNF and schema."""
Members = list[tuple[str, Part]]
_TRUTH = '("true" | "false")'
STEPS = "[1-9] [0-9]?"
_SHARE = '("0" ("." [0-9]{1,2})? | "1" (".0")?)'


def either_part(parts: Sequence[Part]) -> Part:
    """Join alternatives."""
    if len(parts) == 1:
        return parts[0]
    return either([gbnf for gbnf, _ in parts]), {"anyOf": [schema for _, schema in parts]}


def object_part(members: Members) -> Part:
    """Write an object with these members, in this order."""
    return an_object([(name, part[0]) for name, part in members]), {
        "type": "object",
        "properties": {name: part[1] for name, part in members},
        "required": [name for name, _ in members],
        "additionalProperties": False,
    }


def text_part(least: int, most: int) -> Part:
    """Write free text. The pattern is complete: some endpoints read nothing else where there is one."""
    first, more = r"[!#-\[\]-~]", r"[ !#-\[\]-~]"
    pattern = f"^{first}{more}{{0,{most - 1}}}$" if least else f"^{more}{{0,{most}}}$"
    schema = {"type": "string", "minLength": least, "maxLength": most, "pattern": pattern}
    return free_text(least, most), schema


def share_part() -> Part:
    """Write a share 0 … 1."""
    return _SHARE, {"type": "number", "enum": [number / 10 for number in range(11)]}


def truth_part() -> Part:
    """Write true or false."""
    return _TRUTH, {"type": "boolean"}


def steps_part() -> Part:
    """Write a number of steps."""
    return STEPS, {"type": "integer", "minimum": 1, "maximum": MOST_STEPS}


def choice_part(options: Sequence[str]) -> Part:
    """Write one of these texts."""
    return either([string_of(option) for option in options]), {"type": "string", "enum": list(options)}
