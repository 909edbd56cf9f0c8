"""Finds things of one colour that move: the one that the keys move, and those that move by themselves.

Each is judged by what the field that follows it reads in every still, so that what is found is what is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pitwall.core.geometry import Rect
from pitwall.engine.drafting.finding.blob_search import LEAST_RANGE, follow
from pitwall.engine.drafting.finding.key_effects import LEAST_SPEEDS, KeyEffect, Speeds, strongest_effect
from pitwall.engine.drafting.finding.moving_colours import MovingKind, moving_kinds, stretches
from pitwall.engine.drafting.finding.played_minute import PlayedMinute, rect_box
from pitwall.engine.drafting.finding.proposal import Proposal, Role
from pitwall.engine.perception.colour_fields import read_blob
from pitwall.games.drafting.draft import identifier
from pitwall.games.schema.fields import BlobField

_MOST_KINDS, _MOST_MOVERS = 12, 3
_LEAST_SEEN = 0.2
"""Part of the played stills in which a thing is seen."""
_NEAR = 0.04
"""Part of the screen's longer side that is still the same place."""
_MOST_GAP_S = 0.45
"""Two stills further apart say nothing of a speed."""
_LEAST_GOING = 0.4
"""Part of its speeds that are other than 0, of what moves by itself."""
_MUCH_LESS = 0.5
"""Of the player's t: what the keys move so much less surely was carried, as a ball before its serve."""
_SURE_T = 12.0
"""Welch's t at which the keys' effect counts as certain."""


@dataclass(slots=True)
class _Trace:
    """A field, and where it found its thing: still → box, in screen pixels.

    Attributes:
        followed: part of the stills with the thing in the field's box in which it finds it there.
    """

    read: BlobField
    followed: float
    places: dict[int, Rect] = field(default_factory=dict)
    effect: KeyEffect | None = None

    def middles(self) -> NDArray[np.float64]:
        """(n, 2) x and y."""
        middles = [(one.x + one.width / 2, one.y + one.height / 2) for one in self.places.values()]
        return np.array(middles, np.float64).reshape(-1, 2)


def find_things(minute: PlayedMinute, hud: Sequence[Rect]) -> Iterator[list[Proposal] | None]:
    """Find what moves; None while a turn passes, then the list.

    Args:
        hud: places of numbers and bars, which move nothing.
    """
    runs, kinds = stretches(minute), list[MovingKind]()
    for turn in moving_kinds(minute, runs, hud):
        kinds = turn or kinds
        yield None
    played = [at for run in runs if len(run) >= LEAST_SPEEDS for at in run]
    traces: list[_Trace] = []
    for kind in kinds[:_MOST_KINDS]:
        if len(kind.places) >= LEAST_SPEEDS and (field_of := follow(kind, minute)):
            traces.append(_Trace(field_of.read, field_of.found))
        yield None
    for at in played:
        _look(traces, minute, at)
        yield None
    moving = [one for one in traces if _moves(one, minute, len(played))]
    for one in moving:
        one.effect = strongest_effect(_speeds(one, minute), minute.presses)
        yield None
    made: list[Proposal] = []
    own = max(moving, key=lambda one: _sure(one, len(played)) if one.effect else 0.0, default=None)
    if own is not None and own.effect is not None:
        made.append(_proposed(_strip(own, minute), played, "player", "player"))
        yield None
    kept = [own] if made and own is not None else []
    for one in moving:
        if own is not None and own.effect and one is not own and _goes_too(one, own.effect, minute):
            one.effect = None
    for one in sorted(moving, key=lambda one: -_sure(one, len(played))):
        if one.effect is None and _goes(one, minute) and not any(_beside(one, each, minute) for each in kept):
            kept.append(one)
            name = identifier("thing", frozenset(one.name for one in made))
            made.append(_proposed(one, played, "mover", name))
            yield None
        if sum(each.role == "mover" for each in made) == _MOST_MOVERS:
            break
    yield made


def _look(traces: Sequence[_Trace], minute: PlayedMinute, at: int) -> None:
    """Read each field in a still."""
    view = minute.view(at)
    for one in traces:
        found = read_blob(one.read, view).place
        if found is not None:
            one.places[at] = found


# ---- what its places say


def _moves(one: _Trace, minute: PlayedMinute, played: int) -> bool:
    if len(one.places) < max(LEAST_SPEEDS, _LEAST_SEEN * played):
        return False
    spread = np.ptp(np.quantile(one.middles(), [0.05, 0.95], axis=0), axis=0)
    return bool((spread > LEAST_RANGE * np.array([minute.screen.width, minute.screen.height])).any())


