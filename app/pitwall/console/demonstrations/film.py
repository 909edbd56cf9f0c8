"""A demonstration for the page: lanes of presses, episodes, pictures. Read on a thread, without Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.demonstrations.manifest import PRESSES, DemonstratedEvent, Demonstration
from pitwall.demonstrations.reader import DemonstrationReader

_MOST_LANES = 10
_TICK_S = 0.05
"""Drawn length of a notch of the wheel."""


@dataclass(frozen=True, slots=True)
class Lane:
    """When one action, key or button was down, as spans in seconds."""

    name: str
    spans: tuple[tuple[float, float], ...]

    @property
    def presses(self) -> int:
        """Return how often it was pressed."""
        return len(self.spans)

    def down_at(self, at_s: float) -> bool:
        """Return whether it was down at a time."""
        at = bisect_right(self.spans, (at_s, float("inf"))) - 1
        return at >= 0 and self.spans[at][0] <= at_s < self.spans[at][1]


@dataclass(frozen=True, slots=True)
class ShownMoment:
    """A picture of a film with the game's state; `pixels` is None if no picture was kept."""

    pixels: Pixels | None
    pointer: tuple[float, float] | None
    episode: int
    status: str
    fields: dict[str, Any]


class Film:
    """The film of a demonstration; reads pictures on request.

    Args:
        folder: the demonstration's own.

    Raises:
        DamagedFile: as `DemonstrationReader`.
    """

    def __init__(self, folder: Path) -> None:
        self._reader = DemonstrationReader(folder)
        self.manifest: Demonstration = self._reader.manifest
        self._began_ns = self.manifest.began_ns
        self._moments = self._reader.all_moments
        self._times = [moment.at_ns for moment in self._moments]
        self._pointers = [
            (event.at_ns, (event.x, event.y))
            for event in self._reader.all_events
            if event.x is not None and event.y is not None
        ]
        self.seconds = max(self.manifest.seconds, 0.001)
        self.lanes = lanes_of(self._reader.all_events, self._began_ns, self.seconds)
        self.episodes = self._episodes()

    def moment(self, at_s: float) -> ShownMoment:
        """Read the picture of a time with the game's state; raises DamagedFile."""
        at_ns = self._began_ns + round(at_s * NS_PER_S)
        match = self._reader.picture_at(at_ns)
        place = bisect_right(self._times, at_ns) - 1
        known = self._moments[place] if place >= 0 else None
        pointed = bisect_right(self._pointers, at_ns, key=lambda place: place[0]) - 1
        return ShownMoment(
            match[1] if match else None,
            self._pointers[pointed][1] if pointed >= 0 else None,
            known.episode if known else -1,
            known.status if known else "",
            known.fields if known else {},
        )

    def _episodes(self) -> tuple[tuple[int, float, float], ...]:
        spans: list[tuple[int, float, float]] = []
        for moment in self._moments:
            at_s = (moment.at_ns - self._began_ns) / NS_PER_S
            if spans and spans[-1][0] == moment.episode:
                spans[-1] = (moment.episode, spans[-1][1], at_s)
            else:
                if spans:
                    spans[-1] = (spans[-1][0], spans[-1][1], at_s)
                spans.append((moment.episode, at_s, at_s))
        return tuple(span for span in spans if span[0] >= 0)


def lanes_of(events: Sequence[DemonstratedEvent], began_ns: int, end_s: float) -> tuple[Lane, ...]:
    """Return lanes of presses by action, or by key if no action matches; the most frequent first."""
    spans: dict[str, list[tuple[float, float]]] = {}
    down: dict[str, tuple[str, float]] = {}
    counts: Counter[str] = Counter()
    for event in events:
        at_s = (event.at_ns - began_ns) / NS_PER_S
        if event.kind in PRESSES:
            name = event.action or event.pressed
            counts[name] += 1
            if event.passes:
                spans.setdefault(name, []).append((at_s, at_s + _TICK_S))
            else:
                down.setdefault(event.pressed, (name, at_s))
        elif event.kind in ("key_up", "mouse_up") and event.pressed in down:
            name, began_s = down.pop(event.pressed)
            spans.setdefault(name, []).append((began_s, at_s))
    for name, began_s in down.values():
        spans.setdefault(name, []).append((began_s, end_s))
    return tuple(Lane(name, tuple(sorted(spans[name]))) for name, _ in counts.most_common(_MOST_LANES))
