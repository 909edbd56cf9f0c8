"""A run whose game dies, freezes or starts anew says so, and its status tells a program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from tests.patience import LIGHT, patient

from pitwall.core.paths import DataFolder
from workshop.fixtures.bad_endings.adding import GAME, add_ending_game

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="its signals and its windows are others"),
    pytest.mark.usefixtures("screen"),
    pytest.mark.timeout(300),
]


Plays = Callable[[str, int], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def plays(screen: str, tmp_path_factory: pytest.TempPathFactory) -> Plays:
    """Add the game that ends after 4 s; return how an agent without a model plays it to a given end."""
    assert screen
    folder = tmp_path_factory.mktemp("bad")
    data = patient(DataFolder(folder / "data"), LIGHT)
    variables = {**os.environ, "PITWALL_DATA": str(data.root)}
    add_ending_game(data, folder / "how")

    def play(how: str, seconds: int) -> subprocess.CompletedProcess[str]:
        (folder / "how").write_text(how, encoding="utf-8")
        words = ["run", "--game", GAME, "--planner", "random", "--seconds", str(seconds)]
        return subprocess.run(
            [sys.executable, "-m", "pitwall", *words],
            env=variables,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return play


@pytest.mark.parametrize(
    ("how", "ending", "seconds"),
    [
        ("exit", "with status 7", 60),
        pytest.param("close", "with status 0", 60, marks=pytest.mark.long),
        pytest.param("signal", "by signal SIGKILL", 8, marks=pytest.mark.long),
    ],
)
def test_a_game_that_dies_is_no_success_and_its_last_words_are_shown(
    plays: Plays, how: str, ending: str, seconds: int
) -> None:
    """Also where the run's time is up while the agent waits for the window to come back."""
    done = plays(how, seconds)
    assert done.returncode == 1, done.stdout
    assert f"as its program ended {ending}." in done.stderr and "the level has no floor" in done.stderr
    assert " broke off" in done.stderr


def test_a_game_that_starts_anew_is_played_on(plays: Plays) -> None:
    done = plays("respawn", 15)
    assert done.returncode == 0, done.stderr
    assert "The game is back." in done.stdout


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("freeze", "It does not react: it is frozen."),
        pytest.param("window", "its window is gone", marks=pytest.mark.long),
        pytest.param("dialog", "shows another window before its own: 'Oops'", marks=pytest.mark.long),
    ],
)
def test_a_game_that_cannot_be_played_on_is_not_pressed_on(plays: Plays, how: str, words: str) -> None:
    done = plays(how, 60)
    assert done.returncode == 1, done.stdout
    assert " broke off" in done.stderr and words in done.stderr
