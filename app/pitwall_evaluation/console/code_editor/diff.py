"""Compares two texts line by line, a module's rules among them. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of both texts, or of one of them.

    Attributes:
        old, new: its number in each text, from 1; None where it is not in it.
    """

    sign: Literal[" ", "+", "-"]
    text: str
    old: int | None
    new: int | None


def diff(before: str, after: str) -> list[DiffLine]:
    """Return every line of both texts, removed lines before added ones."""
    a, b = before.splitlines(), after.splitlines()
    lines: list[DiffLine] = []
    for tag, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [DiffLine(" ", a[a0 + at], a0 + at + 1, b0 + at + 1) for at in range(a1 - a0)]
            continue
        lines += [DiffLine("-", a[at], at + 1, None) for at in range(a0, a1)]
        lines += [DiffLine("+", b[at], None, at + 1) for at in range(b0, b1)]
    return lines


def changed(lines: Sequence[DiffLine]) -> tuple[int, int]:
    """Return the counts lines that were added, and lines that were removed."""
    return sum(line.sign == "+" for line in lines), sum(line.sign == "-" for line in lines)
