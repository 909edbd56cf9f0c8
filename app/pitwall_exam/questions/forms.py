"""Question forms: words with typed slots that can be filled, and read back from a question.

A form is written like "What is the action {offset:int} step(s) {side:before|after} the first step whose
action is '{action:name}'?". Slot types: int (digits), word (letters, digits, _ and -), name (any text, within
its quotes or up to the next literal), and one|of|these (alternatives, longest first).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Slots = dict[str, str | int]

_SLOT = re.compile(r"\{([a-z_]+):([^{}]+)\}")
_TYPES = {"int": r"\d+", "word": r"[\w-]+", "name": r".+?"}


@dataclass(frozen=True)
class Form:
    """The words of a question. Raises ValueError if a slot occurs twice."""

    words: str
    slots: dict[str, str] = field(init=False)
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        slots = _SLOT.findall(self.words)
        if len({name for name, _ in slots}) != len(slots):
            raise ValueError(f"a slot stands twice in {self.words!r}")
        object.__setattr__(self, "slots", dict(slots))
        object.__setattr__(self, "_pattern", re.compile(self._regex(), re.IGNORECASE))

    def ask(self, slots: Slots) -> str:
        """Fill the slots of the question. Raises KeyError if one is missing."""
        return _SLOT.sub(lambda slot: str(slots[slot.group(1)]), self.words)

    def read(self, question: str) -> Slots | None:
        """Read the slots of a question in this form, stripped of blanks; None if it has another form."""
        match = self._pattern.fullmatch(question.strip())
        if match is None:
            return None
        return {
            name: int(text) if self.slots[name] == "int" else text.strip()
            for name, text in match.groupdict().items()
        }

    def _regex(self) -> str:
        parts, last = [], 0
        for slot in _SLOT.finditer(self.words):
            parts.append(re.escape(self.words[last : slot.start()]))
            name, kind = slot.groups()
            inside = _TYPES.get(kind) or "|".join(
                re.escape(part) for part in sorted(kind.split("|"), key=len, reverse=True)
            )
            parts.append(f"(?P<{name}>{inside})")
            last = slot.end()
        parts.append(re.escape(self.words[last:]))
        return "".join(parts)


_PREFIX = "From step 1 to {}, "
_READ = re.compile(r"From step 1 to (\d{1,9}), ", re.IGNORECASE)


def within(question: str, horizon: int) -> str:
    """Limit a question about the whole episode to steps 1 … horizon; 0: no limit.

    The question keeps its capital letter, as the source's does.
    """
    return _PREFIX.format(horizon) + question if horizon else question


def read_horizon(question: str) -> tuple[str, int]:
    """Split a question into its text without the horizon's prefix, and the horizon; 0 if it has none."""
    match = _READ.match(question.lstrip())
    if match is None:
        return question, 0
    return question.lstrip()[match.end() :], int(match.group(1))
