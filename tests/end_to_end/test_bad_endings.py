"""A run whose game dies, freezes or starts anew says so, and its status tells a program."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

GAME = Path(__file__).with_name("ending_game.py")

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="its signals and its windows are others"),
    pytest.mark.usefixtures("screen"),
    pytest.mark.timeout(300),
]


def _run(tmp_path: Path, how: str, seconds: int) -> subprocess.CompletedProcess[str]:
    """Add the game that ends after 4 s, and let an agent without a model play it."""
    variables = {**os.environ, "PITWALL_DATA": str(tmp_path)}
    program = shlex.join([sys.executable, str(GAME), how, "4"])
    keys = ["--action", "left=ArrowLeft", "--action", "right=ArrowRight"]
    new = ["games", "new", "--command", program, "--size", "400x300", "--name", "Bad", *keys]
    run = ["run", "--game", "bad", "--planner", "random", "--seconds", str(seconds)]
    for words in (new, run):
        done = subprocess.run(
            [sys.executable, "-m", "pitwall", *words],
            env=variables,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    return done


@pytest.mark.parametrize(
    ("how", "ending", "seconds"), [("exit", "with status 7", 60), ("signal", "by signal SIGKILL", 8)]
)
def test_a_game_that_dies_is_no_success_and_its_last_words_are_shown(
    tmp_path: Path, how: str, ending: str, seconds: int
) -> None:
    """Also where the run's time is up while the agent waits for the window to come back."""
    done = _run(tmp_path, how, seconds)
    assert done.returncode == 1, done.stdout
    assert f"as its program ended {ending}." in done.stderr and "the level has no floor" in done.stderr
    assert "run 1 broke off" in done.stderr


def test_a_game_that_starts_anew_is_played_on(tmp_path: Path) -> None:
    done = _run(tmp_path, "respawn", 15)
    assert done.returncode == 0, done.stderr
    assert "The game is back." in done.stdout


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("freeze", "It does not react: it is frozen."),
        ("dialog", "shows another window before its own: 'Oops'"),
    ],
)
def test_a_game_that_cannot_be_played_on_is_not_pressed_on(tmp_path: Path, how: str, words: str) -> None:
    done = _run(tmp_path, how, 60)
    assert done.returncode == 1, done.stdout
    assert "run 1 broke off" in done.stderr and words in done.stderr
