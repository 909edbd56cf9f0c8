"""Indexes the events of an episode once for all questions about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from pitwall.core.observations import Value
from pitwall_exam.episode.keywords import mentions, vocabulary
from pitwall_exam.episode.states import FieldState
from pitwall_exam.episode.trace import Moment, Trace

Steps = dict[str, list[int]]
_KEPT = 4


def text_of(value: Value) -> str:
    """Format a field's value as an answer gives it; numbers have at most three decimals."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return f"{round(value, 3):.3f}".rstrip("0").rstrip(".")
    return str(value)


def number(state: FieldState, field: str) -> float | None:
    """Return a field's value as a number; None if it is none."""
    value = state.fields.get(field)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


class Index:
    """The event index of an episode of any game. Keys of `Steps` are case-folded."""

    def __init__(self, trace: Trace[FieldState]) -> None:
        self.moments = trace.moments
        self._mentions: Steps = {}
        self._values: dict[str, Steps] = {}
        self._turns: dict[str, tuple[list[int], list[int]]] = {}

    @cached_property
    def actions(self) -> Steps:
        """Return action → its steps."""
        return self._steps(lambda moment: (moment.action,))

    @cached_property
    def routes(self) -> Steps:
        """Return route → the steps that were decided on it."""
        return self._steps(lambda moment: (moment.before.route,))

    @cached_property
    def escalations(self) -> Steps:
        """Return escalation reason → the steps at which the planner was asked because of it."""
        return self._steps(lambda moment: moment.before.escalations)

    @cached_property
    def places(self) -> dict[int, list[int]]:
        """Return place → the steps that were decided there."""
        steps_by_place: dict[int, list[int]] = {}
        for moment in self.moments:
            if moment.before.place:
                steps_by_place.setdefault(moment.before.place, []).append(moment.step)
        return steps_by_place

    @cached_property
    def done(self) -> list[str]:
        """List the actions done, each once, in alphabetical order."""
        return sorted({moment.action for moment in self.moments if moment.action})

    @cached_property
    def words_of_reasons(self) -> list[str]:
        """List the keywords of the reasons, the most frequent first."""
        return vocabulary(moment.reason for moment in self.moments)

    @cached_property
    def number_fields(self) -> list[str]:
        """List the fields that always read a number when readable, in alphabetical order."""
        return self._fields(lambda value: isinstance(value, int | float) and not isinstance(value, bool))

    @cached_property
    def word_fields(self) -> list[str]:
        """List the fields that read texts or booleans, in alphabetical order."""
        return self._fields(lambda value: isinstance(value, str | bool))

    def mentioning(self, keyword: str) -> list[int]:
        """Return the steps whose reason has a keyword."""
        folded = keyword.casefold()
        if folded not in self._mentions:
            self._mentions[folded] = [
                moment.step for moment in self.moments if mentions(moment.reason, folded)
            ]
        return self._mentions[folded]

    def values(self, field: str) -> Steps:
        """Return formatted value → the steps at which a field read it."""
        if field not in self._values:
            self._values[field] = self._steps(lambda moment: (text_of(moment.before.fields.get(field)),))
        return self._values[field]

    def turns(self, field: str) -> tuple[list[int], list[int]]:
        """Return the steps after which a field's number rose, and those after which it fell."""
        if field not in self._turns:
            rose: list[int] = []
            fell: list[int] = []
            for moment in self.moments:
                before, after = number(moment.before, field), number(moment.after, field)
                if before is not None and after is not None and before != after:
                    (rose if after > before else fell).append(moment.step)
            self._turns[field] = rose, fell
        return self._turns[field]

    def _steps(self, keys: Callable[[Moment[FieldState]], Iterable[str]]) -> Steps:
        steps: Steps = {}
        for moment in self.moments:
            for key in keys(moment):
                if key:
                    steps.setdefault(key.casefold(), []).append(moment.step)
        return steps

    def _fields(self, fits: Callable[[Value], bool]) -> list[str]:
        kinds: dict[str, bool] = {}
        for moment in self.moments:
            for name, value in moment.before.fields.items():
                if value is not None:
                    kinds[name] = kinds.get(name, True) and fits(value)
        return sorted(name for name, all_fit in kinds.items() if all_fit)


_known: list[Index] = []


def index_of(trace: Trace[FieldState]) -> Index:
    """Return the index of an episode; the indexes of the last few episodes are kept."""
    for index in _known:
        if index.moments is trace.moments:
            return index
    _known.insert(0, Index(trace))
    del _known[_KEPT:]
    return _known[0]
