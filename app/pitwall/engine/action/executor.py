"""Turns resolved actions into events with deadlines; it never sleeps or reads a clock.

Actions may overlap (a reflex taps while a longer hold runs). A key or button that several of them
hold is pressed once and released with the last of them: pressing a key that is already down
**extends** the hold without a second press. Only a hold that would grow longer than
`longest_hold_ms` is released and pressed again, because the broker would release it then.
If an event is fetched late, the rest of its action is delayed by as much, so that a tap keeps its
length and a sequence its gaps. A module's hold lasts as long as the module repeats it on every frame.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from pitwall.core.actions import InputEvent, ResolvedAction
from pitwall.core.clock import NS_PER_MS
from pitwall.engine.action.pacing import Pacing

_LEASE_NS = 300 * NS_PER_MS
"""A hold is released this long after its last repetition."""
_UP = {"key_down": "key_up", "mouse_down": "mouse_up"}


@dataclass(frozen=True, slots=True)
class _Part:
    """An event of a running action: its time, and for a press how long it stays down."""

    at_ns: int
    event: InputEvent
    hold_ns: int = 0


@dataclass(slots=True)
class _Running:
    """A running action. `base_ns`: its start plus delays; `yields`: presses may be omitted (see `Pacing`)."""

    number: int
    base_ns: int
    parts: tuple[_Part, ...]
    yields: bool
    at: int = 0

    @property
    def due_ns(self) -> int:
        return self.base_ns + self.parts[self.at].at_ns


@dataclass(slots=True)
class _Down:
    """A key or button that is down: its holders, since when, and the event that releases it."""

    holders: set[int]
    since_ns: int
    up: InputEvent


class Executor:
    """Times the events of actions.

    Two invariants: no key_up or mouse_up without an earlier press, and nothing is down
    without a scheduled release (`next_due_ns` is then not None).

    Args:
        longest_hold_ms: longest time that a key or button stays down.
        pacing: decides which presses to omit so that the broker need not refuse others; None: none.
    """

    def __init__(self, *, longest_hold_ms: float = 5_000, pacing: Pacing | None = None) -> None:
        self._pacing = pacing
        self.longest_hold_ns = int(longest_hold_ms * NS_PER_MS)
        self._queue: list[tuple[int, int, _Running]] = []
        self._down: dict[str, _Down] = {}
        self._holds: dict[str, _Running] = {}
        self._repeats: dict[str, int] = {}
        self._numbers = count(1)

    @property
    def held(self) -> tuple[str, ...]:
        """Return the keys and buttons ("mouse:left") that are down, in the order of their presses."""
        return tuple(self._down)

    @property
    def next_due_ns(self) -> int | None:
        """Return the time at which `due` has to be called next; None when no action runs."""
        return self._queue[0][0] if self._queue else None

    def room_ns(self, now_ns: int, presses: int) -> int:
        """Return the time, now or later, at which the broker has room for this many presses."""
        return self._pacing.room_ns(now_ns, presses) if self._pacing is not None else now_ns

    def begin(self, resolved: ResolvedAction, now_ns: int, *, yields: bool = True) -> int:
        """Schedule an action's events from now on; `due` returns them.

        A press without a release is released at the end of the action's duration; a release without a
        press, and `wait` events, are dropped (the times of later events include the waits).

        Args:
            yields: its presses may be omitted (see `Pacing`).

        Returns:
            The end of this action, if every event is sent on time.
        """
        parts = _parts(resolved)
        duration_ns = int(resolved.duration_ms * NS_PER_MS)
        running = _Running(next(self._numbers), now_ns, parts, yields)
        if parts:
            heapq.heappush(self._queue, (running.due_ns, running.number, running))
        return now_ns + max(duration_ns, parts[-1].at_ns if parts else 0)

    def hold(self, held: Sequence[ResolvedAction], now_ns: int) -> None:
        """Hold the presses of these actions, and release holds of earlier calls that are not among them.

        A hold ends by itself if it is not repeated for a while; if it grows too long for the broker,
        or its press was refused, the next call presses it again. An action that presses nothing, like a turn
        of the mouse, begins again when it is over.
        """
        wanted = {str(resolved.action): resolved for resolved in held}
        for name, running in list(self._holds.items()):
            presses = [part.event for part in running.parts if part.event.kind in _UP]
            down = [self._down.get(_channel(press)) for press in presses]
            since = [key.since_ns for key in down if key is not None and running.number in key.holders]
            lasts = len(since) == len(down) and now_ns + _LEASE_NS - min(since) <= self.longest_hold_ns
            if lasts and name in wanted:
                self._move(running, now_ns + _LEASE_NS)
                del wanted[name]
            else:
                self._move(running, now_ns)
                del self._holds[name]
        self._repeats = {name: over_ns for name, over_ns in self._repeats.items() if name in wanted}
        for name, resolved in wanted.items():
            if self._repeats.get(name, now_ns) <= now_ns and not _presses(resolved):
                self._repeats[name] = self.begin(resolved, now_ns)
            parts = tuple(_Part(0, press, _LEASE_NS) for press in _presses(resolved))
            if parts:
                ends = tuple(_Part(_LEASE_NS, _release(part.event)) for part in reversed(parts))
                running = _Running(next(self._numbers), now_ns, (*parts, *ends), yields=False)
                self._holds[name] = running
                heapq.heappush(self._queue, (running.due_ns, running.number, running))

    def _move(self, running: _Running, to_ns: int) -> None:
        """Move the rest of a begun action to another time."""
        if running.at == 0 or running.at == len(running.parts):
            return
        running.base_ns += to_ns - running.due_ns
        self._queue = [(action.due_ns, number, action) for _, number, action in self._queue]
        heapq.heapify(self._queue)

    def due(self, now_ns: int) -> tuple[InputEvent, ...]:
        """Return the events that are due, in order, each once."""
        events: list[InputEvent] = []
        while self._queue and self._queue[0][0] <= now_ns:
            due_ns, _, running = heapq.heappop(self._queue)
            part = running.parts[running.at]
            running.base_ns += now_ns - due_ns
            running.at += 1
            self._emit(part, running, now_ns, events)
            if running.at < len(running.parts):
                heapq.heappush(self._queue, (running.due_ns, running.number, running))
        return tuple(events)

    def cancel(self) -> tuple[InputEvent, ...]:
        """Drop all running actions, and return a release for everything that is down."""
        releases = tuple(down.up for down in self._down.values())
        self._down.clear()
        self._queue.clear()
        self._holds.clear()
        self._repeats.clear()
        return releases

    def refused(self, event: InputEvent, due_ns: int) -> None:
        """Note that a press that `due` returned at that time did not reach the game.

        The key counts as up, unless it was pressed again since.
        """
        down = self._down.get(_channel(event)) if event.kind in _UP else None
        if down is not None and down.since_ns == due_ns:
            del self._down[_channel(event)]

    def _emit(self, part: _Part, running: _Running, now_ns: int, events: list[InputEvent]) -> None:
        event = part.event
        if event.kind in _UP:
            self._press(part, running, now_ns, events)
        elif event.kind in _UP.values():
            down = self._down.get(_channel(event))
            if down is None:
                return
            down.holders.discard(running.number)
            if not down.holders:
                del self._down[_channel(event)]
                events.append(event)
        else:
            events.append(event)

    def _press(self, part: _Part, running: _Running, now_ns: int, events: list[InputEvent]) -> None:
        channel = _channel(part.event)
        down = self._down.get(channel)
        if down is not None and now_ns + part.hold_ns - down.since_ns <= self.longest_hold_ns:
            down.holders.add(running.number)
            return
        if down is not None:
            events.append(down.up)
            del self._down[channel]
        if self._pacing is not None:
            if not running.yields:
                self._pacing.pressed(channel, now_ns)
            elif not self._pacing.allows(channel, now_ns):
                return
        self._down[channel] = _Down({running.number}, now_ns, _release(part.event))
        events.append(part.event)


def _presses(resolved: ResolvedAction) -> list[InputEvent]:
    return [timed.event for timed in resolved.events if timed.event.kind in _UP]


def _channel(event: InputEvent) -> str:
    return event.key if event.kind in ("key_down", "key_up") else f"mouse:{event.button}"


def _release(press: InputEvent) -> InputEvent:
    if press.kind == "key_down":
        return InputEvent(kind="key_up", key=press.key)
    return replace(press, kind="mouse_up", x=None, y=None)


def _parts(resolved: ResolvedAction) -> tuple[_Part, ...]:
    """Return the action's events in order of time, every press with its release."""
    parts: list[_Part] = []
    opened: dict[str, int] = {}
    for timed in sorted(resolved.events, key=lambda timed: timed.at_ms):
        part = _Part(int(timed.at_ms * NS_PER_MS), timed.event)
        channel = _channel(timed.event)
        if timed.event.kind == "wait":
            continue
        if timed.event.kind in _UP:
            if channel in opened:
                continue
            opened[channel] = len(parts)
        elif timed.event.kind in _UP.values():
            if channel not in opened:
                continue
            _close(parts, opened.pop(channel), part.at_ns)
        parts.append(part)
    end_ns = max(int(resolved.duration_ms * NS_PER_MS), parts[-1].at_ns if parts else 0)
    for index in list(opened.values()):
        _close(parts, index, end_ns)
        parts.append(_Part(end_ns, _release(parts[index].event)))
    return tuple(parts)


def _close(parts: list[_Part], index: int, up_ns: int) -> None:
    press = parts[index]
    parts[index] = _Part(press.at_ns, press.event, up_ns - press.at_ns)
