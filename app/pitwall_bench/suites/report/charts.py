"""The report's drawings as inline SVG in the stylesheet's colours; no line is identified by colour alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from pitwall_bench.suites.statistics import LEVELS, Row
from pitwall_bench.suites.summary import cost_of

_SHAPES = ("circle", "square", "triangle", "diamond", "cross", "plus")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_COLOURS = 8
_CELL_W, _CELL_H = 74, 40


def bar(value: float, low: float, high: float, series: int) -> str:
    """Draw a share with its interval as a small bar of 120 pixels."""
    x = [round(4 + 112 * value_at, 1) for value_at in (low, value, high)]
    colour = f"var(--s{series % _COLOURS + 1})"
    return (
        '<svg width="120" height="16" aria-hidden="true"><line class="grid" x1="4" y1="8" x2="116" y2="8"/>'
        f'<line x1="{x[0]}" y1="8" x2="{x[2]}" y2="8" stroke="{colour}" stroke-width="5" opacity=".45"/>'
        f"{mark(x[1], 8.0, series, 4.5)}</svg>"
    )


def key(names: Sequence[str]) -> str:
    """Draw the key of the marks."""
    items = "".join(
        f'<li><svg width="16" height="16" aria-hidden="true">{mark(8, 8, at, 5)}</svg>{escape(name)}</li>'
        for at, name in enumerate(names)
    )
    return f'<ul class="key">{items}</ul>'


def mark(x: float, y: float, series: int, size: float = 5.0) -> str:
    """Draw a series' mark in its colour and shape."""
    colour, shape = f"var(--s{series % _COLOURS + 1})", _SHAPES[series % len(_SHAPES)]
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" fill="{colour}"/>'
    if shape in ("cross", "plus"):
        turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if shape == "cross" else ""
        path = f"M{x - size:.1f} {y:.1f}H{x + size:.1f}M{x:.1f} {y - size:.1f}V{y + size:.1f}"
        return f'<path d="{path}" stroke="{colour}" stroke-width="2.5" fill="none"{turn}/>'
    corners = {"square": (45, 4, 1.25), "triangle": (-90, 3, 1.3), "diamond": (0, 4, 1.3)}[shape]
    return f'<polygon points="{_ring(x, y, size * corners[2], corners[0], corners[1])}" fill="{colour}"/>'


def heat_map(rows: Sequence[Row], agents: Sequence[str], games: Sequence[str]) -> str:
    """Draw agents × games: progress as shade and number, successes below it."""
    rows_by_cell = {(row.agent, row.game): row for row in rows}
    left, top = 8 + max(7 * len(name) for name in (*agents, "agent")), 92
    width, height = left + _CELL_W * len(games) + 24, top + _CELL_H * len(agents) + 8
    parts = []
    for column, game in enumerate(games):
        x = left + _CELL_W * column + _CELL_W / 2
        place = f'x="{x:.0f}" y="{top - 10}" transform="rotate(-40 {x:.0f} {top - 10})"'
        parts.append(f"<text {place}>{escape(game)}</text>")
    for line, agent in enumerate(agents):
        y = top + _CELL_H * line
        parts.append(f'<text x="{left - 8}" y="{y + 24}" text-anchor="end">{escape(agent)}</text>')
        for column, game in enumerate(games):
            parts.append(_cell(rows_by_cell.get((agent, game)), left + _CELL_W * column, y))
    title = "Progress of agents in games; the table of tasks below has every figure"
    return _svg(width, height, title, "".join(parts))


def _cell(row: Row | None, x: int, y: int) -> str:
    box = f'x="{x + 1}" y="{y + 1}" width="{_CELL_W - 2}" height="{_CELL_H - 2}" rx="3"'
    if row is None or row.success is None or row.progress is None:
        note = "not played" if row is not None else "–"
        text = f'<text class="dim" x="{x + _CELL_W / 2:.0f}" y="{y + 24}" text-anchor="middle">{note}</text>'
        return f'<rect class="empty" {box}/>{text}'
    shade = 0.08 + 0.5 * row.progress.mean
    middle = x + _CELL_W / 2
    return (
        f'<rect class="heat" fill-opacity="{shade:.2f}" {box}/>'
        f'<text x="{middle:.0f}" y="{y + 18}" text-anchor="middle">{100 * row.progress.mean:.0f} %</text>'
        f'<text class="dim" x="{middle:.0f}" y="{y + 32}" text-anchor="middle" style="font-size:10.5px">'
        f"{row.success.wins}/{row.success.runs}</text>"
    )


