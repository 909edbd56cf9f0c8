"""A training of a tiny module: what it leaves, what it obeys, and that being broken off changes nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from PIL import Image
from tests.pitwall_lab.tiny_game import REWARD, write_line

from pitwall.core.errors import DataFolderError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall.gsm.inference import Policy, read_policy
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import RULES, ModuleFolder, sha256_of
from pitwall.store.lease import FileLock
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.training import train as training
from pitwall_lab.training.checkpoint import CHECKPOINT, DamagedCheckpoint
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training.train import _Training, train
from pitwall_lab.training_log import LOCK, LOG, Evaluated, Line, Point, State, TrainingLog, request_control
from pitwall_lab.trials.twin_trials import twin_trial

MEASURED_BY_THE_CLOCK = {"wall_s", "at", "fps"}


def order(
    walk: ModuleFolder, data: DataFolder, version: str, **more: Any
) -> tuple[DataFolder, ModuleFolder, str, TrainingOrder]:
    return data, walk, version, TrainingOrder(seed=5, **more)


def curve(walk: ModuleFolder, version: str) -> list[dict[str, Any]]:
    """Points and evaluations, without what the clock says."""
    log = TrainingLog(walk.folder(version) / LOG)
    log.follow()
    lines: list[Point | Evaluated] = sorted([*log.points, *log.evaluations], key=lambda line: line.step)
    return [line.model_dump(exclude=MEASURED_BY_THE_CLOCK) for line in lines]


@pytest.fixture(scope="module")
def trained(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[ModuleFolder, DataFolder, VersionRecord, list[Line]]:
    """A whole training, uninterrupted."""
    root = tmp_path_factory.mktemp("trained")
    data = DataFolder(root / "data")
    walk = ModuleFolder(data, write_line(root / "line"), "walk")
    version = begin_version(walk, title="first", by="project").version
    message: list[Line] = []
    return walk, data, train(*order(walk, data, version), on_line=message.append), message


Trained = tuple[ModuleFolder, DataFolder, VersionRecord, list[Line]]


def test_it_leaves_all_that_a_version_is(trained: Trained) -> None:
    walk, _, about, message = trained
    folder = walk.folder("v1")
    assert about == walk.about("v1")
    assert (about.standing, about.seed, about.kind) == (VersionStatus.TRAINED, 5, "policy")
    assert 800 <= about.steps < 804
    assert about.policy_sha256 == sha256_of(folder / "policy.onnx")
    assert about.reward_sha256 == sha256_of(folder / "reward.py")
    score = about.score("twin", "goal")
    assert score is not None
    assert (score.runs, score.first_seed, score.delay_ms) == (3, 900_001, 50.0)
    log = TrainingLog(folder / LOG)
    log.follow()
    assert len(log.points) >= 100
    assert [item.step for item in message] == sorted(element.step for element in message)
    assert sum(sum(point.actions) for point in log.points) == about.steps
    assert {"way", "goal"} == set(log.points[-1].rewards)
    assert any("x" in point.states and point.loss is not None for point in log.points)
    assert [state.state for state in message if isinstance(state, State)] == ["running", "finished"]
    assert len(log.evaluations) == 3
    assert list((folder / "events").glob("events.out.tfevents.*"))


def test_the_best_so_far_has_a_clip(trained: Trained) -> None:
    walk, _, _, message = trained
    best = [item for item in message if isinstance(item, Evaluated) and item.best]
    frames = []
    for element in best:
        with Image.open(walk.folder("v1") / element.clip) as clip:
            assert clip.format == "WEBP"
            frames.append(getattr(clip, "n_frames", 1))
    assert max(frames) > 3  # a walker that stands still is one picture


def test_the_policy_file_is_small_and_plays(trained: Trained) -> None:
    walk, _, about, _ = trained
    assert about.learned is not None
    file = walk.folder("v1") / "policy.onnx"
    assert file.stat().st_size < 1_000_000
    model = onnx.load(file)
    assert [item.name for item in model.graph.input] == ["state", "history"]
    policy = Policy(read_policy(file, about.policy_sha256), about.learned)
    state, history = np.zeros((1, 1), np.float32), np.zeros((1, 3, 3), np.float32)
    assert policy.q({"state": state, "history": history}).shape == (3,)
    again = [twin_trial(walk, "v1", runs=18) for _ in range(2)]
    assert again[0].values == again[1].values
    assert again[0].values[:3] == about.scores[-1].values


def test_rules_are_judged_the_same_way(trained: Trained) -> None:
    walk, _, _, _ = trained
    scores: list[float] = []
    score = twin_trial(walk, RULES, trial="goal", runs=20, on_run=lambda run: scores.append(run.score))
    assert score.wins == 20
    assert scores == list(score.values)
    assert score.win_low > 0.8
    without = twin_trial(walk, RULES, runs=4, delay_ms=0.0, first_seed=7, cap=5)
    assert (without.delay_ms, without.first_seed, without.cap) == (0.0, 7, 5)
    assert set(without.values) == {5.0}
    with pytest.raises(PitwallError, match=r"no trial 'goul'.*goal"):
        twin_trial(walk, RULES, trial="goul")


@pytest.mark.parametrize("stops", [(90,), (310, 640)])
def test_broken_off_and_resumed_it_ends_alike(
    trained: Trained,
    line: Game,
    line_data: DataFolder,
    stops: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training, "_LOOK_S", 0.0)  # it is soon over: look after every turn
    walk = ModuleFolder(line_data, line, "walk")
    version = begin_version(walk).version
    for stop in stops:
        about = train(*order(walk, line_data, version), **until(stop))
        assert stop <= about.steps < 800
    about = train(*order(walk, line_data, version))
    assert about.standing is VersionStatus.TRAINED
    assert curve(walk, version) == curve(trained[0], "v1")
    assert about.scores[-1].values == trained[2].scores[-1].values


def test_learning_on_leaves_out_the_scores_of_the_earlier_policy(line: Game, line_data: DataFolder) -> None:
    walk = ModuleFolder(line_data, line, "walk")
    version = begin_version(walk, changes={"steps": 300}).version
    first = train(*order(walk, line_data, version))
    assert first.score("twin") is not None and first.recipe is not None
    walk.write(first.model_copy(update={"recipe": first.recipe.model_copy(update={"steps": 800})}))
    better: list[bool] = []
    about = train(
        *order(walk, line_data, version),
        on_line=lambda line: better.append(isinstance(line, Evaluated) and line.best),
        should_stop=lambda: any(better),
    )
    assert about.steps < 800 and about.policy_sha256 != first.policy_sha256
    assert about.scores == () == walk.about(version).scores


def test_learning_on_does_not_undo_what_a_loop_decided(line: Game, line_data: DataFolder) -> None:
    walk = ModuleFolder(line_data, line, "walk")
    version = begin_version(walk, changes={"steps": 200}).version
    decided = {"loop": "rules", "standing": VersionStatus.KEPT, "note": "Against rules: better."}
    walk.write(walk.about(version).model_copy(update=decided))
    states: list[str] = []
    about = train(
        *order(walk, line_data, version),
        on_line=lambda _: states.append(walk.about(version).standing),
    )
    assert about.steps >= 200 and about.policy_sha256
    assert {*states, about.standing} == {VersionStatus.KEPT} and about.note == "Against rules: better."


def until(step: int) -> dict[str, Any]:
    """Stops a training soon after a step."""
    reached: list[int] = [0]
    return {
        "on_line": lambda line: reached.append(line.step),
        "should_stop": lambda: reached[-1] >= step,
    }


KILLED = """
import sys
import time
from pathlib import Path
from pitwall.core.paths import DataFolder
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game
from pitwall_lab import training
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.training.train import train
folder = Path(sys.argv[1])
game = Game(profile=load_profile(folder), folder=folder, profile_hash="tiny", trusted=True, source="path")
training._KEEP_S, training._KEEP_SHARE = 0.02, 0.0
data = DataFolder(Path(sys.argv[2]))
walk = ModuleFolder(data, game, "walk")
def tell(line):
    print(line.step, flush=True)
    time.sleep(0.01)  # so that it is not over before it is killed
