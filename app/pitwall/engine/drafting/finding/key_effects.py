"""Decides whether a key moves a thing, from the thing's speeds and the times when the key was down.

A thing that moves by itself keeps its speed for seconds: its speeds are not independent, and it may move in
one direction by chance while a key is down. So an effect must be larger than that of the same presses at
other times of the minute (circular shifts, as for two autocorrelated series), or larger than their effect on
the part of the speed that no key explains (a player who alternates keys pressed similarly at other times), or
coincide with the presses: the speed changes as the key goes down or up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.engine.drafting.filmstrip import Press

_AFTER_S = 0.2
"""Time for which a short press still acts."""
LEAST_SPEEDS = 6
_LEAST_GAIN, _LEAST_GAIN_SHARE = 10.0, 0.25
"""Least effect of a key, in pixels a second plus this share of the thing's usual speed."""
_LEAST_T, _LEAST_AGREED = 4.0, 0.7
_LEAST_SHIFTED, _LEAST_OF_REST, _LEAST_CHANGED = 2.5, 3.5, 3.0
"""Least effect in spreads of the effect at other times, or of that on the unexplained rest, or least t of the
changes of speed: one of the three must hold."""
_LEAST_CHANGES = 4
_SHIFTS, _LEAST_SHIFT_S = 60, 1.5

Spans = Sequence[tuple[float, float]]
Flags = NDArray[np.bool_]
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speeds:
    """A thing's speeds between successive stills.

    Attributes:
        begin, end: (n,) times, s. speed: (n, 2) along x and y, screen pixels a second.
    """

    begin: Values
    end: Values
    speed: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEffect:
    """The effect of a key on a thing, in screen pixels a second.

    Attributes:
        t: Welch's. agreed: number of the `of` moments with the key down that were faster than usual in its
            direction.
    """

    key: str
    axis: str
    speed: float
    otherwise: float
    t: float
    agreed: int
    of: int


def strongest_effect(speeds: Speeds, presses: Sequence[Press]) -> KeyEffect | None:
    """Return the most certain effect of a key on a thing; None if there is none."""
    held = _held(presses)
    effects: list[KeyEffect] = []
    for axis in (0, 1):
        # The rest of the speeds after a least-squares fit of what each key adds, px/s.
        at, speed = (speeds.begin + speeds.end) / 2, speeds.speed[:, axis]
        parts = np.stack([np.ones(len(at)), *(_down(at, spans) for spans in held.values())], axis=1)
        fitted, *_ = np.linalg.lstsq(parts, speed, rcond=None)
        rest = np.asarray(speed - parts @ fitted)
        effects += filter(None, (_effect(key, spans, speeds, rest, axis) for key, spans in held.items()))
    return max(effects, key=lambda effect: effect.t, default=None)


def _effect(key: str, spans: Spans, speeds: Speeds, rest: Values, axis: int) -> KeyEffect | None:
    at, speed = (speeds.begin + speeds.end) / 2, speeds.speed[:, axis]
    down = _down(at, spans)
    if min(down.sum(), (~down).sum()) < LEAST_SPEEDS:
        return None
    with_key, without = speed[down], speed[~down]
    gain = float(with_key.mean() - without.mean())
    t = abs(gain) / float(np.sqrt(with_key.var() / len(with_key) + without.var() / len(without)) + 1.0)
    agreed = int((np.sign(with_key - without.mean()) == np.sign(gain)).sum())
    large = abs(gain) >= _LEAST_GAIN + _LEAST_GAIN_SHARE * float(np.abs(speed).mean())
    if not large or t < _LEAST_T or agreed < _LEAST_AGREED * len(with_key):
        return None
    if (
        abs(gain) < _LEAST_SHIFTED * _shifted_gain(at, speed, spans)
        and abs(gain) < _LEAST_OF_REST * _shifted_gain(at, rest, spans)
        and _changes_t(speeds, axis, down, gain) < _LEAST_CHANGED
    ):
        return None
    return KeyEffect(
        key=key,
        axis="xy"[axis],
        speed=float(with_key.mean()),
        otherwise=float(without.mean()),
        t=t,
        agreed=agreed,
        of=len(with_key),
    )


def _shifted_gain(at: Values, speed: Values, spans: Spans) -> float:
    """Return the root mean square effect of the same presses at other times, px/s."""
    lasted = float(at[-1] - at[0])
    gains = [0.0]
    for shift in np.linspace(_LEAST_SHIFT_S, lasted - _LEAST_SHIFT_S, _SHIFTS):
        down = _down(at[0] + (at - at[0] + shift) % lasted, spans)
        if down.any() and not down.all():
            gains.append(float(speed[down].mean() - speed[~down].mean()))
    return float(np.sqrt(np.mean(np.square(gains)))) + 1.0


def _changes_t(speeds: Speeds, axis: int, down: Flags, gain: float) -> float:
    """Return Student's t of the speed's changes as the key goes down (along the effect) or up (back).

    Two speeds after are compared with two before if the pictures are close enough, because a picture may come
    before or after the report of its press.
    """
    values, follows = speeds.speed[:, axis], np.abs(speeds.begin[1:] - speeds.end[:-1]) < 0.01
    at = np.flatnonzero(follows & (down[1:] != down[:-1]))
    if len(at) < _LEAST_CHANGES:
        return 0.0
    pairs, near = (values[1:] + values[:-1]) / 2, np.concatenate([[False], follows, [False]])
    before = np.where(near[at], pairs[at - 1], values[at])
    after = np.where(near[at + 2], pairs[np.minimum(at + 1, len(pairs) - 1)], values[at + 1])
    changed = (after - before) * np.where(down[at + 1], 1.0, -1.0) * np.sign(gain)
    return float(changed.mean() / (changed.std(ddof=1) / np.sqrt(len(changed)) + 1.0))


def _down(at: Values, spans: Spans) -> Flags:
    first, last = np.array(spans).T
    return np.asarray(((first <= at[:, None]) & (at[:, None] <= last)).any(axis=1))


def _held(presses: Sequence[Press]) -> dict[str, list[tuple[float, float]]]:
    """Return when each key was down, and a little after; an unreleased key is down to the end."""
    down: dict[str, float] = {}
    spans: dict[str, list[tuple[float, float]]] = {}
    for press in presses:
        key = press.event.key
        if press.event.kind == "key_down" and key:
            down.setdefault(key, press.at_s)
        elif press.event.kind == "key_up" and key in down:
            began = down.pop(key)
            spans.setdefault(key, []).append((began, max(press.at_s, began + _AFTER_S)))
    for key, began in down.items():
        spans.setdefault(key, []).append((began, float("inf")))
    return spans
