"""Numbers as an operator reads them: counts, shares, intervals, tallies. No Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pitwall.console.kit.format import NONE


def compact(value: float) -> str:
    """A count that takes little room: 800, 50 k, 1.25 M."""
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return minus(f"{value / size:.4g} {name}")
    return minus(f"{value:.6g}")


def number(value: float, unit: str = "") -> str:
    """A measured number with three figures and its unit; a dash where there is none."""
    if not math.isfinite(value):
        return NONE
    size = abs(value)
    if size >= 100_000:
        text = compact(float(f"{value:.3g}"))
    elif size >= 99.95:
        text = f"{value:,.0f}"
    elif size >= 9.995:
        text = f"{value:.1f}"
    elif size >= 0.0995 or size == 0:
        text = f"{value:.2f}" if size else "0"
    else:
        text = f"{value:.2g}".replace("e-0", "e−").replace("e-", "e−")
    return f"{minus(text)} {unit}".rstrip()


def score_text(value: float, unit: str = "") -> str:
    """A score as games show it: "12", "1,250", "3.5 gems"."""
    return minus(f"{value:,.6g} {unit}".rstrip())


def share(value: float) -> str:
    """A share of one in per cent: 19 %, 0.4 %."""
    if not math.isfinite(value):
        return NONE
    if 0 < value < 0.0005:
        return "<0.1 %"
    return f"{100 * value:.1f} %" if 0 < value < 0.0995 else f"{100 * value:.0f} %"


def minus(text: str) -> str:
    """A number's text with a true minus sign."""
    return text.replace("-", "−", 1) if text.startswith("-") else text


def interval_words(low: float, high: float) -> str:
    """An interval of shares of one: "31 … 86 %"; a dash where there is none."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return NONE
    return f"{share(low).removesuffix(' %')} … {share(high)}"


def points_words(difference: float) -> str:
    """A difference of shares in points of a hundred: "+12", "−3.5"."""
    if not math.isfinite(difference):
        return NONE
    points = 100 * difference
    text = f"{points:+.0f}" if abs(points) >= 9.95 else f"{points:+.1f}"
    return "0" if abs(points) < 0.05 else minus(text)


def tally(counts: Mapping[str, int], none: str = "none") -> str:
    """ "no tool call 3 · out of space 1", most first; `none` where nothing was counted."""
    found = sorted(((count, name) for name, count in counts.items() if count), reverse=True)
    return " · ".join(f"{name.replace('_', ' ')} {count:,}" for count, name in found) or none


def count_share(part: int, whole: int) -> str:
    """ "12 (3 %)"; only the count where there is no whole."""
    return f"{part:,} ({100 * part / whole:.0f} %)" if whole else f"{part:,}"
