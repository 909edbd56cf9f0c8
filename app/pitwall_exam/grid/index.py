"""The event index of a grid world's episode: places, sights and events by step, built once per trace."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import cached_property

from pitwall_exam.episode.keywords import mentions, vocabulary
from pitwall_exam.episode.states import GridState, Tile
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.grid.events import STEPS, Event, as_player_knows, catalogue
from pitwall_exam.grid.places import Discovery
from pitwall_exam.grid.vocabulary import GridVocabulary

_KEPT = 4
_WORD = re.compile(r"\w+")

Steps = Sequence[int]
"""Rising, from 1."""


class GridIndex:
    """The index of one episode's events. Each part is computed when it is first needed.

    Args:
        words: the game's vocabulary.
    """

    def __init__(self, trace: Trace[GridState], words: GridVocabulary) -> None:
        self.trace, self.words = trace, words
        self._happened: dict[str, Steps] = {}
        self._says: dict[str, Steps] = {}

    def __len__(self) -> int:
        return len(self.trace)

    @cached_property
    def moments(self) -> Sequence[Moment[GridState]]:
        """List all steps; for a death, only what its player can know."""
        moments = self.trace.moments
        if not moments or not moments[-1].after.dead:
            return moments
        return [*moments[:-1], as_player_knows(moments[-1], self.words)]

    def at(self, step: int) -> Moment[GridState] | None:
        """Return the moment of a step; None outside the episode."""
        return self.moments[step - 1] if 1 <= step <= len(self.moments) else None

    # ---- timeline

    @cached_property
    def actions(self) -> dict[str, Steps]:
        """Return action → its steps."""
        return _by((moment.step, (moment.action,)) for moment in self.moments)

    @cached_property
    def grounds(self) -> dict[str, Steps]:
        """Return terrain → steps that were decided standing on it."""
        return _by((moment.step, (moment.before.ground,)) for moment in self.moments if moment.before.ground)

    @cached_property
    def visible(self) -> dict[str, Steps]:
        """Return terrain → steps with it in the frame."""
        return _by((moment.step, dict.fromkeys(moment.before.seen.values())) for moment in self.moments)

    @cached_property
    def beside(self) -> dict[str, Steps]:
        """Return terrain → steps with it on one of the four neighbouring tiles."""
        return _by((moment.step, dict.fromkeys(_around(moment.before))) for moment in self.moments)

    @cached_property
    def trees(self) -> Sequence[Sequence[Tile]]:
        """List the positions of the trees in each step's frame."""
        tree = self.words.trees
        return [
            [at for at, terrain in moment.before.seen.items() if terrain == tree] for moment in self.moments
        ]

    @cached_property
    def discovered(self) -> Discovery:
        """Return the known part of the map at each step."""
        return Discovery([moment.before for moment in self.moments])

    @cached_property
    def moved(self) -> Sequence[str]:
        """List the direction of each step's move; empty if the position did not change."""
        return [self._direction(moment) for moment in self.moments]

    # ---- events

    @cached_property
    def catalogue(self) -> dict[str, Event]:
        """Return the game's events by their phrases."""
        return {event.when: event for event in catalogue(self.words)}

    @cached_property
    def deeds(self) -> dict[str, Event]:
        """Return the events that are the player's own actions, by their infinitives."""
        return {event.deed: event for event in self.catalogue.values() if event.deed}

    @cached_property
    def attacks(self) -> Steps:
        """List the steps in which the player was attacked: health fell by more than wants explain."""
        return self.happened(next(event for event in self.catalogue.values() if event.kind == "attack"))

    def happened(self, event: Event) -> Steps:
        """List all steps in which an event happened, not only the first."""
        if event.when not in self._happened:
            if event.kind == "sight":
                steps: Steps = self.visible.get(event.about, ())
            else:
                steps = [moment.step for moment in self.moments if event.in_step(moment)]
            self._happened[event.when] = steps
        return self._happened[event.when]

    def gains(self, item: str) -> Steps:
        """Return the steps after which more of an item was carried."""
        return self._gains.get(item, ())

    @cached_property
    def _gains(self) -> dict[str, Steps]:
        def more(moment: Moment[GridState]) -> list[str]:
            before, after = moment.before, moment.after
            if before.items == after.items or not (before.stats and after.stats):
                return []
            return [name for name, count in after.items.items() if count > before.items.get(name, 0)]

        return _by((moment.step, more(moment)) for moment in self.moments)

    # ---- reasons

    def says(self, keyword: str) -> Steps:
        """Return the steps whose reason mentions a keyword."""
        word = keyword.casefold().strip()
        if _WORD.fullmatch(word):
            return self._words.get(word, ())
        if word not in self._says:
            self._says[word] = [
                moment.step for moment in self.moments if word and mentions(moment.reason, word)
            ]
        return self._says[word]

    @cached_property
    def keywords(self) -> Sequence[str]:
        """List the words of the reasons that may be asked about, the most frequent first."""
        return vocabulary(moment.reason for moment in self.moments)

    @cached_property
    def _words(self) -> dict[str, Steps]:
        kept: dict[str, list[str]] = {}
        for moment in self.moments:
            if moment.reason not in kept:
                kept[moment.reason] = list(dict.fromkeys(_WORD.findall(moment.reason.casefold())))
        return _by((moment.step, kept[moment.reason]) for moment in self.moments)

    def _direction(self, moment: Moment[GridState]) -> str:
        here, there = moment.before.at, moment.after.at
        if here is None or there is None:
            return self.words.moves.get(moment.action, "") if moment.after.moved else ""
        went = (there[0] - here[0], there[1] - here[1])
        return next((name for name, step in STEPS.items() if step == went), "")


class Indexes:
    """The indexes of the last few traces.

    Args:
        words: vocabulary of the game that the traces belong to.
    """

    def __init__(self, words: GridVocabulary) -> None:
        self.words = words
        self._kept: deque[GridIndex] = deque(maxlen=_KEPT)

    def of(self, trace: Trace[GridState]) -> GridIndex:
        """Return the index of a trace."""
        for index in tuple(self._kept):
            if index.trace.moments is trace.moments and index.trace.ended == trace.ended:
                return index
        made = GridIndex(trace, self.words)
        self._kept.append(made)
        return made


def within(steps: Steps, lo: int, hi: int) -> Steps:
    """Return the rising steps from lo to hi."""
    return steps[bisect_left(steps, lo) : bisect_right(steps, hi)]


def _around(state: GridState) -> list[str]:
    if state.at is None:
        return []
    x, y = state.at
    places = ((x + dx, y + dy) for dx, dy in STEPS.values())
    return [state.seen[place] for place in places if place in state.seen]


def _by(pairs: Iterable[tuple[int, Iterable[str]]]) -> dict[str, Steps]:
    steps_by_name: dict[str, list[int]] = defaultdict(list)
    for step, names in pairs:
        for name in names:
            steps_by_name[name].append(step)
    return {**steps_by_name}
