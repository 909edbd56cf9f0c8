"""The curve of a training beside play: scores of games over minutes, with the games played by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pitwall_lab.training_log import Point

_MINUTE_S = 60.0
_BY_CHANCE = 1.0


@dataclass(frozen=True, slots=True)
class CurveMinute:
    """The games that ended within a minute of play.

    Attributes:
        minute: counts from 1. score: mean; without a score the games' mean length in decisions; None where
            no game ended. explore: share of decisions by chance at its end.
    """

    minute: int
    games: int
    score: float | None
    explore: float


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The whole curve.

    Attributes:
        chance: mean score of the games that chance played; None: none ended. chance_games: how many.
        counts: "score", or "decisions" of a game where no score is read.
    """

    minutes: tuple[CurveMinute, ...]
    chance: float | None
    chance_games: int
    counts: str

    @property
    def best(self) -> CurveMinute | None:
        """Return the best minute after chance."""
        learned = [minute for minute in self.minutes if minute.explore < _BY_CHANCE and minute.games]
        return max(learned, key=lambda minute: minute.score or 0.0, default=None)


@dataclass(frozen=True, slots=True)
class LearningSession:
    """Counts the play of one session of learning.

    Attributes:
        before_s: seconds of play in earlier sessions. seconds, games: played in this session.
    """

    before_s: float
    seconds: float
    games: int


def learning_session(points: Sequence[Point], began_at: float) -> LearningSession:
    """Gather the points of a training's log since a session began (seconds since 1970)."""
    before_s = max((point.wall_s for point in points if point.at < began_at), default=0.0)
    since = [point for point in points if point.at >= began_at]
    seconds = since[-1].wall_s - before_s if since else 0.0
    return LearningSession(before_s, seconds, sum(point.episodes for point in since))


def learning_curve(points: Sequence[Point]) -> LearningCurve:
    """Gather the points of a training's log by minutes of play."""
    scored = any(point.score is not None for point in points)
    by_minute: dict[int, list[Point]] = {}
    for point in points:
        by_minute.setdefault(int(point.wall_s // _MINUTE_S) + 1, []).append(point)
    minutes = [
        CurveMinute(
            minute, sum(point.episodes for point in those), _mean(those, scored=scored), those[-1].epsilon
        )
        for minute, those in sorted(by_minute.items())
    ]
    chance = [point for point in points if point.epsilon >= _BY_CHANCE]
    return LearningCurve(
        minutes=tuple(minutes),
        chance=_mean(chance, scored=scored),
        chance_games=sum(point.episodes for point in chance),
        counts="score" if scored else "decisions",
    )


def _mean(points: Sequence[Point], *, scored: bool) -> float | None:
    """Return the mean score of the games of these points, weighted by their numbers."""
    known = [
        (point.episodes, value)
        for point in points
        if (value := point.score if scored else point.length) is not None
    ]
    games = sum(count for count, _ in known)
    return sum(count * value for count, value in known) / games if games else None