def radar(rows: Sequence[Row], agents: Sequence[str]) -> str:
    """Draw progress over the five curriculum levels; a level without runs has no points."""
    radius, cx, cy = 130.0, 250.0, 170.0
    levels: dict[str, dict[int, float]] = {}
    for row in rows:
        if row.progress is not None:
            levels.setdefault(row.agent, {})[row.level] = row.progress.mean
    parts = [
        f'<polygon class="grid" points="{_ring(cx, cy, radius * share, -90, 5)}"/>'
        for share in (0.25, 0.5, 0.75, 1.0)
    ]
    for level, name in LEVELS.items():
        x, y = _spoke(cx, cy, radius, level)
        tx, ty = _spoke(cx, cy, radius + 16, level)
        anchor = "middle" if abs(tx - cx) < 20 else "start" if tx > cx else "end"
        parts.append(f'<line class="grid" x1="{cx}" y1="{cy}" x2="{x:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{tx:.1f}" y="{ty + 4:.1f}" text-anchor="{anchor}">{level} {name}</text>')
    for share in (0.5, 1.0):
        y = cy - radius * share + 12
        parts.append(f'<text class="dim" x="{cx + 5}" y="{y:.0f}" style="font-size:10px">{share:.0%}</text>')
    parts += [_web(levels.get(name, {}), at, (cx, cy, radius)) for at, name in enumerate(agents)]
    return _svg(500, 330, "Progress by curriculum level", "".join(parts))


def _web(values: Mapping[int, float], series: int, circle: tuple[float, float, float]) -> str:
    cx, cy, radius = circle
    points = {level: _spoke(cx, cy, radius * value, level) for level, value in values.items()}
    colour, dash = f"var(--s{series % _COLOURS + 1})", _DASHES[series % len(_DASHES)]
    style = f'stroke="{colour}" stroke-width="2" fill="none"' + (
        f' stroke-dasharray="{dash}"' if dash else ""
    )
    edges = [(level, level % 5 + 1) for level in LEVELS if level in points and level % 5 + 1 in points]
    lines = "".join(
        f'<line {style} x1="{points[a][0]:.1f}" y1="{points[a][1]:.1f}" '
        f'x2="{points[b][0]:.1f}" y2="{points[b][1]:.1f}"/>'
        for a, b in edges
    )
    return lines + "".join(mark(x, y, series, 4) for x, y in points.values())


def _spoke(cx: float, cy: float, length: float, level: int) -> tuple[float, float]:
    angle = math.radians(-90 + 72 * (level - 1))
    return cx + length * math.cos(angle), cy + length * math.sin(angle)


def scatter(rows: Sequence[Row], agents: Sequence[str], front: Sequence[str]) -> str:
    """Draw cost against success with its exact interval; a dashed line joins the agents that none beats."""
    shown = [row for row in rows if row.success is not None]
    costs = [cost_of(row) for row in shown]
    left, right, top, bottom = 52.0, 480.0, 14.0, 270.0
    most = max([*costs, 1.0]) * 1.08
    across = [left + (right - left) * cost / most for cost in costs]
    parts = [_axes(most, left, right, top, bottom)]
    joined = sorted(
        (x, bottom - (bottom - top) * row.success.share)
        for x, row in zip(across, shown, strict=True)
        if row.success is not None and row.agent in front
    )
    parts.append(f'<polyline class="front" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in joined)}"/>')
    for x, row in zip(across, shown, strict=True):
        if row.success is None:
            continue
        series = agents.index(row.agent) if row.agent in agents else 0
        y = [
            bottom - (bottom - top) * share
            for share in (row.success.exact_low, row.success.share, row.success.exact_high)
        ]
        colour = f"var(--s{series % _COLOURS + 1})"
        parts.append(
            f'<line x1="{x:.1f}" y1="{y[0]:.1f}" x2="{x:.1f}" y2="{y[2]:.1f}" stroke="{colour}" '
            f'stroke-width="3" opacity=".45"/>{mark(x, y[1], series, 6)}'
        )
    return _svg(500, 320, "Success against tokens of an average run", "".join(parts))


def _axes(most: float, left: float, right: float, top: float, bottom: float) -> str:
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = bottom - (bottom - top) * share
        parts.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(f'<text class="dim" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for step in range(5 if most >= 4 else 1):  # where nobody asked a model the axis is one point, 0
        x, value = left + (right - left) * step / 4, most * step / 4
        label = f"{value / 1000:.1f} k" if most >= 4000 else f"{value:.0f}"
        parts.append(f'<text class="dim" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    parts.append(f'<text x="{(left + right) / 2}" y="{bottom + 40}" text-anchor="middle">tokens a run</text>')
    return "".join(parts)


def _ring(cx: float, cy: float, radius: float, start_deg: float, corners: int) -> str:
    angles = [math.radians(start_deg + 360 / corners * at) for at in range(corners)]
    return " ".join(f"{cx + radius * math.cos(a):.1f},{cy + radius * math.sin(a):.1f}" for a in angles)


def _svg(width: float, height: float, title: str, body: str) -> str:
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    return f'<svg {size} role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>{body}</svg>'
