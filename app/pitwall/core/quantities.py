"""Puts numbers, counts, sizes, ages and durations into words, alike on screen, in commands and in reports."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pitwall.core.runs import Spread

NONE = "–"
"""Shown where nothing was measured."""
_KIB = 1024
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


# ---- numbers


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: "1 step", "1,284 steps"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def compact(value: float) -> str:
    """Write a count that takes little room: 800, 50 k, 1.25 M."""
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return minus(f"{value / size:.4g} {name}")
    return minus(f"{value:.6g}")


def spelled(count: int) -> str:
    """Write a large count in words: "4.0 billion", "135 million"; a dash for 0."""
    for size, name in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if count >= size * 0.9995:
            return f"{count / size:.0f} {name}" if count >= size * 99.5 else f"{count / size:.1f} {name}"
    return f"{count}" if count else NONE


def number(value: float, unit: str = "") -> str:
    """Write a measured number with three figures and its unit; a dash for NaN and infinity."""
    if not math.isfinite(value):
        return NONE
    size = abs(value)
    if size >= 100_000:
        text = compact(float(f"{value:.3g}"))
    elif size >= 99.95 or value == int(value):
        text = f"{value:,.0f}"
    elif size >= 9.995:
        text = f"{value:.1f}"
    elif size >= 0.0995:
        text = f"{value:.2f}"
    else:
        text = f"{value:.2g}".replace("e-0", "e−").replace("e-", "e−")
    return f"{minus(text)} {unit}".rstrip()


def figure(value: float | None, unit: str) -> str:
    """Write a measurement to a tenth of its unit: 0.6 ms, 35.0 Hz; a dash where nothing was measured."""
    if value is None or not math.isfinite(value):
        return NONE
    if value >= 99.5:
        return f"{value:,.0f} {unit}"
    if 0 < value < 0.05:
        return f"<0.1 {unit}"
    return f"{value:.1f} {unit}"


def spread_text(spread: Spread) -> str:
    """Write a median, a tail and the number of measurements: "3.1 ms median, 9.0 ms p95, 120 times"."""
    if spread.p50 is None or spread.p95 is None:
        return "not measured"
    return f"{figure(spread.p50, 'ms')} median, {figure(spread.p95, 'ms')} p95, {counted(spread.n, 'time')}"


def score_text(value: float, unit: str = "") -> str:
    """Write a score as games show it: "12", "1,250", "3.5 gems", "1 gem"."""
    if value == 1 and unit.endswith("s") and not unit.endswith("ss"):
        unit = unit.removesuffix("s")
    return minus(f"{value:,.6g} {unit}".rstrip())


def minus(text: str) -> str:
    """Replace the hyphen of a negative number by a true minus sign."""
    return text.replace("-", "−", 1) if text.startswith("-") else text


# ---- shares and tallies


def share(value: float | None) -> str:
    """Write a share between 0 and 1 as a percentage: 19 %, 0.4 %; a dash for none."""
    if value is None or not math.isfinite(value):
        return NONE
    if 0 < value < 0.0005:
        return "<0.1 %"
    return f"{100 * value:.1f} %" if 0 < value < 0.0995 else f"{100 * value:.0f} %"


def interval_text(low: float, high: float) -> str:
    """Write an interval of shares: "31 … 86 %"; a dash where there is none."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return NONE
    return f"{share(low).removesuffix(' %')} … {share(high)}"


def share_with_interval(value: float | None, low: float, high: float) -> str:
    """Write a share with its interval: "63 % (31 … 86 %)"."""
    return f"{share(value)} ({interval_text(low, high)})"


def points_text(difference: float) -> str:
    """Write a difference of two shares in percentage points: "+12", "−3.5"."""
    if not math.isfinite(difference):
        return NONE
    value = 100 * difference
    text = f"{value:+.0f}" if abs(value) >= 9.95 else f"{value:+.1f}"
    return "0" if abs(value) < 0.05 else minus(text)


def count_share(part: int, whole: int) -> str:
    """Write a count and its share: "12 (3 %)"; only the count where the whole is 0."""
    return f"{part:,} ({100 * part / whole:.0f} %)" if whole else f"{part:,}"


def tally(counts: Mapping[str, int], none: str = "none", *, most: int = 0) -> str:
    """List counts by name, the largest first: "no tool call 3 · out of space 1".

    Args:
        none: returned where every count is 0.
        most: names to list; the rest are counted. 0 lists all.
    """
    ordered = sorted(((count, name) for name, count in counts.items() if count), reverse=True)
    parts = [f"{name.replace('_', ' ')} {count:,}" for count, name in ordered[: most or None]]
    if len(parts) < len(ordered):
        parts.append(f"{len(ordered) - len(parts)} more")
    return " · ".join(parts) or none


