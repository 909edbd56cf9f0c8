"""Finds moving things of one colour: the thing that the keys move, and things that move by themselves.

Each is judged by the readings of its own field in every still, so that the field reads what was found.
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
"""Least share of the played stills in which a thing is seen."""
_NEAR = 0.04
"""Share of the screen's longer side within which a place counts as the same."""
_MOST_GAP_S = 0.45
"""Greatest time between two stills that show a speed."""
_LEAST_GOING = 0.4
"""Least share of speeds other than 0 of a thing that moves by itself."""
_MUCH_LESS = 0.5
"""Lowest t, relative to the player's, of a thing moved by the keys. Below it the thing was only carried, like
a ball before its serve."""
_SURE_T = 12.0
"""Welch's t at which the keys' effect counts as certain."""


@dataclass(slots=True)
class _Trace:
    """A field, and the places of its thing: still → box, in screen pixels.

    Attributes:
        followed: share of the stills with the thing in the field's box in which the field finds it.
    """

    read: BlobField
    followed: float
    places: dict[int, Rect] = field(default_factory=dict)
    effect: KeyEffect | None = None

    def middles(self) -> NDArray[np.float64]:
        """Return the middles of the places: (n, 2) x and y."""
        middles = [(box.x + box.width / 2, box.y + box.height / 2) for box in self.places.values()]
        return np.array(middles, np.float64).reshape(-1, 2)


def find_things(minute: PlayedMinute, hud: Sequence[Rect]) -> Iterator[list[Proposal] | None]:
    """Find moving things; yield None at each turn, then the list.

    Args:
        hud: places of numbers and bars, which are ignored.
    """
    runs, kinds = stretches(minute), list[MovingKind]()
    for turn in moving_kinds(minute, runs, hud):
        kinds = turn or kinds
        yield None
    played = [at for run in runs if len(run) >= LEAST_SPEEDS for at in run]
    traces: list[_Trace] = []
    for kind in kinds[:_MOST_KINDS]:
        if len(kind.places) >= LEAST_SPEEDS and (followed := follow(kind, minute)):
            traces.append(_Trace(followed.read, followed.share))
        yield None
    for at in played:
        _read_all(traces, minute, at)
        yield None
    moving = [trace for trace in traces if _moves(trace, minute, len(played))]
    for trace in moving:
        trace.effect = strongest_effect(_speeds(trace, minute), minute.presses)
        yield None
    made: list[Proposal] = []
    own = max(moving, key=lambda trace: _sure(trace, len(played)) if trace.effect else 0.0, default=None)
    if own is not None and own.effect is not None:
        made.append(_proposed(_strip(own, minute), played, "player", "player"))
        yield None
    kept = [own] if made and own is not None else []
    for trace in moving:
        if own is not None and own.effect and trace is not own and _goes_too(trace, own.effect, minute):
            trace.effect = None
    for trace in sorted(moving, key=lambda trace: -_sure(trace, len(played))):
        alone = trace.effect is None and not any(_beside(trace, other, minute) for other in kept)
        if alone and _goes(trace, minute):
            kept.append(trace)
            name = identifier("thing", frozenset(proposal.name for proposal in made))
            made.append(_proposed(trace, played, "mover", name))
            yield None
        if sum(proposal.role == "mover" for proposal in made) == _MOST_MOVERS:
            break
    yield made


def _read_all(traces: Sequence[_Trace], minute: PlayedMinute, at: int) -> None:
    view = minute.view(at)
    for trace in traces:
        if (place := read_blob(trace.read, view).place) is not None:
            trace.places[at] = place


# ---- judging a thing by its places


def _moves(trace: _Trace, minute: PlayedMinute, played: int) -> bool:
    if len(trace.places) < max(LEAST_SPEEDS, _LEAST_SEEN * played):
        return False
    spread = np.ptp(np.quantile(trace.middles(), [0.05, 0.95], axis=0), axis=0)
    return bool((spread > LEAST_RANGE * np.array([minute.screen.width, minute.screen.height])).any())


def _goes(trace: _Trace, minute: PlayedMinute, axes: str = "xy") -> bool:
    speed = np.abs(_speeds(trace, minute).speed[:, ["xy".index(axis) for axis in axes]]).max(axis=1)
    return len(speed) >= LEAST_SPEEDS and bool((speed > 10.0).mean() >= _LEAST_GOING)


