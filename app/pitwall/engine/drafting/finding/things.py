"""Finds things of one colour that move: the one that the keys move, and those that move by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.finding.key_effects import LEAST_SPEEDS, KeyEffect, Speeds, strongest_effect
from pitwall.engine.drafting.finding.played_minute import PlayedMinute, rect_box
from pitwall.engine.drafting.finding.proposal import Proposal, Role
from pitwall.engine.perception.frame_view import FrameView
from pitwall.engine.perception.patches import read_blob
from pitwall.games.drafting.draft import identifier
from pitwall.games.schema.fields import BlobField, Colour

_STANDS_OUT = 45
"""Difference of a channel from the ground, in levels."""
_LEAST_PX = 5
_SAME_COLOUR = 40.0
_MOST_KINDS = 40
_LEAST_SEEN = 0.25
"""Part of the stills in which a thing is seen."""
_MOST_GAP_S = 0.45
"""Two stills further apart say nothing of a speed."""
_LEAST_RANGE = 0.05
"""Part of the screen's side that it moves over."""
_SURE_T = 12.0
"""Welch's t at which the keys' effect counts as certain."""
_MOST_MOVERS, _FOLLOWED = 3, 60
_RETRACED, _MANY, _STOOD_OUT = 10, 4, (0.2, 0.6)
"""Kinds that are looked for again by their colour; where more things have it, it tells nothing."""


@dataclass(slots=True)
class _Kind:
    """Things of one colour and about one size: where the largest was in each still, in small pixels."""

    colour: NDArray[np.float32]
    area: float
    places: dict[int, tuple[float, float]] = field(default_factory=dict)
    rects: dict[int, Rect] = field(default_factory=dict)
    many: int = 0


