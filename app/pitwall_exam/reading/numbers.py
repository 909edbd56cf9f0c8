"""Finds the whole numbers of a question and the role of each: a step, a count, an end of a range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pitwall_exam.reading.tokens import Token, stem

Role = Literal["step", "count", "lo", "hi", "bare"]

_STEP = frozenset(map(stem, ("step", "turn", "timestep", "tick", "round")))
_UNIT = _STEP | set(map(stem, ("move", "tile", "square", "cell", "time", "space", "block")))
_TO = frozenset({"to", "through", "thru", "until", "till", "up", "and"})
_OPENS = frozenset(
    {"from", "between", "in", "during", "within", "over", "across", "for", "among", "out", "of"}
)
_UNTIL = frozenset({"until", "till", "through", "by", "to", "up", "before", "than"})
_FILLERS = frozenset(
    {"the", "to", "of", "and", "number", "no", "includ", "inclusiv", "in", "as", "at", "rang"}
)
_BOUNDS = frozenset({"up", "until", "till", "through", "by"})
_ORDINAL = frozenset({"st", "nd", "rd", "th"})


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number in a question.

    Attributes:
        first, last: its tokens, inclusive.
        written: in digits.
    """

    value: int
    role: Role
    first: int
    last: int
    written: bool


@dataclass(frozen=True, slots=True)
class Range:
    """A range of steps. lo is 1 if only the end is named. first, last: its tokens, inclusive."""

    lo: int
    hi: int
    first: int
    last: int
    both: bool


def numbers(text: str, tokens: Sequence[Token]) -> tuple[list[Numbered], list[Range]]:
    """Return the numbers of a text, without the ends of ranges, and the ranges of steps that it names."""
    ranges = _ranges(text, tokens)
    numbered: list[Numbered] = []
    for place, token in enumerate(tokens):
        if token.number is None:
            continue
        inside = next((stretch for stretch in ranges if stretch.first <= place <= stretch.last), None)
        if inside is not None:
            continue
        role = _role(tokens, place)
        if token.written or role in ("step", "count"):
            numbered.append(Numbered(token.number, role, place, place, token.written))
    return numbered, ranges


def _ranges(text: str, tokens: Sequence[Token]) -> list[Range]:
    ranges: list[Range] = []
    place = 0
    while place < len(tokens):
        stretch = _pair(text, tokens, place) or _bound(tokens, place)
        if stretch is not None and stretch.hi >= stretch.lo:
            ranges.append(stretch)
            place = stretch.last
        place += 1
    return ranges


def _pair(text: str, tokens: Sequence[Token], place: int) -> Range | None:
    """Read "from step 5 to step 20", "between steps 5 and 20", "steps 5-20", "steps 5 through 20"."""
    if not tokens[place].written:
        return None
    first = place
    while first and (tokens[first - 1].stem in _STEP or tokens[first - 1].stem in _FILLERS - {"and"}):
        first -= 1
    opened = first > 0 and tokens[first - 1].stem in _OPENS
    named = any(token.stem in _STEP for token in tokens[first:place])
    after, joined = _joined(text, tokens, place)
    if after is None or not (opened or named or joined == "-"):
        return None
    between = opened and tokens[first - 1].stem == "between"
    if joined == "and" and not between:
        return None
    if opened:
        first -= 1
    lo, hi = tokens[place].number, tokens[after].number
    assert lo is not None and hi is not None
    return Range(lo, hi, first, _with_end(tokens, after), True)


def _joined(text: str, tokens: Sequence[Token], place: int) -> tuple[int | None, str]:
    """Find the second number of a pair, and the word that joins the two."""
    following = place + 1
    if following < len(tokens) and tokens[following].written:
        gap = text[tokens[place].end : tokens[following].start].strip()
        return (following, "-") if gap and set(gap) <= set("-–—−.…") else (None, "")
    words: list[str] = []
    while following < len(tokens) and len(words) < 5 and not tokens[following].written:
        if tokens[following].stem not in _TO | _STEP | _FILLERS:
            return None, ""
        words.append(tokens[following].stem)
        following += 1
    if following >= len(tokens) or not words or not _TO & set(words):
        return None, ""
    return following, "and" if words[0] == "and" else "to"


def _bound(tokens: Sequence[Token], place: int) -> Range | None:
    """Read "up to step 50", "in the first 50 steps", "until step 50", "by step 50"."""
    value = tokens[place].number
    if value is None or not tokens[place].written:
        return None
    before = place - 1
    if (
        before >= 0
        and tokens[before].stem == "first"
        and place + 1 < len(tokens)
        and tokens[place + 1].stem in _STEP
        and tokens[place + 1].raw.endswith("s")
    ):
        return Range(1, value, _opening(tokens, before), place + 1, False)
    named = False
    while before >= 0 and tokens[before].stem in _STEP | _FILLERS:
        named = named or tokens[before].stem in _STEP
        before -= 1
    if not named or before < 0 or tokens[before].stem not in _BOUNDS:
        return None
    if tokens[before].stem == "up" and tokens[before + 1].stem not in ("to", "until", "through"):
        return None
    while before > 0 and tokens[before - 1].stem in _UNTIL:
        before -= 1
    return Range(1, value, before, place, False)


def _opening(tokens: Sequence[Token], place: int) -> int:
    while place and tokens[place - 1].stem in _OPENS | {"the"}:
        place -= 1
    return place


def _with_end(tokens: Sequence[Token], place: int) -> int:
    """Include a word that belongs to a range and follows it ("inclusive")."""
    after = place + 1
    return after if after < len(tokens) and tokens[after].stem in ("inclusiv", "includ") else place


def _role(tokens: Sequence[Token], place: int) -> Role:
    before = tokens[place - 1].stem if place else ""
    after = tokens[place + 1].stem if place + 1 < len(tokens) else ""
    two_after = tokens[place + 2].stem if place + 2 < len(tokens) else ""
    if tokens[place].written and (after in _ORDINAL and two_after in _STEP):
        return "step"
    if before in _STEP or (before == "number" and place > 1 and tokens[place - 2].stem in _STEP):
        return "step"
    if before == "and" and place > 2 and tokens[place - 2].written and tokens[place - 3].stem in _STEP:
        return "step"  # "steps 3 and 9"
    if after in _UNIT or (after == "mor" and two_after in _UNIT):
        return "count"
    if before in ("within", "by") and tokens[place].written:
        return "count"
    return "bare"
