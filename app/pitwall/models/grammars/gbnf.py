"""Writes a grammar in GBNF, as llama.cpp reads it, for replies that are one line of compact JSON.

Everything is ASCII: other letters are written as JSON escapes, so no reply is cut inside a character.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

_CHARACTER = r"[ !#-\x5B\x5D-~]"
"""What free text is made of: printable ASCII without quotes and backslashes."""
_FIRST = r"[!#-\x5B\x5D-~]"


def literal(text: str) -> str:
    """Return GBNF for exactly these characters of the reply."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def inside_string(text: str) -> str:
    """Return GBNF for these characters inside a JSON string."""
    return literal(json.dumps(text, ensure_ascii=True)[1:-1])


def string_of(text: str) -> str:
    """Return a whole JSON string with its quotes."""
    return literal(json.dumps(text, ensure_ascii=True))


def free_text(least: int, most: int) -> str:
    """Return a JSON string of free text of this length whose first character is no blank."""
    text = f"{_FIRST} {_CHARACTER}{{0,{most - 1}}}"
    return f'"\\"" {text if least else f"({text})?"} "\\""'


def one_of_text() -> str:
    """Write one character of free text, blanks too."""
    return _CHARACTER


def either(parts: Sequence[str]) -> str:
    """Write a choice of alternatives; of none, nothing at all."""
    if not parts:
        return '""'
    return parts[0] if len(parts) == 1 else f"({' | '.join(parts)})"


def branching(ways: Sequence[tuple[str, str]]) -> str:
    """Write a choice of names, each with its continuation. A common beginning of names is written once:
    at each character the fewer ways are open, the less a library has to try.

    Args:
        ways: names of plain ASCII letters, each different, with GBNF that may be empty.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, rest in ways:
        groups.setdefault(name[:1], []).append((name, rest))
    parts = []
    for group in groups.values():
        names = [name for name, _ in group]
        low, high = min(names), max(names)
        differs = (place for place, (a, b) in enumerate(zip(low, high, strict=False)) if a != b)
        shared = low[: next(differs, len(low))]
        after = group[0][1] if len(group) == 1 else branching([(n[len(shared) :], rest) for n, rest in group])
        parts.append(" ".join(piece for piece in (literal(shared) if shared else "", after) if piece) or '""')
    return either(parts)


def an_object(members: Sequence[tuple[str, str]]) -> str:
    """Return an object with these members, name and body, in this order."""
    parts = []
    for number, (name, body) in enumerate(members):
        before = "," if number else "{"
        parts += [literal(f"{before}{json.dumps(name)}:"), body]
    return " ".join([*parts, literal("}")])


def a_list(body: str, least: int, most: int) -> str:
    """Return a list of at least one and at most so many items of a kind."""
    more = f' ("," {body}){{{max(0, least - 1)},{most - 1}}}' if most > 1 else ""
    return f'"[" {body}{more} "]"'


class Rules:
    """The rules of one grammar, in the order in which they were added."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}

    def add(self, name: str, body: str) -> str:
        """Add a rule (or the same rule again); return its name."""
        self._rules[name] = body
        return name

    def text(self, root: str) -> str:
        """Return the grammar."""
        lines = [f"root ::= {root}", *(f"{name} ::= {body}" for name, body in self._rules.items())]
        return "\n".join(lines) + "\n"