# ---- sizes


def byte_size(count: int) -> str:
    """Write a size in binary units: "2.3 GiB", "640 MiB", "0.5 MiB", "12 KiB"."""
    if count >= 1000 * _KIB**2:
        size = count / _KIB**3
        return f"{size:,.0f} GiB" if size >= 99.5 else f"{size:.1f} GiB"
    if count >= 100 * _KIB:
        size = count / _KIB**2
        return f"{size:,.0f} MiB" if size >= 9.95 else f"{size:.1f} MiB"
    return f"{count / _KIB:.0f} KiB" if count >= _KIB else f"{count} B"


def byte_share(part: int, whole: int) -> str:
    """Write two sizes, with one unit where both have the same: "2.9 of 21.4 GiB", "12 KiB of 21.4 GiB"."""
    small, large = byte_size(part), byte_size(whole)
    size, _, unit = small.partition(" ")
    return f"{size} of {large}" if large.endswith(f" {unit}") else f"{small} of {large}"


def byte_rate(bytes_per_s: float) -> str:
    """Write a transfer rate: "45 MiB/s"; empty below one byte a second."""
    return f"{byte_size(int(bytes_per_s))}/s" if bytes_per_s >= 1 else ""


# ---- times


def clock(seconds: float) -> str:
    """Write a time since a beginning: 0:07, 12:41, 1:02:03."""
    whole = int(seconds)
    hours, minutes = whole // _HOUR, whole // _MINUTE % 60
    if hours:
        return f"{hours}:{minutes:02}:{whole % _MINUTE:02}"
    return f"{minutes}:{whole % _MINUTE:02}"


def clock_tenths(seconds: float) -> str:
    """Write a time since a beginning to a tenth of a second: 12:41.2."""
    tenths = int(seconds * 10)
    return f"{clock(tenths / 10)}.{tenths % 10}"


def duration_text(seconds: float) -> str:
    """Write a length of time: "30 s", "12:41 min", "1:02:03 h"."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    return f"{clock(seconds)} {'min' if seconds < _HOUR else 'h'}"


def left(seconds: float) -> str:
    """Write the remaining time, at least 1 s: "26 s left", "3:05 min left", "1:02:03 h left"."""
    return f"{duration_text(max(1, round(seconds)))} left"


def age(seconds: float | None) -> str:
    """Write an age: "now", "40 s", "9 min", "5 h", "12 d"; a dash where it is not known."""
    if seconds is None:
        return NONE
    if seconds < 2:
        return "now"
    for most, unit, name in ((100, 1, "s"), (100 * _MINUTE, _MINUTE, "min"), (2 * _DAY, _HOUR, "h")):
        if seconds < most:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds / _DAY:,.0f} d"


def ago(seconds: float | None) -> str:
    """Write how long ago something was: "just now", "9 min ago"; a dash where it is not known."""
    text = age(seconds)
    return {"now": "just now", NONE: NONE}.get(text, f"{text} ago")


def seconds_since(moment: str | float, now_s: float | None = None) -> float | None:
    """Return the seconds since a moment, at least 0; None where it is not known.

    Args:
        moment: UTC seconds since 1970 (0: not known), or an ISO stamp; a stamp without zone is UTC.
        now_s: the present, in UTC seconds since 1970; by default the machine's.
    """
    now_s = time.time() if now_s is None else now_s
    if not isinstance(moment, str):
        return max(0.0, now_s - moment) if moment > 0 else None
    try:
        stamp = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return max(0.0, now_s - (stamp if stamp.tzinfo is not None else stamp.replace(tzinfo=UTC)).timestamp())


def local_time(moment: str | float, now: datetime | None = None) -> str:
    """Write a moment on the local clock: "today 14:02", "3 Nov 14:02", "3 Nov 2024 14:02".

    Args:
        moment: seconds since 1970, or an ISO stamp; any other text is returned as it is.
        now: the present, with its time zone; by default the machine's.
    """
    now = now or datetime.now().astimezone()
    if isinstance(moment, str):
        try:
            stamp = datetime.fromisoformat(moment).astimezone(now.tzinfo)
        except ValueError:
            return moment
    else:
        stamp = datetime.fromtimestamp(moment, now.tzinfo)
    clock = stamp.strftime("%H:%M")
    if stamp.date() == now.date():
        return f"today {clock}"
    year = f" {stamp.year}" if stamp.year != now.year else ""
    return f"{stamp.day} {stamp.strftime('%b')}{year} {clock}"


def date_time(at_s: float, *, seconds: bool = False) -> str:
    """Write seconds since 1970 as local date and time: "2025-03-01 14:02"; a dash for 0 and NaN."""
    if not (math.isfinite(at_s) and at_s > 0):
        return NONE
    return time.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M", time.localtime(at_s))
