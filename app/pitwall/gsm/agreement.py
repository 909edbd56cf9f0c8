"""Compares two players of the same game, decision by decision: how far they agree, and where they do not.

Two players agree on a decision if each holds whatever the other holds at some time within the tolerance. The
chance of that is computed as if neither knew of the other, from how often each is seen in which state (Cohen
1960): two players who seldom press anything do not count as agreeing. Neighbouring decisions are not
independent, so for the interval a span of two seconds counts as one trial (Wilson 1927).
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from pitwall.core import quantities
from pitwall.core.actions import InputEvent, wheel_name
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.confidence_intervals import wilson
from pitwall.core.model_telemetry import Agreement, Disagreement, PressAgreement, ShownPress

TOLERANCE_MS = 250.0
"""A person reacts about so much later than a machine."""
SPAN_NS = 2 * NS_PER_S
_DECISION_NS = 50 * NS_PER_MS
_MOMENTS = 200
"""How many of the newest disagreements are kept."""
_SAME_PLACE = 0.06
"""Two clicks within this share of the window's size have the same target."""
_TARGETS = 32


@dataclass(frozen=True, slots=True)
class Pressed:
    """Holds what one player presses at a decision: now, and at any time within the tolerance."""

    now: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()

    def agrees(self, other: Pressed) -> bool:
        return self.now <= other.near and other.now <= self.near