train(data, walk, "v1", TrainingOrder(seed=5), on_line=tell)
"""


def test_a_checkpoint_from_before_a_recipe_got_further_values_still_fits(
    line: Game, line_data: DataFolder
) -> None:
    """The pinned hash is that of a version from before critics, dropout and resets."""
    walk = ModuleFolder(line_data, line, "walk")
    about = walk.about(begin_version(walk).version)
    recipe = about.recipe
    assert recipe is not None

    def space(**values: Any) -> str:
        changed = about.model_copy(update={"recipe": recipe.model_copy(update=values)})
        return _Training(line_data, TrainingOrder(), walk, changed, None, lambda: False, None)._space()

    assert space() == "d7d8117009baa81822c4beefc06b2a44a4f4d4f731394a666ca22bed5c11aa89"
    assert len({space(), space(critics=2), space(dropout=0.1), space(reset_every=9)}) == 4


def test_killed_in_the_middle_and_resumed_it_ends_alike(
    trained: Trained, line: Game, line_data: DataFolder
) -> None:
    walk = ModuleFolder(line_data, line, "walk")
    begin_version(walk)
    command = [sys.executable, "-c", KILLED, str(line.folder), str(line_data.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for text in process.stdout:
            if int(text) > 200:
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    assert walk.about("v1").standing is VersionStatus.TRAINING
    with (walk.folder("v1") / LOG).open("a") as log:
        log.write('{"kind": "point", "step": 3')  # as a crash leaves it
    train(*order(walk, line_data, "v1"))
    assert curve(walk, "v1") == curve(trained[0], "v1")


def test_worker_processes_change_nothing(trained: Trained, line: Game, line_data: DataFolder) -> None:
    walk = ModuleFolder(line_data, line, "walk")
    begin_version(walk)
    train(*order(walk, line_data, "v1", workers=2))
    assert curve(walk, "v1") == curve(trained[0], "v1")


def test_it_pauses_goes_on_and_stops_when_asked(walk: ModuleFolder, line_data: DataFolder) -> None:
    version = begin_version(walk, changes={"steps": 300_000, "evaluate_every": 300_000}).version
    folder = walk.folder(version)
    message: list[Line] = []

    def states() -> list[str]:
        return [item.state for item in message if isinstance(item, State)]

    done: list[VersionRecord] = []
    thread = threading.Thread(
        target=lambda: done.append(train(*order(walk, line_data, version), on_line=message.append))
    )
    thread.start()
    try:
        _until(lambda: any(isinstance(item, Point) for item in message))
        request_control(folder, "pause")
        _until(lambda: states()[-1] == "paused")
        assert (folder / CHECKPOINT).is_file()
        assert FileLock(folder / LOCK, role="other", subject="it").held is False
        with pytest.raises(DataFolderError, match="in use by training"):
            train(*order(walk, line_data, version))
        paused_at = message[-1].step
        request_control(folder, "run")
        _until(lambda: states()[-1] == "running" and message[-1].step > paused_at)
    finally:
        request_control(folder, "stop")
        thread.join(30)
    assert states() == ["running", "paused", "running", "stopped"]
    assert done[0].standing is VersionStatus.PROPOSED
    assert paused_at < done[0].steps < 300_000


def test_a_reward_that_fails_ends_it_with_its_sentence(walk: ModuleFolder, line_data: DataFolder) -> None:
    version = begin_version(walk, reward=REWARD.replace("5.0 if done else -0.1", "1 / (10 - step)")).version
    message: list[Line] = []
    with pytest.raises(PitwallError, match=r"reward\.py"):
        train(*order(walk, line_data, version), on_line=message.append)
    about = walk.about(version)
    assert about.standing is VersionStatus.FAILED
    assert "reward.py" in about.note
    assert isinstance(message[-1], State)
    assert (message[-1].state, message[-1].why) == ("failed", about.note)


def test_a_version_takes_over_from_its_parent(walk: ModuleFolder) -> None:
    first = begin_version(walk, changes={"gamma": 0.5}, title="short-sighted")
    other = REWARD.replace("5.0", "9.0")
    second = begin_version(
        walk, parent=first.version, reward=other, changes={"steps": 300}, why="the goal", by="model"
    )
    third = begin_version(walk, parent=second.version)
    assert [item.iteration for item in (first, second, third)] == [0, 0, 0], (
        "one's own trainings are no tries"
    )
    assert (second.parent, second.by, second.standing) == ("v1", "model", VersionStatus.PROPOSED)
    for about in (second, third):
        assert about.recipe is not None
        assert (about.recipe.gamma, about.recipe.steps) == (0.5, 300)
        assert "9.0" in (walk.folder(about.version) / "reward.py").read_text()
    with pytest.raises(PitwallError, match="gamma"):
        begin_version(walk, changes={"gamma": 2})
    with pytest.raises(PitwallError, match="gama"):
        begin_version(walk, changes={"gama": 0.9})


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"cut"])
def test_a_damaged_checkpoint_is_named(
    trained: Trained, walk: ModuleFolder, line_data: DataFolder, damage: bytes
) -> None:
    version = begin_version(walk).version
    whole = (trained[0].folder("v1") / CHECKPOINT).read_bytes()
    (walk.folder(version) / CHECKPOINT).write_bytes(whole[:5000] if damage == b"cut" else damage)
    with pytest.raises(DamagedCheckpoint, match=r"checkpoint\.pt"):
        train(*order(walk, line_data, version))


def test_a_checkpoint_of_another_space_is_not_gone_on_from(
    trained: Trained, walk: ModuleFolder, line_data: DataFolder
) -> None:
    version = begin_version(walk, changes={"hidden": [8]}).version
    whole = (trained[0].folder("v1") / CHECKPOINT).read_bytes()
    (walk.folder(version) / CHECKPOINT).write_bytes(whole)
    with pytest.raises(DamagedCheckpoint, match="another training"):
        train(*order(walk, line_data, version))


def test_a_module_that_sees_is_trained_from_pictures(tmp_path: Path, line_data: DataFolder) -> None:
    vision = "vision = { width = 16, height = 16, frames = 2 }\nactions"
    state = 'state = [{ field = "x", low = 0, high = 10 }]\nactions'
    game = write_line(tmp_path / "seeing", (state, vision), ("history = 3", "history = 0"))
    walk = ModuleFolder(line_data, game, "walk")
    version = begin_version(walk, changes={"steps": 200, "evaluate_every": 200, "evaluate_runs": 1}).version
    about = train(*order(walk, line_data, version))
    model = onnx.load(walk.folder(version) / "policy.onnx")
    assert [item.name for item in model.graph.input] == ["vision"]
    assert about.scores[-1].runs == 1


def test_what_is_not_trained_here_says_so(walk: ModuleFolder, line_data: DataFolder) -> None:
    with pytest.raises(PitwallError, match="--from rules"):
        train(*order(walk, line_data, RULES))


def _until(holds: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(3000):
        if holds():
            return
        waited.wait(0.01)
    raise AssertionError("it never came")
