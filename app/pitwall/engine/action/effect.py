"""Watches the frames after an action for its effect: a delivered event may have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pitwall.core.actions import Effect, ResolvedAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.observations import Value
from pitwall.games.schema.profile import ProgressRules

NOISE = 0.01
"""Visual change (SPEC §1's d) above the baseline that counts as an effect (choice)."""


_NO_PRESSES = ("wait", "key_up", "mouse_up")


@dataclass(frozen=True, slots=True)
class _Watched:
    expect: Condition | None
    values: Mapping[str, Value]
    change: float
    deadline_ns: int


class EffectWatch:
    """Watches one action at a time: confirmed as soon as an effect is seen, unverified after a while.

    An action with `expect` is confirmed when that condition holds on a later frame. Any other action is
    confirmed by a visible change: d above its baseline by more than `noise`, or a change of `status` or of
    one of the profile's progress fields (position, facing, selection, inventory, dialogue) beyond its
    tolerance. A field that cannot be read does not count as changed.

    Args:
        effect_wait_ms: time for the effect, counted from the action's last press; an action may set its own.
    """

    def __init__(
        self, *, effect_wait_ms: float, progress: ProgressRules | None = None, noise: float = NOISE
    ) -> None:
        rules = progress or ProgressRules()
        self._wait_ms = effect_wait_ms
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
        sent_ms = [timed.at_ms for timed in resolved.events if timed.event.kind != "wait"]
        presses_ms = [timed.at_ms for timed in resolved.events if timed.event.kind not in _NO_PRESSES]
        if not sent_ms:
            self._watched = None
            return Effect.NONE
        own_ms = resolved.effect_wait_ms
        look_ms = self._wait_ms if own_ms is None else own_ms
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
        if self._seen(self._watched, values, change):
            self._watched = None
            return Effect.CONFIRMED
        return self.expired(now_ns)

    def expired(self, now_ns: int) -> Effect | None:
        """Return Effect.UNVERIFIED once the time is over; for times when no frame comes."""
        if self._watched is None or now_ns < self._watched.deadline_ns:
            return None
        self._watched = None
        return Effect.UNVERIFIED

    def refused(self) -> Effect | None:
        """Note that the gate refused all events: return Effect.NONE, once; None if nothing is watched."""
        watched, self._watched = self._watched, None
        return Effect.NONE if watched else None

    def drop(self) -> None:
        """Stop watching without a verdict (a pause, a stop)."""
        self._watched = None

    def _seen(self, watched: _Watched, values: Mapping[str, Value], change: float) -> bool:
        if watched.expect is not None:
            return watched.expect.holds(values)
        if change - watched.change > self._noise:
            return True
        return any(self._differs(name, watched.values.get(name), values.get(name)) for name in self._fields)

    def _differs(self, name: str, before: Value, after: Value) -> bool:
        if before is None or after is None:
            return False
        if isinstance(before, str | bool) or isinstance(after, str | bool):
            return before != after
        return abs(after - before) > self._tolerance.get(name, 0.0)
