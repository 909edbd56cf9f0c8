"""Turns resolved actions into events that are due, by deadline: nothing here sleeps or reads a clock.

Actions may overlap (a reflex taps while a longer hold runs). A key or button that several of them
hold is down once and comes up when the last of them lets go: pressing what is already down
**extends** the hold and adds no second press. Only a hold that would grow longer than
`longest_hold_ms` is let go and pressed anew, because the broker would bring it up there.
An event that is asked for late moves the rest of its action by as much, so that a tap keeps its
length and a sequence its gaps. What a module holds stays down as long as it says so on every frame.
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
"""What is held comes up so long after nobody said again that it is."""
_UP = {"key_down": "key_up", "mouse_down": "mouse_up"}


@dataclass(frozen=True, slots=True)
class _Part:
    """Holds one event of a running action: its time, and for a press how long it will stay down."""

    at_ns: int
    event: InputEvent
    hold_ns: int = 0


@dataclass(slots=True)
class _Running:
    """An action under way: `base_ns` is when it began, later by what it was delayed since. Where it `yields`
    its presses may be left out (see `Pacing`)."""

    number: int
    base_ns: int
    duration_ns: int
    parts: tuple[_Part, ...]
    yields: bool
    at: int = 0

    @property
    def due_ns(self) -> int:
        return self.base_ns + self.parts[self.at].at_ns


@dataclass(slots=True)
class _Down:
    """A key or button that is down: who holds it, since when, and the event that brings it up."""

    holders: set[int]
    since_ns: int
    up: InputEvent


class Executor:
    """Times the events of actions.

    Two things always hold: no key_up or mouse_up without its press before, and nothing is down
    without an event scheduled that brings it up (`next_due_ns` is then not None).

    Args:
        longest_hold_ms: longest time a key or button stays down without being let go.
        pacing: which presses are left out because the broker would refuse others for them; None: none.
    """

    def __init__(self, *, longest_hold_ms: float = 5_000, pacing: Pacing | None = None) -> None:
        self._pacing = pacing
        self._longest_hold_ns = int(longest_hold_ms * NS_PER_MS)
        self._queue: list[tuple[int, int, _Running]] = []
        self._down: dict[str, _Down] = {}
        self._holds: dict[str, _Running] = {}
        self._numbers = count(1)
        self._finished_at_ns = 0

    @property
    def held(self) -> tuple[str, ...]:
        """Keys and buttons ("mouse:left") that are down, in the order they were pressed."""
        return tuple(self._down)

    @property
    def next_due_ns(self) -> int | None:
        """Return the time at which `due` has to be called next; None when nothing is under way."""
        return self._queue[0][0] if self._queue else None

    @property
    def finished_at_ns(self) -> int:
        """Return the end of everything begun so far: the last event and every duration; 0 before the
        first."""
        return self._finished_at_ns

    def room_ns(self, now_ns: int, presses: int) -> int:
        """Return the time, now or later, at which the broker has room for so many presses."""
        return self._pacing.room_ns(now_ns, presses) if self._pacing is not None else now_ns

    def begin(self, resolved: ResolvedAction, now_ns: int, *, yields: bool = True) -> int:
        """Schedule an action's events from now on. Send what `due` returns to begin it.

        A press that the action never ends is ended with the action's duration; a release without a
        press, and `wait` events, are left out (the time they take is in the events after them).

        Args:
            yields: its presses may be left out (see `Pacing`).

        Returns:
            When this action is over, if every event is sent on time.
        """
        parts = _parts(resolved)
        duration_ns = int(resolved.duration_ms * NS_PER_MS)
        running = _Running(next(self._numbers), now_ns, duration_ns, parts, yields)
        if parts:
            heapq.heappush(self._queue, (running.due_ns, running.number, running))
        return self._finish(running)

    def hold(self, held: Sequence[ResolvedAction], now_ns: int) -> None:
        """Keep down what these actions press, and let go what an earlier call held and this one leaves out.

        A hold ends by itself where it is not said again for a while; one that grows too long for the broker,
        or whose press was refused, is pressed anew by the next call.
        """
        wanted = {str(one.action): one for one in held}
        for name, running in list(self._holds.items()):
            presses = [part.event for part in running.parts if part.event.kind in _UP]
            down = [self._down.get(_channel(press)) for press in presses]
            since = [one.since_ns for one in down if one is not None and running.number in one.holders]
            lasts = len(since) == len(down) and now_ns + _LEASE_NS - min(since) <= self._longest_hold_ns
            if lasts and name in wanted:
                self._move(running, now_ns + _LEASE_NS)
                del wanted[name]
            else:
                self._move(running, now_ns)
                del self._holds[name]
        for name, resolved in wanted.items():
            parts = tuple(_Part(0, one.event, _LEASE_NS) for one in resolved.events if one.event.kind in _UP)
            if parts:
                ends = tuple(_Part(_LEASE_NS, _release(part.event)) for part in reversed(parts))
                running = _Running(next(self._numbers), now_ns, _LEASE_NS, (*parts, *ends), yields=False)
                self._holds[name] = running
                heapq.heappush(self._queue, (running.due_ns, running.number, running))

    def _move(self, running: _Running, to_ns: int) -> None:
        """Let the rest of an action that has begun come at another time."""
        if running.at == 0 or running.at == len(running.parts):
            return
        running.base_ns += to_ns - running.due_ns
        self._queue = [(one.due_ns, number, one) for _, number, one in self._queue]
        heapq.heapify(self._queue)

    def due(self, now_ns: int) -> tuple[InputEvent, ...]:
        """Events whose time has come, in order; each is returned once."""
        events: list[InputEvent] = []
        while self._queue and self._queue[0][0] <= now_ns:
            due_ns, _, running = heapq.heappop(self._queue)
            part = running.parts[running.at]
            running.base_ns += now_ns - due_ns
            running.at += 1
            self._emit(part, running, now_ns, events)
            if running.at < len(running.parts):
                heapq.heappush(self._queue, (running.due_ns, running.number, running))
            self._finish(running)
        return tuple(events)

    def cancel(self) -> tuple[InputEvent, ...]:
        """Drop everything that is under way. Returns a release for everything that is down."""
        releases = tuple(down.up for down in self._down.values())
        self._down.clear()
        self._queue.clear()
        self._holds.clear()
        self._finished_at_ns = 0
        return releases

    def refused(self, event: InputEvent, due_ns: int) -> None:
        """A press that `due` gave out then did not reach the game: the next one is a press again.

        What was pressed since is down all the same.
        """
        down = self._down.get(_channel(event)) if event.kind in _UP else None
        if down is not None and down.since_ns == due_ns:
            del self._down[_channel(event)]

    def _finish(self, running: _Running) -> int:
        last_ns = running.parts[-1].at_ns if running.parts else 0
        over_ns = running.base_ns + max(running.duration_ns, last_ns)
        self._finished_at_ns = max(self._finished_at_ns, over_ns)
        return over_ns

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
        if down is not None and now_ns + part.hold_ns - down.since_ns <= self._longest_hold_ns:
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


def _channel(event: InputEvent) -> str:
    return event.key if event.kind in ("key_down", "key_up") else f"mouse:{event.button}"


def _release(press: InputEvent) -> InputEvent:
    if press.kind == "key_down":
        return InputEvent(kind="key_up", key=press.key)
    return replace(press, kind="mouse_up", x=None, y=None)


def _parts(resolved: ResolvedAction) -> tuple[_Part, ...]:
    """The action's events with every press paired with its release, in order of time."""
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
