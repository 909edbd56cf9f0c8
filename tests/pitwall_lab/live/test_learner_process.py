"""A stop reaches the training beside play at any moment, also while it begins."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from pitwall.core.paths import DataFolder
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.lease import FileLock
from pitwall_lab.cli.training_run import OUTPUT
from pitwall_lab.live.learner_process import LearnerProcess
from pitwall_lab.orders import LearnOrder
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training_log import LOCK

_PATIENCE_S = 90.0
_STARTS_AND_DIES = """
import os, sys
from pathlib import Path
from tests.pitwall_lab.live.test_learner_process import started
from pitwall.core.paths import DataFolder
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game
from pitwall.gsm.versions import ModuleFolder

line, data = Path(sys.argv[1]), DataFolder(Path(sys.argv[2]))
game = Game(profile=load_profile(line), folder=line, profile_hash="tiny", trusted=True, source="path")
print(started(ModuleFolder(data, game, "walk"), data).pid, flush=True)
os._exit(9)
"""


def started(walk: ModuleFolder, data: DataFolder) -> LearnerProcess:
    """Start the training of the first version."""
    return LearnerProcess(data, walk, "v1", walk.folder("v1") / OUTPUT, LearnOrder(minutes=1.0))


@pytest.fixture(autouse=True)
def launched_file(walk: ModuleFolder) -> None:
    """Write the file that the game's command names, for the commands that check it."""
    (walk.game.folder / "line.py").write_text("")


def _until(what: Callable[[], bool]) -> bool:
    """Wait for something to become true, and return whether it did."""
    until_s = time.monotonic() + _PATIENCE_S
    while not (became := what()) and time.monotonic() < until_s:
        time.sleep(0.05)
    return became


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def _is_free(walk: ModuleFolder) -> bool:
    with FileLock(walk.folder("v1") / LOCK, role="test", subject="v1"):
        return True


def test_a_stop_that_comes_before_the_training_has_begun_ends_it(
    walk: ModuleFolder, line_data: DataFolder
) -> None:
    begin_version(walk)
    learner = started(walk, line_data)
    learner.stop()
    assert learner._process.returncode == 0, "it was not killed"
    assert _is_free(walk)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of the parent's end")
def test_a_training_does_not_outlive_the_command_that_plays_even_if_it_had_not_begun(
    walk: ModuleFolder, line_data: DataFolder
) -> None:
    begin_version(walk)
    command = [sys.executable, "-c", _STARTS_AND_DIES, str(walk.game.folder), str(line_data.root)]
    dead = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    pid = int(dead.stdout)
    try:
        assert _until(lambda: _gone(pid))
    finally:
        if not _gone(pid):
            os.kill(pid, signal.SIGKILL)
    assert _is_free(walk)


def test_the_command_is_stopped_while_it_prepares(walk: ModuleFolder, line_data: DataFolder) -> None:
    words = ["learn", "--game", str(walk.game.folder), "--no-play", "--json", "--data", str(line_data.root)]
    with subprocess.Popen([sys.executable, "-m", "pitwall", *words], stdout=subprocess.PIPE) as command:
        output = walk.folder("v1") / OUTPUT
        assert _until(output.exists)
        command.terminate()
        command.communicate()
    assert command.returncode == 0
    assert _is_free(walk)
