"""Watches the frames after an action for its effect: a delivered event may have none."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.actions import Effect, ResolvedAction, SentEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.observations import Value
from pitwall.games.schema.profile import ProgressRules

NOISE = 0.01
"""Visual change (SPEC §1's d) above the baseline that counts as an effect (choice)."""
STILL = 1e-5
"""Visual change below which two pictures are the same."""
FRAMES_HELD = 1.5
"""A game that looks at its keys once a frame sees a press that lasts so many of its frames (choice)."""
_FRAMES_SEEN = 1.2
"""A press of so many frames is seen, but for the measurement's own error (choice)."""
_SLOWEST_MS, _LEAST_FRAMES, _MOST_FRAMES = 2_000, 3, 24

_NO_PRESSES = ("wait", "key_up", "mouse_up")


@dataclass(frozen=True, slots=True)
class _Watched:
    expect: Condition | None
    values: Mapping[str, Value]
    change: float
    deadline_ns: int


def why_no_effect(sent: Sequence[SentEvent], frame_ms: float | None) -> str:
    """Return why presses had no effect on a picture that stood still.

    Args:
        frame_ms: time between two frames that the game draws, even where nothing changes; None: not known.
    """
    held_ms = shortest_hold_ms(sent)
    if frame_ms is None or held_ms is None or held_ms >= _FRAMES_SEEN * frame_ms:
        return "the picture stood still after it"
    least_ms = math.ceil(FRAMES_HELD * frame_ms / 10) * 10
    return (
        f"the game reads its keys at {1000 / frame_ms:.2g} frames a second; the tap lasted {held_ms:.0f} ms. "
        f"Hold it for {least_ms} ms."
    )


def shortest_hold_ms(sent: Sequence[SentEvent]) -> float | None:
    """Return the shortest time for which a key or button was down; None where none went down and up."""
    down_ns: dict[str, int] = {}
    holds_ms: list[float] = []
    for event, at_ns in ((each.event, each.sent_ns) for each in sent if each.sent_ns is not None):
        channel = event.key or event.button
        if event.kind in ("key_down", "mouse_down"):
            down_ns[channel] = at_ns
        elif channel in down_ns and event.kind in ("key_up", "mouse_up"):
            holds_ms.append((at_ns - down_ns.pop(channel)) / NS_PER_MS)
    return min(holds_ms, default=None)


class FrameTime:
    """Measures the time between the frames of a game that draws although nothing changes."""

    def __init__(self) -> None:
        self._times_ms: deque[float] = deque(maxlen=_MOST_FRAMES)
        self._last_ns: int | None = None

    def frame(self, now_ns: int, *, same: bool) -> None:
        """Note a frame; `same`: it shows the same picture as the frame before."""
        if same and self._last_ns is not None:
            took_ms = (now_ns - self._last_ns) / NS_PER_MS
            self._times_ms.extend([took_ms] if took_ms < _SLOWEST_MS else [])
        self._last_ns = now_ns

    def pressed(self) -> None:
        """Note a press: a game that draws only then shows nothing of how often it reads its keys."""
        self._last_ns = None

    @property
    def ms(self) -> float | None:
        """Return the usual time between two frames in ms; None until some were drawn without a change."""
        return statistics.median(self._times_ms) if len(self._times_ms) >= _LEAST_FRAMES else None


class EffectWatch:
    """Watches one action at a time: confirmed as soon as an effect is seen, unverified after a while.

    An action with `expect` is confirmed when that condition holds on a later frame; where it held already
    before the action, the picture or a field must change too. Any other action is confirmed by a visible
    change: d above its baseline by more than `noise`, or a change of `status` or of one of the profile's
    progress fields (position, facing, selection, inventory, dialogue) beyond its tolerance. A field that
    cannot be read does not count as changed.

    Args:
        effect_wait_ms: time for the effect, counted from the action's last press; an action may set its own.

    Attributes:
        wait_ms: `effect_wait_ms`, as it is in force now.
        stood_still: the picture did not change at all after the last action without a seen effect.
    """

    def __init__(
        self, *, effect_wait_ms: float, progress: ProgressRules | None = None, noise: float = NOISE
    ) -> None:
        rules = progress or ProgressRules()
        self.wait_ms = effect_wait_ms
        self._noise = noise
        self._tolerance = dict(rules.tolerance)
        self._fields = (
            "status",
            *rules.position,
            *rules.facing,
            *rules.selection,
            *rules.inventory,
            *rules.dialogue,
        )
        self._watched: _Watched | None = None
        self._moved = False
        self.stood_still = False
        self.frame_time = FrameTime()

    @property
    def deadline_ns(self) -> int | None:
        """Return the time at which the watched action becomes unverified; None when none is watched."""
        return self._watched.deadline_ns if self._watched else None

    def begin(
        self, resolved: ResolvedAction, *, values: Mapping[str, Value], change: float, now_ns: int
    ) -> Effect | None:
        """Watch an action that is being sent now, in place of the one before.

        Args:
            values: fields of the frame that the action was decided on.
            change: d of that frame against the descriptor that later frames are compared with.

        Returns:
            Effect.NONE at once if it sends nothing (a no-op, a wait), else None.

        Raises:
            ConditionError: `expect` does not parse.
        """
        self._moved = self.stood_still = False
        self.frame_time.pressed()
        sent_ms = [timed.at_ms for timed in resolved.events if timed.event.kind != "wait"]
        presses_ms = [timed.at_ms for timed in resolved.events if timed.event.kind not in _NO_PRESSES]
        if not sent_ms:
            self._watched = None
            return Effect.NONE
        own_ms = resolved.effect_wait_ms
        look_ms = self.wait_ms if own_ms is None else own_ms
        wait_ms = max(resolved.duration_ms, max(presses_ms, default=0.0) + look_ms)
        expect = parse_condition(resolved.expect) if resolved.expect else None
        self._watched = _Watched(expect, dict(values), change, now_ns + int(wait_ms * NS_PER_MS))
        return None

    def update(self, values: Mapping[str, Value], change: float, now_ns: int) -> Effect | None:
        """Judge a later frame, and return the effect once it is known; else None.

        Args:
            change: d of this frame against the same descriptor as at `begin`.
        """
        if self._watched is None:
            return None
        same = abs(change - self._watched.change) <= STILL
        self.frame_time.frame(now_ns, same=same and not self._moved)
        self._moved = self._moved or not same
        if self._seen(self._watched, values, change):
            self._watched = None
            return Effect.CONFIRMED
        return self.expired(now_ns)

    def expired(self, now_ns: int) -> Effect | None:
        """Return Effect.UNVERIFIED once the time is over; for times when no frame comes."""
        if self._watched is None or now_ns < self._watched.deadline_ns:
            return None
        self._watched = None
        self.stood_still = not self._moved
        return Effect.UNVERIFIED

    def refused(self) -> Effect | None:
        """Note that the gate refused all events: return Effect.NONE, once; None if nothing is watched."""
        watched, self._watched = self._watched, None
        return Effect.NONE if watched else None

    def drop(self) -> None:
        """Stop watching without a verdict (a pause, a stop)."""
        self._watched = None

    def _seen(self, watched: _Watched, values: Mapping[str, Value], change: float) -> bool:
        fields: Iterable[str] = self._fields
        if watched.expect is not None:
            if not watched.expect.holds(values):
                return False
            if not watched.expect.holds(watched.values):
                return True
            fields = values
        if change - watched.change > self._noise:
            return True
        return any(self._differs(name, watched.values.get(name), values.get(name)) for name in fields)

    def _differs(self, name: str, before: Value, after: Value) -> bool:
        if before is None or after is None:
            return False
        if isinstance(before, str | bool) or isinstance(after, str | bool):
            return before != after
        return abs(after - before) > self._tolerance.get(name, 0.0)
