"""A version without a twin learns by playing: play that ended early is said, and gone on with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import patient
from tests.pitwall_lab.improvement.test_improve_on_screen import PLUGINS, _without_start
from tests.pitwall_lab.tiny_game import write_line

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import trust
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.improvement.live_training import learn_by_playing
from pitwall_lab.improvement.version_training import VersionTraining
from pitwall_lab.live.module import begin, learning_module
from pitwall_lab.orders import ImprovementTerms
from pitwall_lab.training.new_version import begin_version


def _training(data: DataFolder, folder: ModuleFolder, minutes: float) -> VersionTraining:
    terms = ImprovementTerms(minutes=minutes)
    return VersionTraining(data, folder, terms, lambda *_: None, None, lambda: False)


def test_a_version_is_trained_only_once_it_has_played_for_its_minutes(
    tmp_path: Path, line_data: DataFolder
) -> None:
    game = write_line(tmp_path / "twinless", ('twin = "line_twin.py"\n', ""))
    walk = ModuleFolder(line_data, game, "walk")
    training = _training(line_data, walk, minutes=15.0)
    about = begin_version(walk, explore=1.0)
    stopped = about.model_copy(update={"standing": VersionStatus.TRAINED, "wall_s": 20.0})
    whole = stopped.model_copy(update={"wall_s": 880.0})
    assert training.is_due(about) and training.is_due(stopped)
    assert not training.is_due(whole)
    assert training.is_due(whole.model_copy(update={"standing": VersionStatus.TRAINING}))
    assert _training(line_data, walk, minutes=30.0).is_due(whole), "more minutes were ordered"


@pytest.mark.screen
@pytest.mark.long
@pytest.mark.timeout(600)
def test_play_that_ended_early_is_said_and_the_rest_of_it_is_played(screen: str, tmp_path: Path) -> None:
    assert screen
    source, data = _without_start(tmp_path / "open"), patient(DataFolder(tmp_path / "data"))
    trust(data, Registry(data).load(str(source)))
    folder = learning_module(data, Registry(data).load(str(source)), "")
    about, newer = begin(folder, None), begin(folder, None)
    folder.write(about.model_copy(update={"loop": "v0"}))
    with _window() as window:
        with pytest.raises(PitwallError, match=rf"{about.version} learned from .* of 45 s of play\. run 1 "):
            learn_by_playing(
                data, folder, about, minutes=0.75, seed=1, on_progress=lambda *_: window.terminate()
            )
        assert window.wait() is not None
    early = folder.about(about.version)
    assert 0 < early.wall_s < 30 and early.steps and early.standing is VersionStatus.TRAINED
    training = _training(data, folder, minutes=0.75)
    assert training.is_due(early)
    with _window() as window:
        late = training.train(early)
        window.terminate()
    assert late.wall_s > 35 and late.steps > early.steps and not training.is_due(late)
    assert folder.about(newer.version).steps == 0, "the newest version is not the one that was named"


def _window() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(PLUGINS / "flappy" / "game.py"), "--seed", "3"])