class AgreementTally:
    """Counts decisions of two players, the person's and the agent's, at the same moments."""

    def __init__(self, *, tolerance_ms: float = 0.0) -> None:
        self._tolerance_ms = tolerance_ms
        self._agreed = self._decisions = 0
        self._person: Counter[Pressed] = Counter()
        self._agent: Counter[Pressed] = Counter()
        self._presses: dict[str, list[int]] = {}
        self._spans: set[int] = set()

    def add(self, at_ns: int, person: Pressed, agent: Pressed) -> bool:
        """Count one decision; return whether they agree on it."""
        agrees = person.agrees(agent)
        self._decisions += 1
        self._agreed += agrees
        self._person[person] += 1
        self._agent[agent] += 1
        self._spans.add(at_ns // SPAN_NS)
        for label in person.now | agent.now:
            counts = self._presses.setdefault(label, [0, 0, 0])
            counts[0] += label in person.now
            counts[1] += label in agent.now
            counts[2] += label in person.near and label in agent.near
        return agrees

    def agreement(self) -> Agreement:
        """Return the score of all counted decisions."""
        if not self._decisions:
            return Agreement(tolerance_ms=self._tolerance_ms)
        share, spans = self._agreed / self._decisions, len(self._spans)
        low, high = wilson(share * spans, spans)
        chance: float = sum(
            ours * theirs
            for person, ours in self._person.items()
            for agent, theirs in self._agent.items()
            if person.agrees(agent)
        )
        chance /= self._decisions**2
        kappas: list[float | None] = [None] * 3
        if not math.isclose(chance, 1.0):
            kappas = [max(-1.0, (value - chance) / (1 - chance)) for value in (share, low, high)]
        return Agreement(
            decisions=self._decisions,
            spans=spans,
            share=share,
            low=low,
            high=high,
            kappa=kappas[0],
            kappa_low=kappas[1],
            kappa_high=kappas[2],
            tolerance_ms=self._tolerance_ms,
            presses={
                label: PressAgreement(person=person, agent=agent, both=both)
                for label, (person, agent, both) in sorted(self._presses.items())
            },
        )


@dataclass(slots=True)
class _Press:
    label: str
    down_ns: int
    up_ns: int | None = None


class PressTrack:
    """Follows the keys that one player holds, as far back as the tolerance needs."""

    def __init__(self, by: Literal["person", "agent"]) -> None:
        self._by = by
        self._presses: list[_Press] = []

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(sorted(press.label for press in self._presses if press.up_ns is None))

    @property
    def shown(self) -> list[ShownPress]:
        """Return its presses within twice the tolerance, oldest first."""
        return [
            ShownPress(by=self._by, label=press.label, down_ns=press.down_ns, up_ns=press.up_ns)
            for press in self._presses
        ]

    def down(self, label: str, at_ns: int) -> None:
        if label not in self.held:
            self._presses.append(_Press(label, at_ns))

    def up(self, label: str | None, at_ns: int) -> None:
        """Release a label, or all of them; a tap counts as one decision at least."""
        for press in self._presses:
            if press.up_ns is None and label in (None, press.label):
                press.up_ns = max(at_ns, press.down_ns + _DECISION_NS)

    def at(self, at_ns: int, reach_ns: int) -> Pressed:
        return Pressed(self._between(at_ns, at_ns), self._between(at_ns - reach_ns, at_ns + reach_ns))

    def forget(self, before_ns: int) -> None:
        self._presses = [press for press in self._presses if press.up_ns is None or press.up_ns >= before_ns]

    def _between(self, first_ns: int, last_ns: int) -> frozenset[str]:
        return frozenset(
            press.label
            for press in self._presses
            if press.down_ns <= last_ns and (press.up_ns is None or press.up_ns > first_ns)
        )


class PressComparison:
    """Compares two streams of presses in real or recorded time, a decision each 50 ms of play.

    Attributes:
        person, agent: the presses of each.
        moments: the newest disagreements, oldest first; one that goes on is the last.
    """

    def __init__(self, *, tolerance_ms: float = TOLERANCE_MS) -> None:
        self.person, self.agent = PressTrack("person"), PressTrack("agent")
        self.moments: deque[Disagreement] = deque(maxlen=_MOMENTS)
        self._tally = AgreementTally(tolerance_ms=tolerance_ms)
        self._reach_ns = int(tolerance_ms * NS_PER_MS)
        self._next_ns: int | None = None
        self._targets: list[tuple[float, float]] = []

    def press(self, track: PressTrack, event: InputEvent, at_ns: int, *, size: tuple[int, int]) -> None:
        """Take one event of a player. `size`: width and height that its place refers to."""
        match event.kind:
            case "key_down":
                track.down(event.key, at_ns)
            case "key_up":
                track.up(event.key, at_ns)
            case "mouse_down":
                track.down(f"{event.button} button{self._target(event, size)}", at_ns)
            case "mouse_up":
                for label in track.held:
                    if label.startswith(f"{event.button} button"):
                        track.up(label, at_ns)
            case "mouse_look":
                label = "look right" if event.dx > 0 else "look left" if event.dx < 0 else "look up or down"
                track.down(label, at_ns)
                track.up(label, at_ns)
            case "scroll":
                label = wheel_name(event.dx, event.dy)
                track.down(label, at_ns)
                track.up(label, at_ns)

    def advance(self, now_ns: int) -> None:
        """Compare every decision that is a tolerance old by now."""
        if self._next_ns is None:
            self._next_ns = now_ns
        while self._next_ns + self._reach_ns <= now_ns:
            at_ns, self._next_ns = self._next_ns, self._next_ns + _DECISION_NS
            person, agent = (track.at(at_ns, self._reach_ns) for track in (self.person, self.agent))
            if not self._tally.add(at_ns, person, agent):
                self._disagree(at_ns, person.now - agent.near, agent.now - person.near)
            for track in (self.person, self.agent):
                track.forget(at_ns - self._reach_ns)

    def rest(self, now_ns: int) -> None:
        """Stop comparing and release everything while nobody plays (a menu, a pause, the focus elsewhere)."""
        if self._next_ns is None:
            return
        self.advance(now_ns)
        self._next_ns = None
        for track in (self.person, self.agent):
            track.up(None, now_ns)

    def agreement(self) -> Agreement:
        return self._tally.agreement()

    def moments_since(self, until_ns: int, picture_at: Callable[[int], str]) -> tuple[Disagreement, ...]:
        """Return the disagreements that went on after a time, each with the picture it began with."""
        for place, moment in enumerate(self.moments):
            if moment.until_ns > until_ns and not moment.picture:
                self.moments[place] = replace(moment, picture=picture_at(moment.at_ns))
        return tuple(moment for moment in self.moments if moment.until_ns > until_ns)

    def _disagree(self, at_ns: int, person: frozenset[str], agent: frozenset[str]) -> None:
        last = self.moments[-1] if self.moments else None
        if last is not None and at_ns - last.until_ns <= self._reach_ns:
            person, agent = person.union(last.person), agent.union(last.agent)
            self.moments.pop()
        else:
            last = Disagreement(at_ns=at_ns, until_ns=at_ns)
        now = replace(last, person=tuple(sorted(person)), agent=tuple(sorted(agent)))
        self.moments.append(replace(now, until_ns=at_ns + _DECISION_NS))

    def _target(self, event: InputEvent, size: tuple[int, int]) -> str:
        """Name a click's target; a place near an earlier one is the same target."""
        if event.x is None or event.y is None:
            return ""
        place = (event.x / max(1, size[0]), event.y / max(1, size[1]))
        near = min(self._targets, key=lambda target: math.dist(target, place), default=None)
        if near is None or (math.dist(near, place) > _SAME_PLACE and len(self._targets) < _TARGETS):
            self._targets.append(near := place)
        return f" at {quantities.share(near[0])}, {quantities.share(near[1])}"
