"""A learned module improved by the operator: checked in the sandbox, trained for real, compared, resumed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_lab.improve_game import REWARD, steer

from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Learned, StateInput
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.analysis.analyser import analyse
from pitwall_lab.analysis.figures import ActionUse, Play
from pitwall_lab.analysis.playthrough import play_version, sample_transitions
from pitwall_lab.improvement.changes import Change, ChangeRefused, NoProposal, checked_change
from pitwall_lab.improvement.live_training import made_transitions
from pitwall_lab.improvement.loop import improve
from pitwall_lab.improvement.proposers import as_refusal, by_operator
from pitwall_lab.improvement.recipe_advice import advised_change
from pitwall_lab.improvement.space_change import SpaceChange
from pitwall_lab.orders import ImprovementTerms, TrainingOrder
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training.train import train

TERMS = ImprovementTerms(iterations=1, runs=5)
OTHER = REWARD.replace("0.02", "0.04")


@pytest.fixture
def trained(tmp_path: Path) -> ModuleFolder:
    """A module with one version, trained for 400 steps."""
    folder = steer(tmp_path)
    version = begin_version(folder, title="first").version
    train(DataFolder(tmp_path / "data"), folder, version, TrainingOrder())
    return folder


def test_a_new_reward_is_trained_and_compared(trained: ModuleFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    change = Change(reward=OTHER, title="steeper", why="it drifts", recipe={"gamma": 0.9})
    result = improve(data, trained, by_operator(change), start="v1", terms=TERMS)
    about = trained.about("v2")
    assert about.standing in (VersionStatus.KEPT, VersionStatus.ROLLED_BACK)
    assert about.note.startswith("Against v1, near: ")
    assert (about.parent, about.loop, about.iteration, about.by) == ("v1", "v1", 1, "operator")
    assert about.steps >= 400 and about.policy_sha256
    assert about.recipe is not None and about.recipe.gamma == 0.9
    assert (trained.folder("v2") / "reward.py").read_text() == OTHER
    assert about.score("twin") is not None
    assert [attempt.version for attempt in result.attempts] == ["v2"]
    shown = analyse(trained, "v2")
    assert shown.comparison is not None and shown.comparison.parent == "v1"


def test_what_a_policy_sees_and_may_do_is_changed(trained: ModuleFolder, tmp_path: Path) -> None:
    space = SpaceChange(
        state=(StateInput(field="x", low=-40, high=40),), actions=("", "right"), decide_every_ms=200
    )
    change = Change(space=space, title="the marker alone")
    improve(DataFolder(tmp_path / "data"), trained, by_operator(change), start="v1", terms=TERMS)
    before, after = trained.about("v1").learned, trained.about("v2").learned
    assert isinstance(before, Learned) and isinstance(after, Learned)
    assert after.actions == ["", "right"]
    assert [entry.field for entry in after.state] == ["x"]
    assert (after.decide_every_ms, after.history) == (200.0, before.history)
    assert trained.about("v2").policy_sha256
    assert trained.about("v2").standing in (VersionStatus.KEPT, VersionStatus.ROLLED_BACK)


@pytest.mark.parametrize(
    ("space", "says"),
    [
        ({"state": [{"field": "winds"}]}, "state.0: the game has no field 'winds'. Did you mean 'wind'"),
        ({"actions": ["left", "fly"]}, "actions.1: "),
        ({"actions": ["", "left", "left"]}, "stands twice"),
        ({"actions": ["left", "right"]}, "'' is missing"),
        ({"history": 2}, "same as before"),
        ({"state": []}, "must see something"),
    ],
)
def test_a_space_that_the_game_lacks_is_refused(tmp_path: Path, space: dict[str, Any], says: str) -> None:
    folder = steer(tmp_path)
    about = folder.about(begin_version(folder).version)
    change = Change(space=SpaceChange.model_validate(space))
    with pytest.raises(ChangeRefused) as refused:
        checked_change(folder, about, change, [])
    assert says in as_refusal(refused.value)


def test_other_actions_need_a_reward_that_does_not_count_them(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    about = folder.about(begin_version(folder).version)
    counting = REWARD.replace("return 0.1", "return 0.1 * action_idx")
    change = Change(space=SpaceChange(actions=("", "right")))
    with pytest.raises(ChangeRefused, match="another action"):
        checked_change(folder, about, change, [], reward=counting)
    assert checked_change(folder, about, change, [], reward=REWARD) == change


def test_actions_that_are_hardly_chosen_are_left_out_without_a_model(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    about = folder.about(begin_version(folder).version)
    uses = [("left", 0.6), ("", 0.397), ("right", 0.003)]
    play = Play(
        runs=3,
        scores=(1.0, 2.0, 3.0),
        actions=tuple(ActionUse(action=name, share=part, first=part, last=part) for name, part in uses),
    )
    change = advised_change(analyse(folder, about.version, play=play), about, 1)
    assert change.space == SpaceChange(actions=("", "left"))
    assert change.by == "rules"


def test_a_reward_is_tried_on_what_was_seen_where_there_is_no_twin(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    about = folder.about(begin_version(folder).version)
    calls = made_transitions({"x": (-4.0, 0.0, 9.0)}, ("", "left"), count=300, seed=1)
    assert any(call.next_state["x"] is None for call in calls)
    with pytest.raises(ChangeRefused, match="None"):
        checked_change(folder, about, Change(reward=OTHER), calls)
    tested = OTHER.replace('abs(next_state["x"])', 'abs(next_state["x"] or 0)')
    assert checked_change(folder, about, Change(reward=tested), calls).reward == tested


def test_a_stopped_training_is_gone_on_with(trained: ModuleFolder, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    lines: list[object] = []
    result = improve(
        data,
        trained,
        by_operator(Change(reward=OTHER, recipe={"steps": 2_000})),
        start="v1",
        terms=TERMS,
        on_line=lines.append,
        should_stop=lambda: len(lines) > 4,
    )
    assert not result.finished
    steps = trained.about("v2").steps
    assert 0 < steps < 2_000
    result = improve(data, trained, by_operator(), start="v1", terms=TERMS)
    assert result.finished
    assert trained.about("v2").steps >= 2_000
    assert trained.about("v2").standing in (VersionStatus.KEPT, VersionStatus.ROLLED_BACK)


def test_a_reward_that_fails_the_check_trains_nothing(trained: ModuleFolder, tmp_path: Path) -> None:
    bad = Change(reward=REWARD.replace('"x"', '"altitude"'))
    with pytest.raises(NoProposal, match=r"reward\.py, line 5: KeyError: altitude"):
        improve(DataFolder(tmp_path / "data"), trained, by_operator(bad), start="v1", terms=TERMS)
    assert trained.names() == ["v1"]


def test_a_training_that_fails_is_told(trained: ModuleFolder, tmp_path: Path) -> None:
    """What the samples did not meet: the sandbox stops the training, the version says why, the loop ends."""
    data, change = DataFolder(tmp_path / "data"), by_operator(Change(reward=OTHER))
    waits = ImprovementTerms(iterations=1, runs=5, only_propose=True)
    improve(data, trained, change, start="v1", terms=waits)
    (trained.folder("v2") / "reward.py").write_text(REWARD.replace('"x"', '"y"'), encoding="utf-8")
    result = improve(data, trained, by_operator(), start="v1", terms=TERMS)
    assert [attempt.standing for attempt in result.attempts] == [VersionStatus.FAILED]
    assert "line 5: KeyError: y" in result.attempts[0].note
    assert result.best == "v1"


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        ({"delay_ms": 0}, "how hard"),
        ({"noise": {}}, "how hard"),
        ({"gamma": 2}, "gamma"),
        ({"gama": 1}, "gama"),
    ],
)
def test_recipes_that_do_not_fit(tmp_path: Path, recipe: dict[str, object], says: str) -> None:
    folder = steer(tmp_path)
    about = begin_version(folder)
    with pytest.raises(ChangeRefused, match=says):
        checked_change(folder, about, Change(recipe=recipe), [])


def test_detectors_need_the_screen(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    about = begin_version(folder)
    eyes = folder.game.profile.detectors[0]
    with pytest.raises(ChangeRefused, match="no pictures"):
        checked_change(folder, about, Change(detectors=(eyes,)), [])
    assert checked_change(folder, about, Change(detectors=(eyes,)), [], on_screen=True).detectors == (eyes,)
    other = eyes.model_copy(update={"name": "nose"})
    with pytest.raises(ChangeRefused, match="no onnx detector 'nose'"):
        checked_change(folder, about, Change(detectors=(other,)), [], on_screen=True)


def test_samples_are_whole_transitions(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    calls = sample_transitions(folder, count=200, seed=3)
    assert calls == sample_transitions(folder, count=200, seed=3)
    assert len(calls) == 200
    assert any(call.done for call in calls) and calls[0].step == 1
    assert {call.action_idx for call in calls} == {0, 1, 2}
    for item, other in pairwise(calls):
        assert other.step == 1 or other.prev_state == item.next_state
        assert len(other.action_history) == min(other.step, 8) == len(other.action_state_changes)


def test_a_policy_is_watched(trained: ModuleFolder) -> None:
    play = play_version(trained, trained.about("v1"), trained.declared.trials[0], runs=3)
    assert play.runs == 3 == len(play.scores)
    assert sum(action.share for action in play.actions) == pytest.approx(1.0)
    assert {state.name for state in play.states} == {"x", "wind"}
    text = analyse(trained, "v1", play=play).text()
    assert "Played 3 runs" in text and "px" in text
