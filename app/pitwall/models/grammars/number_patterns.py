"""Numbers within exact bounds as character classes, which GBNF and regular expressions write alike."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

_DIGIT = "[0-9]"
_UNBOUNDED = Decimal(9999)
"""How far a grammar reaches where a parameter sets no bound."""
_STEPS = 100
"""About how many steps a fractional range gets; its number of decimals follows from it."""
_MOST_DECIMALS = 6


def whole_patterns(low: float | None, high: float | None) -> list[str]:
    """Return patterns that together match exactly the whole numbers from `low` to `high`; none if empty."""
    bottom, top = _bounds(low, high)
    return _scaled(int(bottom.to_integral_value(ROUND_CEILING)), int(top.to_integral_value(ROUND_FLOOR)), 0)


def decimal_patterns(low: float | None, high: float | None) -> list[str]:
    """Return patterns for numbers from `low` to `high` with a fixed count of decimals; none if empty."""
    bottom, top = _bounds(low, high)
    decimals = 2
    while decimals < _MOST_DECIMALS and (top - bottom) * 10**decimals < _STEPS:
        decimals += 1
    scale = Decimal(10) ** decimals
    return _scaled(
        int((bottom * scale).to_integral_value(ROUND_CEILING)),
        int((top * scale).to_integral_value(ROUND_FLOOR)),
        decimals,
    )


def _bounds(low: float | None, high: float | None) -> tuple[Decimal, Decimal]:
    bottom = Decimal(repr(low)) if low is not None and math.isfinite(low) else None
    top = Decimal(repr(high)) if high is not None and math.isfinite(high) else None
    if bottom is None:
        bottom = -_UNBOUNDED if top is None else min(-_UNBOUNDED, top - _UNBOUNDED)
    return bottom, max(_UNBOUNDED, bottom + _UNBOUNDED) if top is None else top


def _scaled(low: int, high: int, decimals: int) -> list[str]:
    """Return patterns for whole numbers, each with a point before its last `decimals` digits."""
    patterns = []
    if low < 0:
        patterns += [f"[-]{pattern}" for pattern in _natural(max(1, -high), -low, decimals)]
    if high >= 0:
        patterns += _natural(max(0, low), high, decimals)
    return patterns


def _natural(low: int, high: int, decimals: int) -> list[str]:
    """Return patterns for non-negative numbers, by count of digits; shorter numbers are padded with 0."""
    patterns = []
    for digits in range(decimals + 1, len(str(max(high, 0))) + decimals + 2):
        least = 0 if digits == decimals + 1 else 10 ** (digits - 1)
        bottom, top = max(low, least), min(high, 10**digits - 1)
        if bottom <= top:
            for classes in _same_length(f"{bottom:0{digits}d}", f"{top:0{digits}d}"):
                point = ["[.]"] if decimals else []
                whole = digits - decimals
                patterns.append("".join([*classes[:whole], *point, *classes[whole:]]))
    return patterns


def _same_length(low: str, high: str) -> list[list[str]]:
    """Return digit classes that match exactly the numbers between two of equal length."""
    if not low:
        return [[]]
    first, last, rest = int(low[0]), int(high[0]), len(low) - 1
    if first == last:
        return [[_digit(first, last), *tail] for tail in _same_length(low[1:], high[1:])]
    below: list[list[str]] = []
    above: list[list[str]] = []
    if low[1:] != "0" * rest:
        below = [[_digit(first, first), *tail] for tail in _same_length(low[1:], "9" * rest)]
        first += 1
    if high[1:] != "9" * rest:
        above = [[_digit(last, last), *tail] for tail in _same_length("0" * rest, high[1:])]
        last -= 1
    between = [[_digit(first, last), *[_DIGIT] * rest]] if first <= last else []
    return [*below, *between, *above]


def _digit(first: int, last: int) -> str:
    return f"[{first}]" if first == last else f"[{first}-{last}]"
