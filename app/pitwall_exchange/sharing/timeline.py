"""Draws a run over its time as SVG: who drove, the score, the visual change, calls and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from pitwall.core.signals import WEIGHED
from pitwall.store.run_track import ROUTES, RunTrack

_WIDTH, _LEFT = 1080, 92
_ROW, _CURVE = 18, 64
_MOST_POINTS = 900
_MOST_EVENTS = 400


def timeline(track: RunTrack) -> str:
    """Draw the run; every row has a name, and the routes are described below."""
    if not len(track.at_s) or track.seconds <= 0:
        return "<p>No step was recorded.</p>"
    rows = [*_rows(track)]
    height = sum(tall for _, tall, _ in rows) + 28
    parts, top = [], 4
    for name, tall, drawn in rows:
        middle = top + tall / 2 + 4
        parts.append(f'<text class="dim" x="{_LEFT - 10}" y="{middle:.0f}" text-anchor="end">{name}</text>')
        parts.append(f'<g transform="translate(0 {top})">{drawn}</g>')
        top += tall
    parts.append(_axis(track.seconds, top))
    shares = ", ".join(
        f"{route.value} {int((track.routes == at).sum()):,}"
        for at, route in enumerate(ROUTES)
        if (track.routes == at).any()
    )
    title = "The run over its time: route, score, visual change, model calls and events"
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    return (
        f'<figure><div class="scroll"><svg {size} '
        f'role="img" aria-label="{title}"><title>{title}</title>{"".join(parts)}</svg></div>'
        f"<figcaption>Steps by route: {escape(shares)}. The visual change is d (SPEC §1); "
        "marks are takeovers, pauses, refusals and faults.</figcaption></figure>"
    )


def _rows(track: RunTrack) -> Iterator[tuple[str, int, str]]:
    """Yield each row: its name, its height in pixels, its drawing."""
    yield "route", _ROW, "".join(_routes(track))
    if len(track.scores):
        yield "score", _CURVE, _curve(track.score_at_s, track.scores, track.seconds, "score", held=True)
    change = track.signals[:, list(WEIGHED).index("change")].astype(np.float64)
    yield "change d", _CURVE, _curve(track.at_s, change, track.seconds, "")
    if track.calls:
        drawn = "".join(
            f'<rect class="call" x="{_x(call.at_s, track):.1f}" y="4" height="{_ROW - 8}" '
            f'width="{max(1.5, _x(call.at_s + call.took_s, track) - _x(call.at_s, track)):.1f}">'
            f"<title>{escape(call.purpose)}, step {call.step}</title></rect>"
            for call in track.calls
        )
        yield "model calls", _ROW, drawn
    if track.events:
        drawn = "".join(
            f'<circle class="mark" cx="{_x(event.at_ns / 1e9, track):.1f}" cy="{_ROW / 2}" r="3">'
            f"<title>{escape(event.kind)}: {escape(event.text)}</title></circle>"
            for event in track.events[:_MOST_EVENTS]
        )
        yield "events", _ROW, drawn


def _routes(track: RunTrack) -> Iterator[str]:
    """Draw stretches of one route as bars."""
    begin, until = 0, track.ends_s
    breaks = (np.diff(track.routes) != 0) | (until[:-1] < track.at_s[1:])
    for end in [*np.flatnonzero(breaks).tolist(), len(track.routes) - 1]:
        left, right = _x(float(track.at_s[begin]), track), _x(float(until[end]), track)
        route = ROUTES[int(track.routes[begin])].value
        label = f"{route}, steps {track.steps[begin]} to {track.steps[end]}"
        yield (
            f'<rect class="fill-{route}" x="{left:.1f}" y="3" width="{max(0.8, right - left):.1f}" '
            f'height="{_ROW - 6}"><title>{label}</title></rect>'
        )
        begin = end + 1


def _curve(
    at_s: NDArray[np.float64], values: NDArray[np.float64], seconds: float, kind: str, *, held: bool = False
) -> str:
    fine = np.isfinite(values)
    at_s, values = _fewer(at_s[fine], values[fine])
    if not len(values):
        return ""
    low, high = float(min(values.min(), 0.0)), float(values.max())
    room = _CURVE - 16
    span = (high - low) or 1.0
    x = _LEFT + (_WIDTH - _LEFT - 8) * np.clip(at_s / seconds, 0, 1)
    y = 8 + room * (1 - (values - low) / span)
    points = [f"M{x[0]:.1f} {y[0]:.1f}"]
    points += [
        f"H{right:.1f}V{down:.1f}" if held else f"L{right:.1f} {down:.1f}"
        for right, down in zip(x[1:], y[1:], strict=True)
    ]
    if held:
        points.append(f"H{_WIDTH - 8}")
    return (
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 8}" y1="{8 + room}" y2="{8 + room}"/>'
        f'<path class="line {kind}" d="{"".join(points)}"/>'
        f'<text class="dim" x="{_LEFT + 4}" y="16">{high:,.4g}</text>'
    )


def _fewer(
    at_s: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Reduce to at most so many points: the lowest and highest of each stretch, so that no peak is lost."""
    if len(values) <= _MOST_POINTS:
        return at_s, values
    keep: set[int] = set()
    for part in np.array_split(np.arange(len(values)), _MOST_POINTS // 2):
        keep |= {int(part[values[part].argmin()]), int(part[values[part].argmax()])}
    chosen: Sequence[int] = sorted(keep)
    return at_s[chosen], values[chosen]


def _axis(seconds: float, top: float) -> str:
    marks = []
    for at in range(6):
        second = seconds * at / 5
        x = _LEFT + (_WIDTH - _LEFT - 8) * at / 5
        anchor = "end" if at == 5 else "middle" if at else "start"
        marks.append(
            f'<text class="dim" x="{x:.0f}" y="{top + 16}" text-anchor="{anchor}">{second:,.0f} s</text>'
        )
    return "".join(marks)


def _x(second: float, track: RunTrack) -> float:
    return _LEFT + (_WIDTH - _LEFT - 8) * min(1.0, max(0.0, second / track.seconds))
