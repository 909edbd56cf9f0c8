"""Checks an entry's contents: an operator's edit beyond a bound is refused, an agent's is cut to it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import ConditionError
from pitwall.core.memories import MemoryContent, SkillMemory
from pitwall.memory.database.records import fields_of

TEXT_LENGTH = 16_000
"""Most characters of a text that tells something."""
LINE_LENGTH = 2_000
"""Most characters of a name, a condition, an action, an item of a list."""
LIST_LENGTH = 64
_TEXTS = frozenset({"state", "text", "construction"})
_MUST: Mapping[str, tuple[str, ...]] = {
    "action": ("state", "action"),
    "node": ("text",),
    "edge": ("action",),
    "likeness": (),
    "skill": ("name", "when", "subgoal"),
    "episode": ("text",),
    "knowledge": ("text",),
    "note": ("text",),
    "procedure": ("action", "construction"),
}
_WANTED: Mapping[str, str] = {
    "state": "the state it was done in",
    "action": "an action",
    "construction": "how it was constructed",
    "name": "a name",
    "when": "the condition that fires it",
    "subgoal": "what it is to reach",
}
"""What stands in a field that must not be empty; a text where nothing else is said."""
_BOUNDS: Mapping[str, tuple[float, float]] = {
    "reward": (-1e9, 1e9),
    "successes": (0, 2**53),
    "attempts": (0, 2**53),
    "uses": (0, 2**53),
    "count": (0, 2**53),
    "at_s": (0, 1e11),
    "cosine": (-1, 1),
    "priority": (-1_000_000, 1_000_000),
    "steps": (1, 1000),
    "cooldown_steps": (0, 1000),
    "run_id": (1, 2**53),
    "source": (1, 2**53),
    "target": (1, 2**53),
    "first": (1, 2**53),
    "second": (1, 2**53),
    "similar_to": (1, 2**53),
}
_TRIES: Mapping[str, str] = {
    "action": "attempts",
    "edge": "attempts",
    "procedure": "attempts",
    "skill": "uses",
}


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
        """The fault as a sentence of its own."""
        return f"{self.field.replace('_', ' ').capitalize()} {self.problem}; expected {self.expected}."


def first_fault(content: MemoryContent) -> FieldFault | None:
    """Return the first fault in contents of the right types; None if there is none."""
    return next(faults_of(content), None)


def acting_fault(skill: SkillMemory) -> FieldFault | None:
    """Say that a skill has both actions and a module, or neither; None where it acts in one way."""
    if bool(skill.actions) is not bool(skill.module):
        return None
    both = "given" if skill.module else "missing"
    return FieldFault("actions", f"and module are both {both}", "one of them: a skill acts in one way")


def cut(content: MemoryContent) -> MemoryContent:
    """Contents within the bounds: what an agent writes is shortened where a person's would be refused."""
    changes: dict[str, Any] = {}
    for name in fields_of(content.kind):
        value = getattr(content, name)
        if isinstance(value, str):
            fitting: Any = value[: _longest(name)]
        elif isinstance(value, tuple):
            fitting = tuple(item[:LINE_LENGTH] for item in value[:LIST_LENGTH])
        elif isinstance(value, float) and not math.isfinite(value):
            fitting = 0.0
        else:
            continue
        if fitting != value:
            changes[name] = fitting
    return dataclasses.replace(content, **changes) if changes else content


def faults_of(content: MemoryContent) -> Iterator[FieldFault]:
    """Every fault in contents of the right types."""
    for name in _MUST[content.kind]:
        if not getattr(content, name).replace("\0", "").strip():
            yield FieldFault(name, "is empty", _WANTED.get(name, "a text"))
    for name in fields_of(content.kind):
        yield from _value_faults(name, getattr(content, name))
    tries = _TRIES.get(content.kind)
    if tries is not None and getattr(content, "successes") > getattr(content, tries):  # noqa: B009
        yield FieldFault("successes", f"is more than {tries}", f"at most {getattr(content, tries):,}")
    if content.kind == "likeness" and content.first == content.second:
        yield FieldFault("second", f"is {content.second}, as first is", "another state: none is like itself")
    if content.kind == "skill":
        yield from _condition_faults("when", content.when)
        if content.stop:
            yield from _condition_faults("stop", content.stop)
        if fault := acting_fault(content):
            yield fault


def _value_faults(name: str, value: object) -> Iterator[FieldFault]:
    if isinstance(value, str):
        longest = _longest(name)
        if len(value) > longest:
            yield FieldFault(name, f"has {len(value)} characters", f"at most {longest}")
    elif isinstance(value, tuple):
        if len(value) > LIST_LENGTH:
            yield FieldFault(name, f"has {len(value)} items", f"at most {LIST_LENGTH}")
        for item in value:
            if len(item) > LINE_LENGTH:
                yield FieldFault(name, f"has an item of {len(item)} characters", f"at most {LINE_LENGTH}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = _BOUNDS[name]
        if not (math.isfinite(value) and low <= value <= high):
            yield FieldFault(name, f"is {value}", f"a number from {low:g} to {high:g}")


def _condition_faults(name: str, text: str) -> Iterator[FieldFault]:
    if not text.strip() or len(text) > LINE_LENGTH:
        return
    try:
        parse_condition(text)
    except ConditionError as error:
        yield FieldFault(
            name, f"is no condition ({error.what.rstrip('.')})", "like health < 30 and not door_open"
        )


def _longest(name: str) -> int:
    return TEXT_LENGTH if name in _TEXTS else LINE_LENGTH
