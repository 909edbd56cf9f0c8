"""Follows the counters of a game over recorded decisions, so that a misread number becomes no reward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pitwall.core.observations import GameStatus, Value
from pitwall.core.steps import ReflexRecord
from pitwall.gsm.number_course import NumberCourse

_SURE = 1.0


class JudgedCounters:
    """Judges each counter as play does (`NumberCourse`), also where play takes a reading at once.

    A game lasts until its end screen, or until the score falls: a module may start several times in between.

    Args:
        names: fields of the counters; the first is the score.

    Attributes:
        best: the highest score of this game that was borne out; None before any.
        ended: scores of the games that ended with the newest decision, None where none was read.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._courses = {name: NumberCourse() for name in names}
        self._score = next(iter(names), "")
        self._kept: dict[str, Value] = {}
        self.best: float | None = None
        self.ended: list[float | None] = []

    def begin(self) -> None:
        """Begin a start: a number that counts anew costs nothing."""
        self._kept = {}

    def judged(self, record: ReflexRecord) -> dict[str, Value]:
        """Return a decision's values, each counter as it was borne out last in this start, else None."""
        playing = record.values.get("status", GameStatus.PLAYING.value) == GameStatus.PLAYING.value
        for name, course in self._courses.items():
            value = course.judge(record.values.get(name), _SURE, record.at_ns, playing=playing)
            if value is not None and playing:
                self._kept[name] = value
        self.ended = []
        score = self._kept.get(self._score)
        if isinstance(score, int | float) and self.best is not None and score < self.best:
            self.ended, self.best = [self.best], None
        if isinstance(score, int | float):
            self.best = score if self.best is None else max(self.best, float(score))
        if record.values.get("status") == GameStatus.TERMINAL.value:
            self.ended, self.best = [*self.ended, self.best][-1:], None
        return {**record.values, **{name: self._kept.get(name) for name in self._courses}}


def without_gaps(
    before: Mapping[str, Value], after: Mapping[str, Value], counters: Sequence[str]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return two states in which each counter is known: where only one is, nothing changed."""
    left, right = dict(before), dict(after)
    for name in counters:
        known = right[name] if right.get(name) is not None else left.get(name)
        known = 0.0 if known is None else known
        left[name] = known if left.get(name) is None else left[name]
        right[name] = known
    return left, right
