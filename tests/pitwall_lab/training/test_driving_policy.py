"""The best policy of a game that is learned by playing is chosen by scores alone, once a game had a score."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import astuple

import pytest

from pitwall.core.paths import DataFolder
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.run_log import RunLog
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import Shape
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.driving_policy import BEST, DrivingPolicy
from pitwall_lab.training.log_writer import TrainingLogWriter
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training.run_log_transitions import RunLogTransitions
from pitwall_lab.training.training_loop import BestCheckpoint, TrainingLoop


class Session:
    """A training whose games end as a test says."""

    def __init__(self, folder: ModuleFolder, data: DataFolder, reward: RewardFunction) -> None:
        about = folder.about("v1")
        learned, recipe = about.learned, about.recipe
        assert learned is not None and recipe is not None
        self.where = folder.folder("v1")
        learner = DoubleDQN(Shape.of(learned, recipe), recipe, lanes=1, seed=1)
        self.source = RunLogTransitions(data, folder, learned, reward, learner, follow=True, own="v1")
        self.journal = TrainingLogWriter(self.where, points_to=1 << 40)
        self.driving = DrivingPolicy(self.where, self.source, learner, minutes=1.0)
        self.course = TrainingLoop(
            folder.game,
            folder.declared,
            learned,
            recipe,
            learner=learner,
            source=self.source,
            trials=(),
            folder=self.where,
        )
        self.course.learner.step, self.source.clock_s = 100_000, 3_000.0

    def begin(self) -> None:
        """Publish the first policy, and take another as the policy that drives."""
        self.driving.begin(self.course)
        self.driving._publish(self.course)

    def ended(self, *games: tuple[int, float | None]) -> BestCheckpoint | None:
        """Let games end, each with its length and its score, and return the best policy's figures."""
        for length, score in games:
            self.course.tally.ended(0.0, length, score)
        self.course.learner.step += 100
        self.source.clock_s += 5.0
        self.driving.turn(self.course, self.journal)
        return self.course.best


@pytest.fixture
def session(walk: ModuleFolder, line_data: DataFolder) -> Iterator[Session]:
    begin_version(walk)
    with (
        RunLog.open(line_data),
        closing(RewardFunction((walk.folder("v1") / "reward.py").read_text())) as reward,
    ):
        made = Session(walk, line_data, reward)
        with closing(made.source), closing(made.journal):
            yield made


def test_the_length_of_a_game_never_stands_beside_scores(session: Session) -> None:
    session.begin()
    first = session.ended(*[(300, 2.0)] * 5)
    assert first is not None and (first.mean, first.counts) == (2.0, "score")
    unscored = session.ended(*[(900, None)] * 5)
    assert unscored is not None and unscored.mean == 2.0, "games without a score judge nothing"
    better = session.ended(*[(300, 3.0)] * 5)
    assert better is not None and better.mean == 3.0


def test_the_first_score_makes_lengths_worthless(session: Session) -> None:
    session.begin()
    by_length = session.ended(*[(300, None)] * 5)
    assert by_length is not None and (by_length.mean, by_length.counts) == (300.0, "decisions")
    (session.where / BEST).write_bytes(b"the longest game's")
    by_score = session.ended(*[(300, 1.0)] * 5)
    assert by_score is not None and (by_score.mean, by_score.counts) == (1.0, "score")
    assert (session.where / BEST).read_bytes() != b"the longest game's"


@pytest.mark.parametrize(("mean", "kept"), [(1.5, True), (812.0, False)])
def test_a_best_from_before_units_were_kept_stays_if_it_can_be_a_score(
    session: Session, mean: float, kept: bool
) -> None:
    session.begin()
    session.ended((300, 1.0), (300, 2.0))
    session.ended((300, 3.0))
    saved = session.course.save()
    session.course.load({**saved, "best": [mean, 0, 7]})
    session.begin()
    expected = BestCheckpoint(mean, 0, 7, "score") if kept else None
    assert session.course.best == expected
    again = session.course.save()["best"]
    assert again == (list(astuple(expected)) if expected is not None else None)
    session.course.load({**saved, "best": again})
    assert session.course.best == expected
