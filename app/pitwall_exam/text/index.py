"""The event index of a text game's episode: gains, stays, walked ways, keywords; built once per trace."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pitwall_exam.episode.keywords import vocabulary
from pitwall_exam.episode.states import TextState
from pitwall_exam.episode.trace import Trace
from pitwall_exam.text.commands import command_of, direction_of, folded, whole

_KEPT = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Stay:
    """An unbroken stay: steps first … last were decided at one location."""

    location: str
    first: int
    last: int


@dataclass
class TextIndex:
    """The index of an episode's events. Keys are folded names (`commands.folded`); steps count from 1.

    Attributes:
        commands: the command of each step.
        directions: the direction each step moved in; empty if it did not move or used no direction.
        gains: item → steps that brought it into the inventory. carried: every item ever seen there.
        places: location → its name as first written. stays: in order of steps.
        ways: location → (direction or command → [(step, destination)]), for all steps that changed the
            location.
    """

    trace: Trace[TextState]
    commands: list[str] = field(default_factory=list)
    directions: list[str] = field(default_factory=list)
    gains: dict[str, list[int]] = field(default_factory=dict)
    carried: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    stays: list[Stay] = field(default_factory=list)
    ways: dict[str, dict[str, list[tuple[int, str]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for moment in self.trace.moments:
            before, after = moment.before, moment.after
            self.commands.append(command_of(moment.action))
            for item in sorted(before.inventory | after.inventory):
                self.carried.setdefault(folded(item), item)
            held = {folded(item) for item in before.inventory}
            for item in sorted({folded(item) for item in after.inventory} - held):
                self.gains.setdefault(item, []).append(moment.step)
            self._stay(moment.step, before.location)
            self._walk(moment.step, folded(before.location), after.location)

    def _stay(self, step: int, location: str) -> None:
        here = folded(location)
        if not here:
            return
        self.places.setdefault(here, location)
        last = self.stays[-1] if self.stays else None
        if last is not None and last.location == here and last.last == step - 1:
            self.stays[-1] = Stay(here, last.first, step)
        else:
            self.stays.append(Stay(here, step, step))

    def _walk(self, step: int, here: str, to: str) -> None:
        there = folded(to)
        moved = bool(here and there and here != there)
        way = direction_of(self.commands[-1])
        self.directions.append(way if moved else "")
        if moved:
            self.places.setdefault(there, to)
            by = way or folded(self.commands[-1])
            self.ways.setdefault(here, {}).setdefault(by, []).append((step, there))

    # ---- places

    def first_at(self, location: str) -> int | None:
        """Return the first step decided at a location; None if there is none."""
        return next((stay.first for stay in self.stays if stay.location == location), None)

    def leavings(self, location: str) -> Iterator[int]:
        """Yield the steps whose action led away from a location."""
        steps = sorted(step for by in self.ways.get(location, {}).values() for step, _ in by)
        yield from steps

    def visits(self, lo: int, hi: int) -> list[Stay]:
        """Return the stays within lo … hi, clipped to that range."""
        return [
            Stay(stay.location, max(stay.first, lo), min(stay.last, hi))
            for stay in self.stays
            if stay.first <= hi and stay.last >= lo
        ]

    def reach(self, start: str, known_before: int) -> dict[str, int]:
        """Return each reachable location → fewest moves, over the ways walked before a step."""
        moves, queue = {start: 0}, deque([start])
        while queue:
            here = queue.popleft()
            for walked in self.ways.get(here, {}).values():
                for step, there in walked:
                    if step < known_before and there not in moves:
                        moves[there] = moves[here] + 1
                        queue.append(there)
        return moves

    def led(self, start: str, way: str, known_before: int) -> str:
        """Return where a direction led the last time before a step; "" if it was never walked."""
        walked = self.ways.get(start, {}).get(way, [])
        number = bisect_left(walked, (known_before, ""))
        return walked[number - 1][1] if number else ""

    # ---- keywords

    @cached_property
    def _reason_words(self) -> dict[str, list[int]]:
        steps_by_word: dict[str, list[int]] = {}
        for moment in self.trace.moments:
            for word in dict.fromkeys(_WORD.findall(moment.reason.casefold())):
                steps_by_word.setdefault(word, []).append(moment.step)
        return steps_by_word

    @cached_property
    def reason_keywords(self) -> list[str]:
        """List the words of the reasons that may be asked about, the most frequent first."""
        return vocabulary(moment.reason for moment in self.trace.moments)

    @cached_property
    def observation_keywords(self) -> list[str]:
        """List the words of the observations that may be asked about, the most frequent first."""
        return vocabulary(moment.after.observation for moment in self.trace.moments)

    def reasons_with(self, keyword: str) -> list[int]:
        """Return the steps whose reason mentions a keyword as whole words."""
        if _WORD.fullmatch(keyword):
            return self._reason_words.get(keyword.casefold(), [])
        search = whole(keyword).search
        return [moment.step for moment in self.trace.moments if search(moment.reason)]


_made: deque[TextIndex] = deque(maxlen=_KEPT)


def indexed(trace: Trace[TextState]) -> TextIndex:
    """Return the index of a trace; the indexes of the last few traces are kept."""
    for index in tuple(_made):
        if index.trace is trace:
            return index
    index = TextIndex(trace)
    _made.append(index)
    return index
