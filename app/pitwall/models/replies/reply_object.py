"""Finds the one JSON object in a model's text, with bounded work, and reads its values strictly.

Text on the game's screen may shape what a model writes: it is data from outside. Nothing in it is evaluated;
too long, too deep, doubled or unfit values are refused, and text is cleaned before it is kept.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from pitwall.core.actions import Invalid
from pitwall.core.errors import PitwallError
from pitwall.models.language import repeats_itself

MOST_CHARACTERS = 65_536
"""Longest part of a reply that is read, in characters."""
MOST_DEPTH = 6
"""Deepest nesting of objects and lists."""
_THOUGHT, _THOUGHT_OVER = "<think>", "</think>"
_BEGINNING = re.compile(r'\{\s*["}]')
_BLANKS = re.compile(r"\s+")


class BadReply(PitwallError):
    """A model's reply cannot be used.

    Args:
        invalid: the part of the invalid action rate that it counts for: `NO_CALL` if there is no
            call, `MALFORMED` if it was begun and cannot be read, `OUT_OF_SPACE` where every action it names
            is illegal; None for replies that need no action.
        proposed, illegal: actions it named, and how many of them were not legal.
    """

    def __init__(
        self, what: str, *, invalid: Invalid | None = None, proposed: int = 0, illegal: int = 0
    ) -> None:
        super().__init__(what)
        self.invalid = invalid
        self.proposed = proposed
        self.illegal = illegal


class ReplyObject:
    """A reply's object, read value by value.

    Args:
        values: as JSON has them.
        invalid: kind of invalid reply that a missing or unfit value causes.
    """

    def __init__(self, values: dict[str, Any], invalid: Invalid | None) -> None:
        self._values = values
        self._invalid = invalid

    def bad(self, what: str) -> BadReply:
        return BadReply(what, invalid=self._invalid)

    def has(self, name: str) -> bool:
        """Return whether there is a value other than null, empty or false."""
        return bool(self._values.get(name))

    def value(self, name: str) -> Any:
        """Return a value of any type; None if it is missing."""
        return self._values.get(name)

    def name(self, name: str) -> str:
        """Return a text exactly as it was written; empty if it is missing.

        Raises:
            BadReply: the value is not a text.
        """
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            raise self.bad(f"{name!r} in the reply is no text.")
        return value or ""

    def text(self, name: str, *, most: int, needed: bool = False) -> str:
        """Return a cleaned text of at most `most` characters; longer texts are cut.

        Raises:
            BadReply: the value is not a text, repeats a word over and over, or is `needed` and missing.
        """
        value = clean(self.name(name), most)
        if repeats_itself(value):
            raise self.bad(f"{name!r} in the reply repeats itself over and over.")
        if needed and not value:
            raise self.bad(f"the reply has no {name!r}.")
        return value

    def truth(self, name: str) -> bool:
        """Return a boolean value.

        Raises:
            BadReply: the value is not a boolean, or missing.
        """
        value = self._values.get(name)
        if not isinstance(value, bool):
            raise self.bad(f"{name!r} in the reply is neither true nor false.")
        return value

    def number(self, name: str, low: float, high: float) -> float:
        """Return a finite number from `low` to `high`.

        Raises:
            BadReply: the value is not a number, missing, or out of range.
        """
        value = self._values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.bad(f"{name!r} in the reply is no number.")
        if not low <= value <= high or not math.isfinite(value):
            raise self.bad(f"{name!r} in the reply is outside {low:g} … {high:g}.")
        return float(value)

    def whole(self, name: str, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`.

        Raises:
            BadReply: as `number`, or it has a fraction.
        """
        value = self.number(name, low, high)
        if value != int(value):
            raise self.bad(f"{name!r} in the reply is no whole number.")
        return int(value)

    def choice(self, name: str, options: Sequence[str]) -> str:
        """Return one of the allowed words.

        Raises:
            BadReply: the value is not among them.
        """
        value = self._values.get(name)
        if not isinstance(value, str) or value not in options:
            raise self.bad(f"{name!r} in the reply is not one of {', '.join(options)}.")
        return value

    def inner(self, name: str) -> ReplyObject:
        """Return an object inside this one; empty if it is missing.

        Raises:
            BadReply: the value has another type.
        """
        value = self._values.get(name)
        if value is None:
            return ReplyObject({}, self._invalid)
        if not isinstance(value, dict):
            raise self.bad(f"{name!r} in the reply is no object.")
        return ReplyObject(value, self._invalid)

    def items(self, name: str) -> list[Any]:
        """Return a list; empty if it is missing.

        Raises:
            BadReply: the value has another type.
        """
        value = self._values.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.bad(f"{name!r} in the reply is no list.")
        return value


def read_object(text: str, *, invalid: Invalid | None) -> ReplyObject:
    """Return the first JSON object in a reply, ignoring thoughts, prose and code fences around it.

    Raises:
        BadReply: there is none, it is cut off, or it is suspect (doubled keys, NaN, too deep).
    """
    _, over, rest = text[:MOST_CHARACTERS].rpartition(_THOUGHT_OVER)
    text = rest if over or not rest.lstrip().startswith(_THOUGHT) else ""
    match = _BEGINNING.search(text)
    if match is None:
        raise BadReply("there is no JSON object in the reply.", invalid=invalid)
    _check_depth(text, match.start(), invalid)
    try:
        value, _ = _DECODER.raw_decode(text, match.start())
    except (ValueError, RecursionError) as error:
        broken = Invalid.MALFORMED if invalid is not None else None
        raise BadReply(f"the reply's JSON does not parse: {str(error)[:120]}.", invalid=broken) from None
    return ReplyObject(value, invalid)


def clean(text: str, most: int) -> str:
    """Return printable text in one line of at most `most` characters.

    Control characters, direction marks and halves of surrogate pairs become blanks.
    """
    cut = text[: 4 * most]
    if not cut.isprintable():
        cut = "".join(character if character.isprintable() else " " for character in cut)
    return _BLANKS.sub(" ", cut).strip()[:most]


def _check_depth(text: str, start: int, invalid: Invalid | None) -> None:
    depth = 0
    inside = escaped = False
    for character in text[start:]:
        if inside:
            inside = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            inside = True
        elif character in "{[":
            depth += 1
            if depth > MOST_DEPTH:
                raise BadReply(f"the reply's JSON is more than {MOST_DEPTH} deep.", invalid=invalid)
        elif character in "}]":
            depth -= 1
            if depth <= 0:
                return


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key stands twice")
    return values


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant, strict=False)
"""Line breaks inside strings are let in (models write them); `clean` takes them out."""
