"""Reads places as models write them: named, in a list, as a box, in quotes, in tags, in percent."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?\s*%?")
_NAMED = re.compile(r"""["']?\b([xy])[12]?\b["']?\s*[:=]\s*["']?\[?\s*([-+]?\d*\.?\d+\s*%?)""", re.IGNORECASE)
_BRACKETS = re.compile(r"[\[(<]")
_MOST = 400


def middle_of(numbers: list[float]) -> tuple[float, float] | None:
    """Return the place of two numbers, or the middle of a box of four; None for anything else."""
    if len(numbers) == 4:
        return (numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def numbers_in(value: object) -> list[float]:
    """Return the numbers of a place as a call has it: a list, or a text with marks around its numbers."""
    if isinstance(value, list | tuple):
        return [float(number) for number in value if isinstance(number, int | float)]
    text = re.sub(r"<[^>]*>", " ", str(value)) if value is not None else ""
    return [float(number.rstrip("% ")) for number in _NUMBER.findall(text)]


def written_place(reply: str) -> tuple[float, float] | None:
    """Return the two numbers of a click in a free reply, in whatever scale; None: it names no place.

    A percent sign is left out: percent is a scale of its own.
    """
    text = reply.rpartition("</think>")[2][-_MOST:]
    named = [(name.lower(), value) for name, value in _NAMED.findall(text)]
    across = [value for name, value in named if name == "x"]
    down = [value for name, value in named if name == "y"]
    if across and len(across) == len(down):
        written = [number for pair in zip(across, down, strict=True) for number in pair]
    else:
        written = _NUMBER.findall(text)
        boxed = len(written) == 4 and _BRACKETS.search(text) is not None
        written = written if boxed else written[-2:]
    return middle_of([float(number.rstrip("% ")) for number in written])
