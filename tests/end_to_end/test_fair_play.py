"""Where an anti-cheat service is on guard nothing is captured or pressed, however the game was chosen."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.end_to_end.command import pitwall
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import until_up
from tests.end_to_end.game import SmallGame

from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen

_GUARD = "pitwall-test-guard-{}.exe"


@pytest.fixture
def guard(data: DataFolder, tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts a process that the data folder's own list names; no other test's engine knows that name."""
    name = _GUARD.format(tmp_path.name)
    table = f'[[guard]]\nname = "Test Guard"\nprocesses = {json.dumps([name])}\n'
    data.anti_cheat.write_text(table, encoding="utf-8")
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([name, "120"], executable="/bin/sleep"))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def _lay_guard(game: SmallGame) -> None:
    (game.folder / "BattlEye").mkdir()
    (game.folder / "BattlEye" / "readme.txt").write_text("x")


@pytest.fixture
def guarded_game(make_game: MakeGame) -> SmallGame:
    """An open game in whose folder BattlEye lies."""
    game = make_game("tap", window=False)
    _lay_guard(game)
    game.open()
    game.window_id()
    return game


def test_a_guard_that_comes_while_it_is_played_ends_the_run_with_every_key_up(
    make_game: MakeGame,
    make_pit: MakePit,
    hands: SimulatedPerson,
    guard: Callable[[], subprocess.Popen[bytes]],
) -> None:
    game = make_game("tap", "tap", "hold")
    pit = make_pit(game)
    pit.play()
    pit.until(lambda: len(pit.steps) >= 2 and "ArrowLeft" in hands.keys_down(), "a key to be held")
    process = guard()
    failed = pit.expect_state(EngineState.FAILED, "GuardedGame")
    assert "Test Guard is on guard" in failed.text
    assert "neither captures nor presses" in failed.text
    ended = pit.expect(telemetry.RunEnded)
    assert (ended.summary.outcome, ended.keys_down) == ("stopped", 0)
    until_up(hands)
    shown = len(pit.all_heard(telemetry.FrameNote))
    pit.send(commands.Start())
    pit.send(commands.Probe(name="capture"))
    assert not pit.expect(telemetry.ProbeResult).passed
    assert pit.state is EngineState.FAILED
    assert len(pit.all_heard(telemetry.FrameNote)) == shown
    process.kill()
    process.wait()
    pit.send(commands.Start())
    pit.expect_state(EngineState.READY)


def test_a_guarded_game_is_not_started(make_game: MakeGame, make_pit: MakePit) -> None:
    game = make_game("tap", window=False)
    _lay_guard(game)
    pit = make_pit(game, launch=True, trusted=True)
    assert "BattlEye is on guard" in pit.expect_state(EngineState.FAILED, "GuardedGame").text
    assert game.inputs() == []


@pytest.mark.parametrize("words", [("teach", "record"), ("games", "new", "--watch", "1")])
def test_each_way_of_choosing_a_window_refuses_a_guarded_one(
    data: DataFolder, guarded_game: SmallGame, words: tuple[str, ...]
) -> None:
    named = ("--game", str(guarded_game.folder)) if words[0] != "games" else ("--id", "guarded")
    ran = pitwall(*words, *named, "--window", guarded_game.window_id(), data=data)
    assert ran.status == 1
    assert "BattlEye is on guard" in ran.err
    assert "single-player" in ran.err
    assert [item["kind"] for item in guarded_game.inputs() if item["kind"] == "key_down"] == []


def test_the_list_of_windows_says_which_is_guarded(data: DataFolder, guarded_game: SmallGame) -> None:
    listed = pitwall("windows", "--json", data=data).answer
    ours = [item for item in listed if item["title"] == guarded_game.title]
    assert [our["guard"] for our in ours] == ["BattlEye"]
