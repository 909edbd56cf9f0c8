"""Displays that are not there, are lost in mid-run, or belong to Wayland: a clear sentence each time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.command import pitwall
from tests.end_to_end.conftest import MakePit
from tests.end_to_end.driver import assert_whole, brokers_of, is_alive, until
from tests.end_to_end.game import SmallGame

from pitwall.core import telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import EngineState


@pytest.fixture
def game(tmp_path: Path) -> Iterator[SmallGame]:
    """A small game whose window is opened by the test."""
    game = SmallGame(tmp_path, ("tap", "tap", "hold"))
    yield game
    game.close()


def _one_sentence(err: str) -> str:
    assert err.startswith("pitwall: "), err
    assert err.count("\n") == 1, err
    return err


def test_no_display_and_no_virtual_one(data: DataFolder, game: SmallGame, tmp_path: Path) -> None:
    words = ("run", "--game", str(game.folder), "--no-launch", "--seconds", "1")
    ran = pitwall(*words, data=data, DISPLAY=None, WAYLAND_DISPLAY=None, PATH=str(tmp_path))
    assert ran.status == 1
    assert "no screen" in _one_sentence(ran.err)
    assert "apt-get install xvfb" in ran.err


@pytest.mark.parametrize("command", ["run", "console", "doctor"])
def test_a_display_that_cannot_be_reached(data: DataFolder, game: SmallGame, command: str) -> None:
    run = ("--game", str(game.folder), "--no-launch", "--seconds", "1") if command == "run" else ()
    ran = pitwall(command, *run, data=data, DISPLAY=":9797", WAYLAND_DISPLAY=None)
    assert ran.status == 1
    text = ran.out if command == "doctor" else _one_sentence(ran.err)
    assert "':9797' cannot be reached" in text


@pytest.mark.parametrize("command", ["run", "console"])
def test_a_wayland_session(data: DataFolder, game: SmallGame, command: str) -> None:
    run = ("--game", str(game.folder), "--no-launch", "--seconds", "1") if command == "run" else ()
    ran = pitwall(
        command, *run, data=data, DISPLAY=None, WAYLAND_DISPLAY="wayland-0", XDG_SESSION_TYPE="wayland"
    )
    assert ran.status == 1
    assert "Wayland session" in _one_sentence(ran.err)
    assert "X11" in ran.err


def test_an_engine_without_a_display(
    make_pit: MakePit, game: SmallGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    failed = make_pit(game).expect_state(EngineState.FAILED, "DisplayError")
    assert "DISPLAY is not set" in failed.text
    assert "xvfb-run" in failed.fix


class OwnScreen:
    """A virtual screen that a test may kill."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as numbers:
            self.name = f":{numbers.readline().strip()}"
        env = {**os.environ, "DISPLAY": self.name}
        self.manager = subprocess.Popen(["openbox", "--sm-disable"], env=env, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        """End it as a crash of the server would."""
        self.server.kill()
        self.server.wait()
        self.manager.kill()
        self.manager.wait()


@pytest.fixture
def own_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnScreen]:
    """A screen of the test's own, in $DISPLAY for its time."""
    screen = OwnScreen()
    monkeypatch.setenv("DISPLAY", screen.name)
    try:
        until(lambda: subprocess.run(["wmctrl", "-m"], capture_output=True).returncode == 0, "openbox")
        yield screen
    finally:
        screen.kill()


def test_a_display_lost_in_mid_run(own_screen: OwnScreen, make_pit: MakePit, game: SmallGame) -> None:
    game.open()
    game.window_id()
    pit = make_pit(game)
    run_id = pit.play()
    pit.until(lambda: len(pit.steps) >= 2, "two steps")
    brokers = until(lambda: brokers_of(pit.session.pid), "two brokers")
    own_screen.kill()
    failed = pit.expect_state(EngineState.FAILED, "DisplayError")
    assert own_screen.name in failed.text
    assert "was lost" in failed.text or "cannot be reached" in failed.text
    assert failed.fix
    assert pit.expect(telemetry.RunEnded).run_id == run_id
    assert_whole(pit.data, run_id, pit.steps, "lost_window")
    until(lambda: not is_alive(brokers.duty) and not is_alive(brokers.standby), "the brokers to end")
    message = len(pit.all_heard(telemetry.StateChanged))
    for _ in range(10):
        pit.pump(0.1)
    assert len(pit.all_heard(telemetry.StateChanged)) == message, "it is told once"
    log = (pit.data.logs / "engine.log").read_text(encoding="utf-8")
    assert log.count("was lost") <= 2, log
    assert pit.close() == 0
