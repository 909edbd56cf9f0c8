"""Learning beside play: hands the policy to the game that it drives every few seconds, and keeps the best.

In the first minute every decision is by chance: what that scores is the line to compare with. Then decisions
by chance become rarer, so many a second whatever the game's rate. A policy is judged by the games that were
played since, of which several are taken together; the best such stretch keeps its policy. It is judged by
scores once any game had a score, until then by how long games last; these two are never compared.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path

from pitwall.gsm.version_record import POLICY
from pitwall.store.folder_errors import write_file
from pitwall_lab.algorithms.learner import Learner
from pitwall_lab.algorithms.policy_export import exported
from pitwall_lab.training.log_writer import TrainingLogWriter
from pitwall_lab.training.run_log_transitions import RunLogTransitions
from pitwall_lab.training.training_loop import BestCheckpoint, TrainingLoop
from pitwall_lab.training_log import LOG, TrainingLog

BEST = "best.onnx"
_CHANCE_S, _CHANCE_SHARE = 60.0, 0.2
"""Seconds of play in which every decision is by chance, and their largest share of all play."""
_EXPLORES, _FROM_HZ, _TO_HZ = 3.0, 2.0, 0.1
"""Time over which chance becomes rarer, as a multiple of that; its decisions a second before and after."""
_MOST_EXPLORE = 0.3
AVERAGED = 2e-3
"""Share of the newest weights in the policy that drives (`DoubleDQN.averaged`); it must not lag behind."""
_EVERY_S = 4.0
_JUDGED_GAMES = 5
"""Games that judge a policy together, and share of chance up to which they count."""
_JUDGED_EXPLORE = 0.1
_KEPT = 100


def explore_share(played_s: float, decisions: int, chance_s: float) -> float:
    """Return the share of decisions by chance after so many seconds of play and decisions."""
    if played_s < chance_s or not decisions:
        return 1.0
    gone = min(1.0, (played_s - chance_s) / (_EXPLORES * chance_s))
    return min(_MOST_EXPLORE, (_FROM_HZ + gone * (_TO_HZ - _FROM_HZ)) * played_s / decisions)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The games that ended while a policy drove, and the sum of their scores."""

    policy: bytes
    games: int
    score: float


class DrivingPolicy:
    """Publishes a training's policy while it drives a game.

    Args:
        folder: the version's.
        minutes: of play that are ordered; None: not known.
    """

    def __init__(
        self, folder: Path, source: RunLogTransitions, learner: Learner, minutes: float | None
    ) -> None:
        self._chance_s = min(_CHANCE_S, _CHANCE_SHARE * 60.0 * minutes if minutes else _CHANCE_S)
        self._folder, self._source, self._learner = folder, source, learner
        self._point_s = self._due_s = 0.0
        self._drives = b""
        self._scored = False
        self._stretches: deque[_Stretch] = deque(maxlen=_KEPT)

    @property
    def explore(self) -> float:
        """Return the share of decisions to take by chance now."""
        return explore_share(self._source.clock_s, self._learner.step, self._chance_s)

    @property
    def _unit(self) -> str:
        return "score" if self._scored else "decisions"

    def begin(self, course: TrainingLoop) -> None:
        """Publish the first policy of a version that has none; the game waits for it."""
        log = TrainingLog(self._folder / LOG)
        log.follow()
        scores = [point.score for point in log.points if point.score is not None]
        self._scored = bool(scores)
        if (
            best := course.best
        ) is not None and not best.counts:  # older ones did not name it, and mixed both
            possible = not scores or best.mean <= max(scores)
            course.best = replace(best, counts=self._unit) if possible else None
        if not (self._folder / POLICY).is_file():
            self._publish(course)

    def turn(self, course: TrainingLoop, journal: TrainingLogWriter) -> bool:
        """Publish the newest policy if it is due, and return whether it was."""
        if self._source.clock_s < self._point_s or course.learner.step == course.point_at:
            return False
        self._point_s = self._source.clock_s + _EVERY_S
        self._judge(course)
        course.wall_s = self._source.clock_s
        course.log_point(journal, epsilon=self.explore)
        if not course.learnt or time.monotonic() < self._due_s:  # it reads what was played before it started
            return False
        self._due_s = time.monotonic() + _EVERY_S / 2
        self._publish(course)
        return True

    def finish(self, course: TrainingLoop, journal: TrainingLogWriter) -> None:
        """Write the last point, and let the policy of the best stretch be the version's."""
        self._point_s = 0.0
        self.turn(course, journal)
        best = self._folder / BEST
        if best.is_file():
            write_file(self._folder / POLICY, best.read_bytes())

    def _publish(self, course: TrainingLoop) -> None:
        self._drives = exported(course.learner.average)
        write_file(self._folder / POLICY, self._drives)

    def _judge(self, course: TrainingLoop) -> None:
        """Keep the policy from the middle of the newest games, if they are the best so far."""
        tally, best = course.tally, course.best
        if tally.scored and not self._scored:
            self._scored = True
            self._stretches.clear()
        if self.explore > _JUDGED_EXPLORE or not self._drives:
            return
        score, games = (tally.score, tally.scored) if self._scored else (float(tally.length), tally.episodes)
        self._stretches.append(_Stretch(self._drives, games, score))
        newest: list[_Stretch] = []
        for stretch in reversed(self._stretches):
            newest.append(stretch)
            if sum(other.games for other in newest) >= _JUDGED_GAMES:
                break
        else:
            return
        mean = sum(stretch.score for stretch in newest) / sum(stretch.games for stretch in newest)
        if best is None or best.counts != self._unit or mean >= best.mean:
            course.best = BestCheckpoint(mean, 0, course.learner.step, self._unit)
            write_file(self._folder / BEST, newest[len(newest) // 2].policy)