def find_things(minute: PlayedMinute, hud: Sequence[Rect]) -> Iterator[list[Proposal] | None]:
    """Find what moves; None while a turn passes, then the list.

    Args:
        hud: places of numbers and bars, which move nothing.
    """
    kinds: list[_Kind] = []
    ground = np.median(minute.small[:: max(1, len(minute) // 31)], axis=0).astype(np.uint8)
    covered = [minute.to_small(rect) for rect in hud]
    for at in range(len(minute)):
        _sort(minute.small[at], ground, covered, kinds, at)
        yield None
    kinds.sort(key=lambda one: -len(one.places))
    for one in kinds[:_RETRACED]:
        if _STOOD_OUT[0] <= len(one.places) / max(1, len(minute)) <= _STOOD_OUT[1]:
            _retrace(one, minute, covered)
        yield None
    moving = [one for one in kinds if _moves(one, minute)]
    effects = {
        id(one): effect
        for one in moving
        if (effect := strongest_effect(_speeds(one, minute), minute.presses)) is not None
    }
    taken: set[str] = set()
    made: list[Proposal] = []
    for own in sorted((one for one in moving if id(one) in effects), key=lambda one: -effects[id(one)].t):
        made += _proposed(own, minute, effects[id(own)], taken)
        yield None
        if made:  # its shadow may move with it, and be found by its colour nowhere
            break
    others = [one for one in moving if id(one) not in effects]
    for one in others[: _MOST_MOVERS * 2]:
        if sum(found.role == "mover" for found in made) < _MOST_MOVERS:
            made += _proposed(one, minute, None, taken)
        yield None
    yield made


def _sort(picture: Pixels, ground: Pixels, covered: Sequence[Rect], kinds: list[_Kind], at: int) -> None:
    """Put what stands out of the ground in one still to its kind."""
    out = (np.asarray(cv2.absdiff(picture, ground)).max(axis=-1) > _STANDS_OUT).astype(np.uint8)
    for rect in covered:
        out[rect.y : rect.bottom, rect.x : rect.right] = 0
    count, labels, stats, centres = cv2.connectedComponentsWithStats(out, connectivity=8)
    if count > 200:  # another screen
        return
    for label in np.argsort(-stats[1:, cv2.CC_STAT_AREA])[:24] + 1:
        x, y, width, height, area = (int(part) for part in stats[label])
        if area < _LEAST_PX or area > 0.08 * out.size:
            continue
        inside = labels[y : y + height, x : x + width] == label
        colour = np.median(picture[y : y + height, x : x + width][inside], axis=0).astype(np.float32)
        kind = _kind_of(colour, area, kinds)
        if kind is None:
            continue
        if at in kind.places:
            kind.many += 1
            continue
        kind.places[at] = (float(centres[label][0]), float(centres[label][1]))
        kind.rects[at] = Rect(x, y, width, height)
        kind.area += 0.1 * (area - kind.area)


def _retrace(one: _Kind, minute: PlayedMinute, covered: Sequence[Rect]) -> None:
    """Find a thing by its colour in the other stills too: what stood for long counted as the ground there."""
    last: tuple[float, float] | None = None
    for at in range(len(minute)):
        if at not in one.places:
            mask = (np.abs(minute.small[at] - one.colour).max(axis=-1) <= _SAME_COLOUR).astype(np.uint8)
            for rect in covered:
                mask[rect.y : rect.bottom, rect.x : rect.right] = 0
            count, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=8)
            areas = stats[1:count, cv2.CC_STAT_AREA] / one.area
            like = np.flatnonzero((areas > 0.5) & (areas < 2.0)) + 1
            if len(like) > _MANY or not len(like):
                continue
            away = [0.0 if last is None else float(np.hypot(*(centres[each] - last))) for each in like]
            best = int(like[int(np.argmin(away))])
            one.places[at] = (float(centres[best][0]), float(centres[best][1]))
            one.rects[at] = Rect(*(int(part) for part in stats[best][:4]))
        last = one.places[at]


def _kind_of(colour: NDArray[np.float32], area: float, kinds: list[_Kind]) -> _Kind | None:
    for one in kinds:
        if np.abs(one.colour - colour).max() < _SAME_COLOUR and 0.4 < area / one.area < 2.5:
            return one
    if len(kinds) >= _MOST_KINDS:
        return None
    kinds.append(_Kind(colour, float(area)))
    return kinds[-1]


def _moves(one: _Kind, minute: PlayedMinute) -> bool:
    if len(one.places) < max(LEAST_SPEEDS, _LEAST_SEEN * len(minute)):
        return False
    spread = np.ptp(np.quantile(np.array(list(one.places.values())), [0.05, 0.95], axis=0), axis=0)
    return bool((spread > _LEAST_RANGE * np.array(minute.small.shape[2:0:-1])).any())


def _speeds(one: _Kind, minute: PlayedMinute) -> Speeds:
    found = []
    for at in sorted(one.places):
        if at + 1 not in one.places:
            continue
        begin, end = float(minute.at_s[at]), float(minute.at_s[at + 1])
        if 0 < end - begin <= _MOST_GAP_S:
            moved = np.subtract(one.places[at + 1], one.places[at]) / minute.scale
            if np.abs(moved).max() < 0.3 * max(minute.screen.width, minute.screen.height):
                found.append((begin, end, *moved / (end - begin)))
    begins, ends, *speed = np.array(found, np.float64).reshape(-1, 4).T
    return Speeds(begin=begins, end=ends, speed=np.stack(speed, axis=1))


def _proposed(one: _Kind, minute: PlayedMinute, effect: KeyEffect | None, taken: set[str]) -> list[Proposal]:
    """The kind as a field that finds it again by its colour; nothing where that fails."""
    colour, least = _colour(one, minute)
    xs, ys = np.array(list(one.places.values())).T / minute.scale
    half = max(max(r.width, r.height) for r in one.rects.values()) / minute.scale
    rect = minute.clipped(
        np.quantile(xs, 0.01) - half,
        np.quantile(ys, 0.01) - half,
        np.quantile(xs, 0.99) + half,
        np.quantile(ys, 0.99) + half,
    )
    axis = effect.axis if effect is not None else ("x" if np.ptp(xs) >= np.ptp(ys) else "y")
    name = identifier("player" if effect is not None else "thing", frozenset(taken))
    read = BlobField(
        kind="blob",
        name=name,
        unit="px",
        box=rect_box(rect),
        colour=colour,
        tolerance=30,
        least_px=least,
        value="x" if axis == "x" else "y",
    )
    looked, near = _followed(read, one, minute)
    share = near / looked
    if share < 0.5:
        return []
    taken.add(name)
    seen = f"seen in {len(one.places)} of {len(minute)} pictures, "
    seen += f"found again by its colour in {near} of {looked}"
    if effect is None:
        words = f"moves over {np.ptp(xs):.0f} × {np.ptp(ys):.0f} px whatever is pressed; {seen}."
        confidence = 0.9 * share * min(1.0, len(one.places) / (0.6 * len(minute)))
    else:
        words = (
            f"with {effect.key} it goes {effect.speed:+.0f} px/s along {effect.axis}, else "
            f"{effect.otherwise:+.0f} px/s, in {effect.agreed} of {effect.of} moments; {seen}."
        )
        confidence = (
            share * min(1.0, 0.5 + effect.t / (2 * _SURE_T)) * min(1.0, effect.agreed / (0.9 * effect.of))
        )
    role: Role = "mover" if effect is None else "player"
    return [
        Proposal(
            role=role,
            name=name,
            box=rect_box(rect),
            confidence=min(1.0, confidence),
            why=words,
            field=read,
            pictures={},
        )
    ]


def _colour(one: _Kind, minute: PlayedMinute) -> tuple[Colour, int]:
    """Its colour in a full picture as red, green, blue, and the least pixels that it shows."""
    at = sorted(one.rects)[len(one.rects) // 2]
    rect = (
        one.rects[at]
        .scaled(1 / minute.scale, 1 / minute.scale)
        .clipped(minute.screen.width, minute.screen.height)
    )
    crop = minute.frame(at)[rect.y : rect.bottom, rect.x : rect.right].astype(np.float32)
    near = np.abs(crop - one.colour).max(axis=-1) <= _SAME_COLOUR
    shown = np.median(crop[near], axis=0) if near.any() else one.colour
    blue, green, red = (int(part) for part in shown)
    same = int((np.abs(crop - shown).max(axis=-1) <= 30).sum())
    return (red, green, blue), max(4, same // 3)


def _followed(read: BlobField, one: _Kind, minute: PlayedMinute) -> tuple[int, int]:
    """In how many stills where it is seen its colour was looked for, and found where it is."""
    near, looked = 0, list(one.places)[:: 1 + len(one.places) // _FOLLOWED]
    for at in looked:
        pixels = np.asarray(cv2.cvtColor(minute.frame(at), cv2.COLOR_BGR2BGRA), np.uint8)
        seen = read_blob(read, FrameView(pixels, None, minute.screen)).value
        place = one.places[at][0 if read.value == "x" else 1] / minute.scale
        side = minute.screen.width if read.value == "x" else minute.screen.height
        near += isinstance(seen, int | float) and abs(float(seen) - place) <= 0.04 * side
    return len(looked), near