def _goes(one: _Trace, minute: PlayedMinute, axes: str = "xy") -> bool:
    speed = np.abs(_speeds(one, minute).speed[:, ["xy".index(axis) for axis in axes]]).max(axis=1)
    return len(speed) >= LEAST_SPEEDS and bool((speed > 10.0).mean() >= _LEAST_GOING)


def _goes_too(one: _Trace, own: KeyEffect, minute: PlayedMinute) -> bool:
    """Whether a key that seems to move it only carried it, as a ball before its serve: it answers much less
    surely than the player does, or goes the other way too, along which the player is not moved."""
    if one.effect is None or one.effect.t < _MUCH_LESS * own.t:
        return True
    across = "y" if own.axis == "x" else "x"
    return one.effect.axis == own.axis and one.effect.t < own.t and _goes(one, minute, across)


def _beside(one: _Trace, other: _Trace, minute: PlayedMinute) -> bool:
    """Whether it keeps its distance to another: its shadow, a part of it, or the same."""
    both = sorted(one.places.keys() & other.places.keys())
    if len(both) < 0.5 * len(one.places):
        return False
    away = np.subtract(
        *(replace(each, places={at: each.places[at] for at in both}).middles() for each in (one, other))
    )
    apart = np.abs(away - np.median(away, axis=0)).max(axis=1)
    return bool((apart < _NEAR * max(minute.screen.width, minute.screen.height)).mean() >= 0.6)


def _speeds(one: _Trace, minute: PlayedMinute) -> Speeds:
    found, middles = [], dict(zip(one.places, one.middles(), strict=True))
    for at in sorted(middles):
        if at + 1 not in middles:
            continue
        begin, end = float(minute.at_s[at]), float(minute.at_s[at + 1])
        if 0 < end - begin <= _MOST_GAP_S:
            moved = middles[at + 1] - middles[at]
            if np.abs(moved).max() < 0.3 * max(minute.screen.width, minute.screen.height):
                found.append((begin, end, *moved / (end - begin)))
    begins, ends, *speed = np.array(found, np.float64).reshape(-1, 4).T
    return Speeds(begin=begins, end=ends, speed=np.stack(speed, axis=1))


def _strip(one: _Trace, minute: PlayedMinute) -> _Trace:
    """The same in the strip that it keeps to, where it moves along one axis alone."""
    sides = np.array([(each.x, each.y, each.right, each.bottom) for each in one.places.values()])
    low, high = np.quantile(sides[:, :2], 0.02, axis=0), np.quantile(sides[:, 2:], 0.98, axis=0)
    size = np.array([minute.screen.width, minute.screen.height])
    box = Rect(*(one.read.box or (0, 0, *size)))
    keeps = np.ptp(np.quantile(one.middles(), [0.05, 0.95], axis=0), axis=0) <= LEAST_RANGE * size
    low = np.where(keeps, np.maximum(low - 4, (box.x, box.y)), (box.x, box.y))
    high = np.where(keeps, np.minimum(high + 4, (box.right, box.bottom)), (box.right, box.bottom))
    one.read = one.read.model_copy(update={"box": rect_box(minute.clipped(*low, *high))})
    return one


def _sure(one: _Trace, played: int) -> float:
    """How sure it is, 0 … 1."""
    seen = min(1.0, len(one.places) / (0.6 * played))
    if one.effect is None:
        return 0.9 * one.followed * seen
    effect = one.effect
    agreed = min(1.0, effect.agreed / (0.9 * effect.of))
    return one.followed * seen * min(1.0, 0.5 + effect.t / (2 * _SURE_T)) * agreed


def _proposed(one: _Trace, played: Sequence[int], role: Role, name: str) -> Proposal:
    xs, ys = one.middles().T
    seen = f"its colour is seen in {len(one.places)} of {len(played)} pictures, "
    seen += f"and in {100 * one.followed:.0f} % of those where it moves is found there"
    if one.effect is None:
        axis = "x" if np.ptp(xs) >= np.ptp(ys) else "y"
        words = f"moves over {np.ptp(xs):.0f} × {np.ptp(ys):.0f} px without a key; {seen}."
    else:
        effect, axis = one.effect, one.effect.axis
        words = (
            f"with {effect.key} it goes {effect.speed:+.0f} px/s along {effect.axis}, else "
            f"{effect.otherwise:+.0f} px/s, in {effect.agreed} of {effect.of} moments; {seen}."
        )
    read = one.read.model_copy(update={"name": name, "value": axis})
    return Proposal(
        role=role,
        name=name,
        box=read.box or (0, 0, 1, 1),
        confidence=_sure(one, len(played)),
        why=words,
        field=read,
        pictures={},
    )
