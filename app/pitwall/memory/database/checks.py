"""Checks an entry's contents: an operator's edit beyond a bound is refused, an agent's is cut to it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError
from pitwall.core.memory_fields import LINE_LENGTH, LIST_LENGTH, About
from pitwall.core.memory_kinds import MemoryContent, SkillMemory, fields_of


@dataclass(frozen=True, slots=True)
class FieldFault:
    """Describes one fault in an entry."""

    field: str
    problem: str
    expected: str

    def __str__(self) -> str:
        return f"{self.field} {self.problem}; expected {self.expected}"

    @property
    def sentence(self) -> str:
        """Return the fault as a complete sentence."""
        return f"{self.field.replace('_', ' ').capitalize()} {self.problem}; expected {self.expected}."


def first_fault(content: MemoryContent) -> FieldFault | None:
    """Return the first fault in contents of the right types; None if there is none."""
    return next(faults_of(content), None)


def acting_fault(skill: SkillMemory) -> FieldFault | None:
    """Return the fault of a skill that has both actions and a module, or neither; else None."""
    if bool(skill.actions) is not bool(skill.module):
        return None
    both = "given" if skill.module else "missing"
    return FieldFault("actions", f"and module are both {both}", "one of them: a skill acts in one way")


def cut(content: MemoryContent) -> MemoryContent:
    """Cut contents to their bounds: the agent's texts are shortened where a person's would be refused."""
    changes: dict[str, Any] = {}
    for name, field in fields_of(content.kind).items():
        value = getattr(content, name)
        if isinstance(value, str):
            fitting: Any = value[: field.about.longest]
        elif isinstance(value, tuple):
            fitting = tuple(item[: field.about.longest] for item in value[:LIST_LENGTH])
        elif isinstance(value, float) and not math.isfinite(value):
            fitting = 0.0
        else:
            continue
        if fitting != value:
            changes[name] = fitting
    return dataclasses.replace(content, **changes) if changes else content


def faults_of(content: MemoryContent) -> Iterator[FieldFault]:
    """Yield every fault in contents of the right types."""
    fields = fields_of(content.kind)
    for name, field in fields.items():
        if field.about.expected and not getattr(content, name).replace("\0", "").strip():
            yield FieldFault(name, "is empty", field.about.expected)
    for name, field in fields.items():
        yield from _value_faults(name, getattr(content, name), field.about)
    for name, field in fields.items():
        if field.about.tries and getattr(content, name) > (tries := getattr(content, field.about.tries)):
            yield FieldFault(name, f"is more than {field.about.tries}", f"at most {tries:,}")
    if content.kind == "likeness" and content.first == content.second:
        yield FieldFault("second", f"is {content.second}, as first is", "another state: none is like itself")
    for name, field in fields.items():
        if field.about.term == "condition":
            yield from _condition_faults(name, getattr(content, name))
    if content.kind == "skill" and (fault := acting_fault(content)):
        yield fault


def _value_faults(name: str, value: object, about: About) -> Iterator[FieldFault]:
    if isinstance(value, str):
        if len(value) > about.longest:
            yield FieldFault(name, f"has {len(value)} characters", f"at most {about.longest}")
    elif isinstance(value, tuple):
        if len(value) > LIST_LENGTH:
            yield FieldFault(name, f"has {len(value)} items", f"at most {LIST_LENGTH}")
        for item in value:
            if len(item) > about.longest:
                yield FieldFault(name, f"has an item of {len(item)} characters", f"at most {about.longest}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        within = math.isfinite(value) and about.least <= value <= about.most
        if not within:
            yield FieldFault(name, f"is {value}", f"a number from {about.least:g} to {about.most:g}")


def _condition_faults(name: str, text: str) -> Iterator[FieldFault]:
    if not text.strip() or len(text) > LINE_LENGTH:
        return
    try:
        parse_condition(text)
    except ConditionError as error:
        yield FieldFault(
            name, f"is no condition ({error.what.rstrip('.')})", "like health < 30 and not door_open"
        )
