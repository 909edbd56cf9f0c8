"""Windows' processes: who descends from whom, when one ends, and a job that takes its processes along."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pitwall.desktops.here import process_tree, processes
from pitwall.games.game_process import Launched, left_running, start
from pitwall_desktops.windows import processes as windows_processes
from workshop.fixtures.processes import kill, wait_until_dead

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="Windows' processes")
_SLEEP = "import time; time.sleep(120)"
_PARENT = f"""import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {_SLEEP!r}])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(120)"""


def _grandchild(file: Path) -> int:
    deadline = time.monotonic() + 60
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(file.read_text())


def _launched(tmp_path: Path, owner: int) -> tuple[Launched, int]:
    file = tmp_path / "child.txt"
    game = start(
        [sys.executable, "-c", _PARENT, str(file)],
        dict(os.environ),
        folder=tmp_path,
        own=tmp_path,
        log=tmp_path / "game.log",
        control=tmp_path / "none.sock",
        owner=owner,
    )
    return game, _grandchild(file)


def test_a_process_its_birth_its_tree_and_its_end(tmp_path: Path) -> None:
    file = tmp_path / "child.txt"
    with subprocess.Popen([sys.executable, "-c", _PARENT, str(file)]) as parent:
        child = _grandchild(file)
        assert {parent.pid, child} <= process_tree(parent.pid)
        assert {parent.pid, child} <= process_tree(os.getpid())
        assert 0 < processes().born(os.getpid()) <= processes().born(parent.pid) <= processes().born(child)
        assert not windows_processes.waits_for_end(child, 0)
        windows_processes.make_end(parent.pid)
        windows_processes.make_end(child)
    assert wait_until_dead(child, 30)
    assert (processes().born(child), process_tree(child)) == (0, frozenset({child}))


def test_a_game_that_is_closed_takes_along_what_it_started(tmp_path: Path) -> None:
    game, child = _launched(tmp_path, os.getpid())
    assert game.alive
    game.close()
    assert wait_until_dead(child, 30)
    assert not game.alive


def test_a_game_that_ended_by_itself_has_ended(tmp_path: Path) -> None:
    """Windows' host of its hidden console is no part of it."""
    places = {"folder": tmp_path, "own": tmp_path, "log": tmp_path / "log", "control": tmp_path / "none.sock"}
    game = start([sys.executable, "-c", "pass"], dict(os.environ), **places, owner=os.getpid())
    assert wait_until_dead(game.pid, 60)
    assert not game.alive
    game.close()


def test_a_killed_supervisor_takes_the_game_along(tmp_path: Path) -> None:
    game, child = _launched(tmp_path, os.getpid())
    kill(game.pid)
    assert wait_until_dead(child, 30), "the job has not ended its processes"
    game.close()


def test_a_game_ends_with_its_owner_and_is_found_again_while_it_lives(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _SLEEP]) as owner:
        game, child = _launched(tmp_path, owner.pid)
        note = tmp_path / "program.pid"
        pid, pid_born, _engine, _engine_born, *rest = note.read_text().split()
        note.write_text(" ".join((pid, pid_born, "1", "1", *rest)))  # as if another engine had started it
        left = left_running(tmp_path, tmp_path / "game.log", owner.pid)
        assert left is not None and left.pid == game.pid and left.alive
        owner.kill()
    assert wait_until_dead(child, 30)
    assert wait_until_dead(game.pid, 30)
    assert left_running(tmp_path, tmp_path / "game.log") is None
    game.close()
