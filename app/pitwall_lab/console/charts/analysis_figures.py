"""Reads the answer of `pitwall gsm analyse --json` tolerantly: missing parts are left out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pitwall.core.quantities import clock, compact, number, share

Figures = Mapping[str, Any]
Rows = list[tuple[str, str]]


def part_of(figures: Figures, name: str) -> Figures:
    """Return a part that is an object; empty without one."""
    part = figures.get(name)
    return part if isinstance(part, Mapping) else {}


def parts_of(figures: Figures, name: str) -> list[Figures]:
    """Return a part that is a list of objects."""
    parts = figures.get(name)
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list | tuple) else []


def texts_of(figures: Figures, name: str) -> list[str]:
    """Return a part that is a list of sentences."""
    texts = figures.get(name)
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list | tuple) else []


def text_of(figures: Figures, name: str) -> str:
    """Return a word or sentence; empty without one."""
    text = figures.get(name)
    return text if isinstance(text, str) else ""


def value_of(figures: Figures, name: str) -> float:
    """Return a number; NaN without one."""
    value = figures.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return math.nan


def headline(figures: Figures) -> str:
    """Write the headline: "v2 · trained · 212,400 of 300,000 steps in 5:31"."""
    words = [text_of(figures, "version"), text_of(figures, "standing")]
    steps, wanted = value_of(figures, "steps"), value_of(figures, "steps_wanted")
    if steps > 0:
        of = f" of {wanted:,.0f}" if wanted > 0 else ""
        seconds = value_of(figures, "wall_s")
        words.append(f"{steps:,.0f}{of} steps" + (f" in {clock(seconds)}" if seconds > 0 else ""))
    return " · ".join(word for word in words if word)


def curve_rows(figures: Figures) -> Rows:
    """List the figures of the episode returns."""
    curve = part_of(figures, "curve")
    thirds = " → ".join(number(value_of(curve, name)) for name in ("first", "middle", "last"))
    rows = [("Course", text_of(curve, "shape")), ("Thirds of the training", f"{thirds} reward")]
    best, at = value_of(curve, "best"), value_of(curve, "best_step")
    if math.isfinite(best):
        rows.append(("Best, smoothed", f"{number(best)} at step {compact(at)}"))
    if math.isfinite(swing := value_of(curve, "swing")):
        rows.append(("Mean change between neighbouring points", f"{share(swing)} of its range"))
    return rows if curve else []


def stability_rows(figures: Figures) -> Rows:
    """List the figures of held-out evaluations: spread, loss against the best, time without improvement."""
    unit = text_of(figures, "unit")
    rows = []
    if steady := part_of(figures, "stability"):
        deviation = number(value_of(steady, "deviation"))
        rows.append(("Later half", f"{number(value_of(steady, 'mean'), unit)} ± {deviation}"))
        rows.append(("Largest drop", number(value_of(steady, "largest_drop"), unit)))
        for name, title in (("loss_growth", "Loss, first to last"), ("q_growth", "Mean Q, first to last")):
            if math.isfinite(growth := value_of(steady, name)):
                rows.append((title, f"× {number(growth)}"))
    if lost := part_of(figures, "regression"):
        sure = "" if lost.get("certain") is True else ", may be chance"
        now = f"{number(value_of(lost, 'now'), unit)} after {number(value_of(lost, 'best'), unit)}{sure}"
        rows.append(("Newest against best", now))
    if flat := part_of(figures, "plateau"):
        since, part = compact(value_of(flat, "since_step")), share(value_of(flat, "share"))
        rows.append(("No better since", f"step {since}, {part} of the training"))
    return rows


def comparison_rows(figures: Figures) -> Rows:
    """List the held-out scores of the parent and of this version."""
    unit, pair = text_of(figures, "unit"), part_of(figures, "comparison")
    if not pair:
        return []
    return [
        (text_of(pair, "parent") or "Parent", number(value_of(pair, "parent_mean"), unit)),
        (text_of(figures, "version") or "This version", number(value_of(pair, "mean"), unit)),
        ("Verdict", text_of(pair, "verdict")),
    ]


def trend_rows(trends: Sequence[Figures]) -> Rows:
    """List every mean's first tenth, last tenth and difference."""
    return [row for trend in trends for row in _trend(trend)]


def _trend(trend: Figures) -> Iterator[tuple[str, str]]:
    first, last, unit = value_of(trend, "first"), value_of(trend, "last"), text_of(trend, "unit")
    if math.isfinite(first) and math.isfinite(last):
        change = last - first
        sign = "+" if change > 0 else ""
        yield text_of(trend, "name"), f"{number(first)} → {number(last, unit)}  ({sign}{number(change)})"


def play_rows(figures: Figures) -> Rows:
    """List the figures of playing the version."""
    play, unit = part_of(figures, "play"), text_of(figures, "unit")
    if not play:
        return []
    listed = play.get("scores")
    scores = (
        [float(score) for score in listed if isinstance(score, int | float)]
        if isinstance(listed, list)
        else []
    )
    rows = [("Runs", compact(value_of(play, "runs")))]
    if scores:
        rows.append(("Mean score", number(sum(scores) / len(scores), unit)))
        rows.append(("Worst and best", f"{number(min(scores))} … {number(max(scores), unit)}"))
    for why, runs in part_of(play, "ended").items():
        rows.append((f"Ended: {why or 'at its end'}", f"{runs}×"))
    return rows
