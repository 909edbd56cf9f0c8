"""Learning by playing begins with what was shown: a person's play, the rules, runs of any agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.pitwall_lab.cloning.made_play import FRAME_MS, PROFILE, played

from pitwall.core.paths import DataFolder
from pitwall.core.steps import ReflexRecord
from pitwall.demonstrations.folder import DemonstrationFolder, trimmed
from pitwall.games.drafting.learned_module import reward_text
from pitwall.games.schema.modules import Learned, Recipe, StateInput, VisionInput
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import to_be_watched
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import NO_ACTION, PolicyInput, Shape
from pitwall_lab.algorithms.replay import Replay
from pitwall_lab.cloning.stretches import stretches_of
from pitwall_lab.live.shown_play import ShownPlay
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.advice import rule_advice
from pitwall_lab.training.new_version import begin_version

_GAME = Game(profile=PROFILE, folder=Path("/nowhere"), profile_hash="0" * 64, trusted=True, source="user")
_RECIPE = Recipe(batch=32, replay=1_000, hidden=[16, 16], gamma=0.9)
_SPACE = Learned(
    state=[StateInput(field=name, low=0, high=320) for name in ("bat", "ball")],
    actions=["", "left", "right"],
    history=0,
    decide_every_ms=80,
    reward="",
)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def reward() -> Iterator[RewardFunction]:
    function = RewardFunction(reward_text({"score": 1.0}))
    yield function
    function.close()


def _learner() -> DoubleDQN:
    return DoubleDQN(Shape.of(_SPACE, _RECIPE), _RECIPE, lanes=1, seed=1)


def _shown(
    data: DataFolder, learner: DoubleDQN, reward: RewardFunction, space: Learned = _SPACE, **how: Any
) -> ShownPlay:
    folder = ModuleFolder(data, to_be_watched(_GAME), "watched")
    about = VersionRecord(
        game_id="bat", module="watched", version="v1", kind="policy", learned=space, created_at=1.0
    )
    return ShownPlay(data, folder, about, learner, reward, None, **how)


def _seen(bat: float, ball: float) -> PolicyInput:
    state = np.array([[2 * bat / 320 - 1, 2 * ball / 320 - 1]], np.float32)
    return PolicyInput(state, np.zeros((1, 0), np.int64), None)


def test_it_begins_as_the_person_played(data: DataFolder, reward: RewardFunction) -> None:
    name = played(data, seconds=40, episodes=4)
    learner = _learner()
    assert name in _shown(data, learner, reward).begin(learn=True)
    assert learner.gradients > 100
    assert learner.best(_seen(40, 250)).tolist() == [2], "the ball is to the right"
    assert learner.best(_seen(250, 40)).tolist() == [1], "the ball is to the left"


def test_a_takeover_is_taken_in_as_a_correction_that_counts_four_times(
    data: DataFolder, reward: RewardFunction
) -> None:
    learner = _learner()
    shown = _shown(data, learner, reward)
    assert shown.begin(learn=True) == "" and learner.gradients == 0
    played(data, "20261123-193000-bat", seconds=10, episodes=1, kind="correction")
    shown._due_s = 0.0
    assert "20261123-193000-bat" in shown.turn()
    corrected = learner.show().count
    shown._due_s = 0.0
    assert shown.turn() == "", "it is read once"
    played(data, "20261123-194000-bat", seconds=10, episodes=1)
    shown._due_s = 0.0
    assert shown.turn()
    assert corrected == 4 * (learner.show().count - corrected)


@pytest.mark.parametrize(
    ("ends", "gap_ms", "terminal"),
    [
        ("terminal", FRAME_MS, True),
        ("menu", FRAME_MS, True),
        ("paused", FRAME_MS, False),
        ("loading", FRAME_MS, False),
        ("terminal", 1_500, False),
    ],
)
def test_the_end_of_a_game_that_a_person_played_is_an_end(
    data: DataFolder, reward: RewardFunction, ends: str, gap_ms: float, terminal: bool
) -> None:
    played(data, seconds=10, episodes=2, ends=ends, gap_ms=gap_ms)
    learner = _learner()
    _shown(data, learner, reward).begin(learn=False)
    shown = learner.show()
    rows = slice(0, shown.count)
    assert (shown.action[0, rows] == NO_ACTION).sum() == 2
    assert shown.terminal[0, rows].sum() == (2 if terminal else 0)
    assert (shown.reward[0, rows] < 0).sum() == (2 if terminal else 0), "an end is worth less than nothing"


def test_a_part_that_is_not_the_last_and_a_trimmed_end_have_no_end(data: DataFolder) -> None:
    folder, name = DemonstrationFolder(data), played(data, seconds=10, episodes=1, ends="terminal")
    (whole,) = stretches_of(folder.open(name))
    moments = len(whole.at_ns)
    assert whole.end is not None and whole.end[1]["status"] == "terminal"
    assert whole.part(5, moments).end == whole.end
    assert whole.part(0, moments - 1).end is None
    folder.change(name, lambda manifest: trimmed(manifest, 0.0, 9.9))
    (cut,) = stretches_of(folder.open(name))
    assert cut.end is None


def test_an_end_shows_the_last_picture_of_its_game(data: DataFolder, reward: RewardFunction) -> None:
    played(data, seconds=4, episodes=1, pictures=True, ends="terminal")
    seeing = _SPACE.model_copy(update={"vision": VisionInput(width=16, height=16, frames=2), "state": []})
    learner = DoubleDQN(Shape.of(seeing, _RECIPE), _RECIPE, lanes=1, seed=1)
    _shown(data, learner, reward, seeing).begin(learn=False)
    shown = learner.show()
    last = shown.count - 1
    assert shown.terminal[0, last - 1] and shown.action[0, last] == NO_ACTION
    assert np.array_equal(shown.picture[0, last], shown.picture[0, last - 1])


def test_what_was_read_before_advises_no_more_in_full_after_a_break(
    data: DataFolder, reward: RewardFunction
) -> None:
    played(data, seconds=40, episodes=4)
    learner = _learner()
    shown = _shown(data, learner, reward)
    shown.begin(learn=True)
    saved, read = learner.save(), shown.save()
    assert 0 < learner._urges < 1, "it fades while it learns"

    def resumed(known: list[str] | None) -> DoubleDQN:
        later = _learner()
        later.load(saved)
        again = _shown(data, later, reward)
        again.load(known)
        again.begin(learn=False)
        assert later.show().count, "it is learned from again"
        return later

    assert resumed(read)._urges == learner._urges
    assert resumed(None)._urges == learner._urges, "an older checkpoint does not name what was read"
    played(data, "20261123-194000-bat", seconds=10, episodes=1)
    assert resumed(read)._urges == 1.0, "play that was shown meanwhile is new"


def test_the_newest_play_is_read_until_the_memory_is_full(data: DataFolder, reward: RewardFunction) -> None:
    old, new = played(data, seconds=10, episodes=2), "20261123-194000-bat"
    played(data, new, seconds=20, episodes=4)
    learner = _learner()
    learner.shown = Replay(learner.shape, lanes=1, capacity=100)
    shown = _shown(data, learner, reward)
    assert shown.begin(learn=False) == f"It begins with shown play {new}."
    assert shown.save() == [old, new]
    assert learner.shown.added < 200, "one of its four games fills it"


def test_a_stop_is_heard_while_shown_play_is_read(data: DataFolder, reward: RewardFunction) -> None:
    played(data, seconds=10, episodes=2)
    learner = _learner()
    assert _shown(data, learner, reward, should_stop=lambda: True).begin(learn=True) == ""
    assert learner.show().count == learner.gradients == 0


def test_rules_advise_each_decision_until_the_pupil_knows_better(walk: ModuleFolder) -> None:
    about = begin_version(walk)
    assert about.learned is not None
    advise = rule_advice(walk, about.learned)
    assert advise is not None
    record = ReflexRecord(step=1, at_ns=0, module="walk", version="v1", start=1, action=1, values={"x": 3.0})
    assert about.learned.actions[advise(record)] == "right"
    silent = about.learned.model_copy(update={"actions": ["up", "down"]})
    assert rule_advice(walk, silent) is None


def test_advice_outweighs_play_at_first(reward: RewardFunction) -> None:
    assert reward.source.parameters
    learner, chance = _learner(), np.random.default_rng(3)
    for _ in range(200):
        bat, ball = chance.random(2) * 320
        learner.replay.add(
            _seen(bat, ball).state,
            None,
            np.array([chance.integers(0, 3)]),
            np.array([0.0]),
            np.array([False]),
            np.array([0]),
            np.array([2 if ball > bat else 1]),
        )
    learner.urge()
    learner.learn(300)
    assert learner.best(_seen(40, 250)).tolist() == [2]
    assert learner.best(_seen(250, 40)).tolist() == [1]
    saved = learner.save()
    again = _learner()
    again.load(saved)
    assert again._urges == learner._urges > 0
    assert (again.replay.advised[:, :200] != NO_ACTION).all()
    del saved["replay"]["advised"]
    again.load(saved)  # of a training from before there was advice