def _goes_too(trace: _Trace, own: KeyEffect, minute: PlayedMinute) -> bool:
    """Return whether a key only carried it, like a ball before its serve.

    Then its effect is much less certain than the player's, or it also moves along the other axis.
    """
    if trace.effect is None or trace.effect.t < _MUCH_LESS * own.t:
        return True
    across = "y" if own.axis == "x" else "x"
    return trace.effect.axis == own.axis and trace.effect.t < own.t and _goes(trace, minute, across)


def _beside(trace: _Trace, other: _Trace, minute: PlayedMinute) -> bool:
    """Return whether it keeps its distance to another thing, as its shadow or a part of it."""
    both = sorted(trace.places.keys() & other.places.keys())
    if len(both) < 0.5 * len(trace.places):
        return False
    away = np.subtract(
        *(replace(thing, places={at: thing.places[at] for at in both}).middles() for thing in (trace, other))
    )
    apart = np.abs(away - np.median(away, axis=0)).max(axis=1)
    return bool((apart < _NEAR * max(minute.screen.width, minute.screen.height)).mean() >= 0.6)


def _speeds(trace: _Trace, minute: PlayedMinute) -> Speeds:
    speeds, middles = [], dict(zip(trace.places, trace.middles(), strict=True))
    for at in sorted(middles):
        if at + 1 not in middles:
            continue
        begin, end = float(minute.at_s[at]), float(minute.at_s[at + 1])
        if 0 < end - begin <= _MOST_GAP_S:
            moved = middles[at + 1] - middles[at]
            if np.abs(moved).max() < 0.3 * max(minute.screen.width, minute.screen.height):
                speeds.append((begin, end, *moved / (end - begin)))
    begins, ends, *speed = np.array(speeds, np.float64).reshape(-1, 4).T
    return Speeds(begin=begins, end=ends, speed=np.stack(speed, axis=1))


def _strip(trace: _Trace, minute: PlayedMinute) -> _Trace:
    """Restrict a thing's field to the strip that it stays in, if it moves along one axis."""
    sides = np.array([(place.x, place.y, place.right, place.bottom) for place in trace.places.values()])
    low, high = np.quantile(sides[:, :2], 0.02, axis=0), np.quantile(sides[:, 2:], 0.98, axis=0)
    size = np.array([minute.screen.width, minute.screen.height])
    box = Rect(*(trace.read.box or (0, 0, *size)))
    keeps = np.ptp(np.quantile(trace.middles(), [0.05, 0.95], axis=0), axis=0) <= LEAST_RANGE * size
    low = np.where(keeps, np.maximum(low - 4, (box.x, box.y)), (box.x, box.y))
    high = np.where(keeps, np.minimum(high + 4, (box.right, box.bottom)), (box.right, box.bottom))
    trace.read = trace.read.model_copy(update={"box": rect_box(minute.clipped(*low, *high))})
    return trace


def _sure(trace: _Trace, played: int) -> float:
    """Return its certainty, 0 … 1."""
    seen = min(1.0, len(trace.places) / (0.6 * played))
    if trace.effect is None:
        return 0.9 * trace.followed * seen
    effect = trace.effect
    agreed = min(1.0, effect.agreed / (0.9 * effect.of))
    return trace.followed * seen * min(1.0, 0.5 + effect.t / (2 * _SURE_T)) * agreed


def _proposed(trace: _Trace, played: Sequence[int], role: Role, name: str) -> Proposal:
    xs, ys = trace.middles().T
    seen = f"its colour is seen in {len(trace.places)} of {len(played)} pictures, "
    seen += f"and in {100 * trace.followed:.0f} % of those where it moves is found there"
    if trace.effect is None:
        axis = "x" if np.ptp(xs) >= np.ptp(ys) else "y"
        words = f"moves over {np.ptp(xs):.0f} × {np.ptp(ys):.0f} px without a key; {seen}."
    else:
        effect, axis = trace.effect, trace.effect.axis
        words = (
            f"with {effect.key} it goes {effect.speed:+.0f} px/s along {effect.axis}, else "
            f"{effect.otherwise:+.0f} px/s, in {effect.agreed} of {effect.of} moments; {seen}."
        )
    read = trace.read.model_copy(update={"name": name, "value": axis})
    return Proposal(
        role=role,
        name=name,
        box=read.box or (0, 0, 1, 1),
        confidence=_sure(trace, len(played)),
        why=words,
        field=read,
        pictures={},
    )
